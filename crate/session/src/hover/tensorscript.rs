//! What is under the cursor of a TensorScript text and has no type there: a name of sizes, a weight, an argument. Most of
//! that is gone once it is lowered, so it is read off the text.

use super::{Hover, declaration};
use crate::Analysis;
use crate::name::{File, name};
use base::{Append, Join, Span, ToList};
use hir::layers;
use hir::net::{MadeOf, Weight};
use syntax::{Event, NodeId, NodeKind, TokenKind, Tree};

/// Of a name of sizes what it stands for, `dim SIDE = 28`; of a weight that is not applied here, what it is made of.
pub(super) fn declared(analysis: &Analysis, offset: u32, is_applied: bool) -> Option<Hover> {
    let name = name(analysis, File::User, offset).filter(|name| name.span.contains(offset))?;
    if let Some(weight) =
        analysis.module.nets.iter().flat_map(|net| &net.weights).find(|weight| weight.span == name.binding)
    {
        return (!is_applied).then(|| made_of(analysis, weight, name.span));
    }
    let tree = syntax::parse(&analysis.text, analysis.module.surface).tree;
    let item = last(&tree, name.binding.start, &[NodeKind::DimItem, NodeKind::TsrItem])?;
    (first_word(&tree, item) == Some(name.binding)).then(|| {
        let code = base::one_line(tree.node_text(item).trim_end_matches(';'));
        let value = code.split_once('=').map_or(&*code, |(_, value)| value.trim_ascii());
        Hover { r#type: value.to_owned(), doc: String::new(), operator: None, span: name.span, code }
    })
}

/// A weight and the tensors that it has, a line each.
fn made_of(analysis: &Analysis, weight: &Weight, span: Span) -> Hover {
    let Analysis { module, inferred, .. } = analysis;
    let name = &weight.name;
    let (r#type, mut lines) = match &weight.made_of {
        MadeOf::Layer(layer, args) => {
            // Each function of the graph has a variable for each.
            let tensor = |of: &str| {
                let full = format!("{name}.{of}");
                let is_it = |span: Span| weight.span.start <= span.start && span.end <= weight.span.end;
                let local = module
                    .locals
                    .iter_enumerated()
                    .find(|(id, local)| is_it(local.span) && module.local_name(*id) == full)?
                    .0;
                Some(format!("{full}: {}", inferred.print_local(module, local)?.text))
            };
            let tensors = layer.parameters(args).into_iter().filter_map(|parameter| tensor(&parameter.name));
            (layer.called(args), tensors.list())
        }
        MadeOf::Net(inner) => {
            let net = &module.nets[*inner];
            (net.name.clone(), vec![declaration(analysis, net.adt)])
        }
        MadeOf::Unknown => ("_".to_owned(), Vec::new()),
    };
    lines.insert(0, format!("{name}: {type}"));
    Hover { code: lines.joined("\n"), r#type, doc: String::new(), operator: None, span }
}

/// How a layer is called of this name, or whose argument or `new` it is.
pub(super) fn called(analysis: &Analysis, offset: u32, name: &str) -> Option<String> {
    let tree = syntax::parse(&analysis.text, analysis.module.surface).tree;
    let mut words = vec![name];
    if let Some(call) = last(&tree, offset, &[NodeKind::Weight, NodeKind::Call, NodeKind::Field]) {
        words.append_all(tree.own_tokens(call).map(|token| tree.token_text(token)));
        words.append_all(tree.children(call).first().map(|&callee| tree.node_text(callee)));
    }
    let of = |word: &str| layers::all().find(|(_, layer, _)| *layer == word).map(layers::signature);
    words.into_iter().filter(|_| !name.is_empty()).find_map(of)
}

/// The innermost node of these kinds that holds a byte.
fn last(tree: &Tree, offset: u32, kinds: &[NodeKind]) -> Option<NodeId> {
    let mut found = None;
    for event in tree.walk(tree.root()) {
        if let Event::Enter(node) = event
            && kinds.contains(&tree.kind(node))
            && tree.span(node).contains(offset)
        {
            found = Some(node);
        }
    }
    found
}

fn first_word(tree: &Tree, node: NodeId) -> Option<Span> {
    tree.first_token(node, TokenKind::Ident).map(|token| tree.token_span(token))
}
