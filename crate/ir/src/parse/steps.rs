//! Fused operators.

use super::{ParseError, Parser, Token, number_of};
use crate::{Op, VarId};
use op::{Input, Step};

impl Parser<'_> {
    /// `(%x, %b) { s0 = nn.bias_add(%x, %b); s1 = nn.relu(s0) }`.
    pub(super) fn fused(&mut self) -> Result<(Op, Vec<VarId>), ParseError> {
        let args = self.args()?;
        let mut steps = Vec::new();
        self.mark(b'{')?;
        loop {
            self.own_id("s", steps.len())?;
            self.mark(b'=')?;
            let op = if self.token == Token::Word { op::spelt(self.word()) } else { None };
            let op = op.ok_or_else(|| self.error("an operator"))?;
            self.advance();
            let mut inputs = Vec::new();
            let attrs = self.operands(op, &mut |this| {
                let step = if this.token == Token::Word { number_of(this.word(), "s") } else { None };
                if let Some(step) = step {
                    this.advance();
                    inputs.push(Input::Step(step as usize));
                } else if this.is_var() {
                    let error = this.error("an operand");
                    let var = this.var()?;
                    inputs.push(Input::Operand(args.iter().position(|&arg| arg == var).ok_or(error)?));
                } else {
                    return Ok(false);
                }
                Ok(true)
            })?;
            steps.push(Step { op, attrs, inputs, span: self.span()? });
            if self.eat(b'}') {
                return Ok((Op::Fused(steps), args));
            }
            self.mark(b';')?;
        }
    }
}
