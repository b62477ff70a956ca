//! Interned names: equal names have equal symbols, within one interner.

use rustc_hash::FxHashMap;

crate::idx!(
    /// A name, as its place in an [`Interner`].
    Symbol,
    "s"
);

#[derive(Clone, Debug, Default)]
pub struct Interner {
    names: Vec<Box<str>>,
    symbols: FxHashMap<Box<str>, Symbol>,
}

impl Interner {
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        self.names.push(name.into());
        self.symbols.insert(name.into(), symbol);
        symbol
    }

    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }
}
