//! The `#[metadata]` section and the references into it.
//!
//! The section is a graph of nodes as JSON, as TVM writes it. The root is a map from a type's key to a list of nodes,
//! and `meta[Key][i]` is the node `i` of that list. Nodes name each other by their places in `nodes`, and hold the
//! bytes of a tensor by its place in `b64ndarrays`:
//!
//! ```text
//! {"root": 1, "nodes": [{"type_key": ""},
//!    {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]}, {"type_key": "Array", "data": [3]},
//!    {"type_key": "relay.Constant", "attrs": {"data": "0"}}], "b64ndarrays": ["P6G0lvBAXt0A…"]}
//! ```
//!
//! Only what is referred to is read, once. The section is data from elsewhere: node numbers may lead anywhere, round in
//! circles too, and sizes may lie.

use super::json::{self, Json};
use super::{Lowered, Lowering};
use crate::data::{ExprKind, LocalOrigin, Place, TypeExprId, TypeExprKind};
use crate::error::{ArrayFault, HirError, MetaFault};
use base::{HashMap, Span, ToList};
use std::sync::Arc;
use syntax::{NodeId, NodeKind, Tree};
use ty::{AttrValue, Dtype, Elements, Tensor};

const HEAD: &str = "#[metadata]";

/// What NDArrays begin with.
const MAGIC: u64 = 0xDD5E_40F0_96B4_A13F;

/// An attribute's value has at most this many parts.
const MAX_PARTS: usize = 10_000;

#[derive(Default)]
pub(super) struct Metadata {
    /// Absent where the text has no section.
    section: Option<Span>,
    /// Whether it has been told that it is absent.
    is_missed: bool,
    /// `Null` where the section is no JSON, which is told once.
    json: Json,
    /// By place in `b64ndarrays`: what was read, if it could be.
    tensors: HashMap<usize, Option<Arc<Tensor>>>,
}

/// A reference as written: `meta[relay.Constant][0]`.
struct Reference {
    key: String,
    key_span: Span,
    index: u64,
}

impl Metadata {
    pub fn read(tree: &Tree, errors: &mut Vec<HirError>) -> Metadata {
        let Some(node) = tree.child(tree.root(), NodeKind::Metadata) else { return Metadata::default() };
        let section = tree.span(node);
        let text = tree.node_text(node).strip_prefix(HEAD).unwrap_or("");
        let json = json::read(text).unwrap_or_else(|fault| {
            let at = section.start + (HEAD.len() + fault.at).min(section.len() as usize) as u32;
            errors.push(HirError::MetadataSyntax { span: Span::new(at, at), words: fault.words });
            Json::Null
        });
        Metadata { section: Some(section), json, ..Metadata::default() }
    }

    fn node(&self, number: usize) -> Option<&Json> {
        self.json.get("nodes")?.at(number)
    }

    /// The number behind a name in a node's `data`.
    fn listed(&self, node: &Json, place: u64) -> Option<usize> {
        node.get("data")?.at(usize::try_from(place).ok()?)?.place()
    }

    /// How many nodes there are under a key, and the list that they are in.
    fn list(&self, key: &str) -> Option<(usize, &Json)> {
        let root = self.node(self.json.get("root")?.place()?)?;
        let place = root.get("keys")?.list()?.iter().position(|other| other.text() == Some(key))?;
        let list = self.node(self.listed(root, place as u64)?)?;
        Some((list.get("data").and_then(Json::list).map_or(0, <[Json]>::len), list))
    }

    fn keys(&self) -> Vec<&str> {
        let root = self.json.get("root").and_then(Json::place).and_then(|root| self.node(root));
        let keys = root.and_then(|root| root.get("keys")).and_then(Json::list);
        keys.into_iter().flatten().filter_map(Json::text).list()
    }

    /// A constant in an attribute: text, a number, a truth value, nothing, or a list of those.
    fn attr(&self, number: usize, depth: usize, parts: &mut usize) -> Option<AttrValue> {
        *parts += 1;
        if *parts > MAX_PARTS || depth > super::attr::MAX_NESTING {
            return None;
        }
        let node = self.node(number)?;
        match kind_of(node) {
            "" => Some(AttrValue::None),
            "runtime.String" => {
                Some(AttrValue::Str(node.get("repr_str").map_or("", |text| text.text().unwrap_or("")).into()))
            }
            "IntImm" => {
                let value = base::parse_i64(field(node, "value")?)?;
                let is_bool = field(node, "dtype") == Some("bool");
                Some(if is_bool { AttrValue::Bool(value != 0) } else { AttrValue::Int(value) })
            }
            "FloatImm" => Some(AttrValue::Float(base::parse_f64(field(node, "value")?)?)),
            "Array" => {
                let n_items = node.get("data").and_then(Json::list).map_or(0, <[Json]>::len);
                let items = (0..n_items).map(|i| self.attr(self.listed(node, i as u64)?, depth + 1, parts));
                Some(AttrValue::List(items.some_list()?))
            }
            _ => None,
        }
    }
}

fn kind_of(node: &Json) -> &str {
    node.get("type_key").and_then(Json::text).unwrap_or("")
}

fn field<'a>(node: &'a Json, name: &str) -> Option<&'a str> {
    node.get("attrs")?.get(name)?.text()
}

impl Lowering<'_> {
    /// A reference is a type or an expression by where it stands.
    pub(super) fn leave_meta(&mut self, node: NodeId) -> Lowered {
        let span = self.tree.span(node);
        let Some(&parent) = self.open.last() else { return Lowered::Nothing };
        let is_expr = match self.tree.kind(parent) {
            NodeKind::LetItem | NodeKind::LetStmt => self.tree.children_rev(parent).next() == Some(node),
            NodeKind::ExprItem
            | NodeKind::GraphItem
            | NodeKind::GraphStmt
            | NodeKind::ExprStmt
            | NodeKind::Block
            | NodeKind::Seq
            | NodeKind::Paren
            | NodeKind::Tuple
            | NodeKind::RefNew
            | NodeKind::RefReadCall
            | NodeKind::RefWriteCall
            | NodeKind::RefRead
            | NodeKind::RefWrite
            | NodeKind::If
            | NodeKind::Match
            | NodeKind::Arm
            | NodeKind::Call
            | NodeKind::ArgList
            | NodeKind::Project
            | NodeKind::Unary
            | NodeKind::Binary
            | NodeKind::Pipe => true,
            _ => false,
        };
        if is_expr {
            let kind = self.meta_expr(node);
            return Lowered::Expr(self.expr(kind, span));
        }
        let kind = self.meta_type(node);
        Lowered::Type(self.type_expr(kind, span))
    }

    /// `meta[relay.Constant][i]` as an expression. One whose value cannot be had is of unknown type, so that what uses
    /// it is still checked. Without the section it is free, and has the type that TVM prints behind it.
    pub(super) fn meta_expr(&mut self, node: NodeId) -> ExprKind {
        let span = self.tree.span(node);
        let Some(reference) = self.meta_reference(node) else { return ExprKind::Error };
        if self.is_attr_record(node) {
            self.meta_fault(&reference, span, MetaFault::AttrRecord);
            return ExprKind::Error;
        }
        if self.metadata.section.is_none()
            && let Some(annotation) = self.type_behind(span.end)
        {
            let local = self.new_local(self.tree.node_text(node), span, LocalOrigin::Constant);
            self.module.locals[local].annotation = Some(annotation);
            return ExprKind::Local(local, Place::Own(self.module.locals[local].slot));
        }
        let number = self.referred(&reference, span);
        match number.and_then(|number| self.constant_tensor(number, &reference, span)) {
            Some(tensor) => ExprKind::TensorLit(tensor),
            None => self.unknown("_", span),
        }
    }

    /// The type in a comment that stands here, as `/* ty=Tensor[(2, 3), float32] */`: of a tensor or a scalar.
    fn type_behind(&mut self, at: u32) -> Option<TypeExprId> {
        let text = self.tree.text();
        let behind = base::cut(text[at as usize..].trim_ascii_start().strip_prefix("/*")?, "*/")?.0;
        let printed = behind.trim_ascii_start().strip_prefix("ty=")?;
        let printed = base::cut(printed, " span=").map_or(printed, |(printed, _)| printed).trim_ascii_end();
        let start = (printed.as_ptr() as usize - text.as_ptr() as usize) as u32;
        let span = Span::new(start, start + printed.len() as u32);
        if let Some(dtype) = Dtype::parse(printed) {
            return Some(self.type_expr(TypeExprKind::Scalar(dtype), span));
        }
        let (dims, dtype) = base::cut(printed.strip_prefix("Tensor[(")?.strip_suffix(']')?, "), ")?;
        let dtype = self.type_expr(TypeExprKind::Dtype(Dtype::parse(dtype)?), span);
        let mut shape = Vec::new();
        for dim in base::split(dims, b',').into_iter().map(str::trim_ascii).filter(|dim| !dim.is_empty()) {
            let kind = match dim {
                "?" => TypeExprKind::Any,
                _ => TypeExprKind::Dim(base::parse_i64(dim).filter(|size| *size >= 0)?),
            };
            self.module.has_any |= dim == "?";
            shape.push(self.type_expr(kind, span));
        }
        let shape = self.type_expr(TypeExprKind::Shape(shape), span);
        Some(self.type_expr(TypeExprKind::Tensor { shape, dtype }, span))
    }

    /// A type or a dim: `meta[IncompleteType][i]` is a hole, `meta[IntImm][i]` a number.
    pub(super) fn meta_type(&mut self, node: NodeId) -> TypeExprKind {
        let span = self.tree.span(node);
        let Some(reference) = self.meta_reference(node) else { return TypeExprKind::Error };
        match reference.key.as_str() {
            "IntImm" => {
                let Some(number) = self.referred(&reference, span) else { return TypeExprKind::Error };
                match self.metadata.attr(number, 0, &mut 0) {
                    Some(AttrValue::Int(size)) if size >= 0 => TypeExprKind::Dim(size),
                    _ => {
                        self.meta_fault(&reference, span, MetaFault::Unreadable { want: "a size" });
                        TypeExprKind::Error
                    }
                }
            }
            "Any" | "tir.Any" => {
                self.module.has_any = true;
                TypeExprKind::Any
            }
            _ => TypeExprKind::Hole,
        }
    }

    /// The value of an attribute; `None` where it could not be had, which has been told.
    pub(super) fn meta_attr(&mut self, node: NodeId) -> Option<AttrValue> {
        let span = self.tree.span(node);
        let reference = self.meta_reference(node)?;
        let number = self.referred(&reference, span)?;
        let value = self.metadata.attr(number, 0, &mut 0);
        if value.is_none() {
            self.meta_fault(&reference, span, MetaFault::Unreadable { want: "a string, a number or a list of those" });
        }
        value
    }

    /// Whether an argument stands for all attributes of its call, which are not read from the section.
    pub(super) fn is_attr_record(&self, node: NodeId) -> bool {
        self.tree.kind(node) == NodeKind::Meta && self.tree.node_text(node).starts_with("meta[relay.attrs.")
    }

    /// Whether a reference says where a value is to live, which means nothing here.
    pub(super) fn is_device(&self, node: NodeId) -> bool {
        self.tree.kind(node) == NodeKind::Meta && self.tree.node_text(node).starts_with("meta[VirtualDevice]")
    }

    fn meta_reference(&mut self, node: NodeId) -> Option<Reference> {
        let (span, text) = (self.tree.span(node), self.tree.node_text(node));
        let read = || {
            let (key, index) = base::cut(base::cut(text, "[")?.1, "]")?;
            let index = index.trim_ascii().strip_prefix('[')?.strip_suffix(']')?;
            let start = span.start + base::find(text, key)? as u32;
            let key_span = Span::new(start, start + key.len() as u32);
            Some(Reference { key: key.to_owned(), key_span, index: base::parse_u64(index.trim_ascii())? })
        };
        let reference = read();
        // Where a bracket is missing, that was told.
        if reference.is_none() && text.ends_with(']') {
            self.errors.push(HirError::MetaReference { text: text.to_owned(), span, fault: MetaFault::Form });
        }
        reference
    }

    fn meta_fault(&mut self, reference: &Reference, span: Span, fault: MetaFault) {
        let text = format!("meta[{}][{}]", reference.key, reference.index);
        self.errors.push(HirError::MetaReference { text, span, fault });
    }

    /// The number of the node that is referred to.
    fn referred(&mut self, reference: &Reference, span: Span) -> Option<usize> {
        let Some(section) = self.metadata.section else {
            // A network has hundreds of constants.
            if !std::mem::replace(&mut self.metadata.is_missed, true) {
                self.meta_fault(reference, span, MetaFault::NoSection);
            }
            return None;
        };
        if self.metadata.json == Json::Null {
            return None;
        }
        let Some((n_nodes, list)) = self.metadata.list(&reference.key) else {
            let nearest = base::nearest(&reference.key, self.metadata.keys()).map(str::to_owned);
            self.meta_fault(
                reference,
                span,
                MetaFault::NoKey { key: reference.key.clone(), at: reference.key_span, nearest },
            );
            return None;
        };
        match self.metadata.listed(list, reference.index) {
            Some(number) => Some(number),
            None => {
                let section = Span::new(section.start, section.start + HEAD.len() as u32);
                self.meta_fault(reference, span, MetaFault::Index { n_nodes, section });
                None
            }
        }
    }

    fn constant_tensor(&mut self, number: usize, reference: &Reference, span: Span) -> Option<Arc<Tensor>> {
        let node = self.metadata.node(number);
        let data = node.filter(|node| kind_of(node) == "relay.Constant").and_then(|node| field(node, "data"));
        let place = data.and_then(base::parse_u64).and_then(|place| usize::try_from(place).ok());
        let Some(place) = place else {
            self.meta_fault(reference, span, MetaFault::Unreadable { want: "a `relay.Constant`" });
            return None;
        };
        if let Some(known) = self.metadata.tensors.get(&place) {
            return known.clone();
        }
        let text = self.metadata.json.get("b64ndarrays").and_then(|arrays| arrays.at(place)).and_then(Json::text);
        let tensor = match text.ok_or(ArrayFault::Missing).and_then(tensor) {
            Ok(tensor) => Some(Arc::new(tensor)),
            Err(fault) => {
                let bytes = text.and_then(|text| self.place_of(text));
                self.errors.push(HirError::MetaArray { span, place, bytes, fault });
                None
            }
        };
        self.metadata.tensors.insert(place, tensor.clone());
        tensor
    }

    /// Where a string of the section stands, or its first letters.
    fn place_of(&self, text: &str) -> Option<Span> {
        let section = self.metadata.section?;
        let at = base::find(&self.tree.text()[section.range()], &format!("\"{text}\""))?;
        let start = section.start + at as u32;
        Some(Span::new(start, start + text.bytes().take_while(u8::is_ascii).take(16).count() as u32 + 1))
    }
}

/// The bytes that are not read yet.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ArrayFault> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(ArrayFault::CutShort)?;
        self.0 = rest;
        Ok(*taken)
    }
}

/// A tensor from the base64 text of an NDArray, little-endian throughout: magic, a reserved word, the device's kind and
/// number, the rank, the dtype (code, bits, lanes), the shape, the number of bytes, and those.
fn tensor(text: &str) -> Result<Tensor, ArrayFault> {
    let bytes = base64(text).ok_or(ArrayFault::NotBase64)?;
    let mut bytes = Bytes(&bytes);
    if u64::from_le_bytes(bytes.take()?) != MAGIC {
        return Err(ArrayFault::Magic);
    }
    let _reserved_and_device: [u8; 16] = bytes.take()?;
    let rank = i32::from_le_bytes(bytes.take()?);
    let [code, bits, lanes, more_lanes] = bytes.take()?;
    let dtype = match (code, bits, lanes, more_lanes) {
        (0, 8, 1, 0) => Dtype::Int8,
        (0, 16, 1, 0) => Dtype::Int16,
        (0, 32, 1, 0) => Dtype::Int32,
        (0, 64, 1, 0) => Dtype::Int64,
        (1, 1, 1, 0) | (6, 8, 1, 0) => Dtype::Bool,
        (1, 8, 1, 0) => Dtype::UInt8,
        (1, 16, 1, 0) => Dtype::UInt16,
        (1, 32, 1, 0) => Dtype::UInt32,
        (1, 64, 1, 0) => Dtype::UInt64,
        (2, 16, 1, 0) => Dtype::Float16,
        (2, 32, 1, 0) => Dtype::Float32,
        (2, 64, 1, 0) => Dtype::Float64,
        (4, 16, 1, 0) => Dtype::BFloat16,
        _ => return Err(ArrayFault::Dtype { code, bits, lanes: u16::from_le_bytes([lanes, more_lanes]) }),
    };
    let mut shape = Vec::new();
    for _ in 0..rank {
        shape.push(usize::try_from(i64::from_le_bytes(bytes.take()?)).map_err(|_| ArrayFault::Shape)?);
    }
    let size = dtype.bits().div_ceil(8) as usize;
    let want = shape.iter().try_fold(size, |n, &dim| n.checked_mul(dim)).ok_or(ArrayFault::Shape)?;
    let said = u64::from_le_bytes(bytes.take()?);
    if said != want as u64 || bytes.0.len() != want {
        let found = if said == want as u64 { bytes.0.len() as u64 } else { said };
        return Err(ArrayFault::Length { want, found });
    }
    Ok(Tensor { dtype, shape, elements: elements(dtype, bytes.0) })
}

fn elements(dtype: Dtype, bytes: &[u8]) -> Elements {
    let size = dtype.bits().div_ceil(8) as usize;
    // Each element's bits in the low end of a word.
    let words = bytes.chunks_exact(size).map(|chunk| {
        let mut word = [0; 8];
        word[..size].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    match dtype {
        Dtype::Float16 => Elements::Float(words.map(|word| half(word as u16)).list()),
        Dtype::BFloat16 => Elements::Float(words.map(|word| f64::from(f32::from_bits((word as u32) << 16))).list()),
        Dtype::Float32 => Elements::Float(words.map(|word| f64::from(f32::from_bits(word as u32))).list()),
        Dtype::Float64 => Elements::Float(words.map(f64::from_bits).list()),
        Dtype::Bool => Elements::Int(words.map(|word| i64::from(word != 0)).list()),
        _ if dtype.is_signed() => {
            let unused = 64 - dtype.bits();
            Elements::Int(words.map(|word| ((word << unused) as i64) >> unused).list())
        }
        _ => Elements::Int(words.map(|word| word as i64).list()),
    }
}

/// The number of a float16's bits: 1 of sign, 5 of exponent, 10 of mantissa.
fn half(bits: u16) -> f64 {
    let mantissa = f64::from(bits & 0x3ff) / 1024.0;
    let magnitude = match (bits >> 10) & 0x1f {
        0 => mantissa * 2_f64.powi(-14),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + mantissa) * 2_f64.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The bytes of a base64 text with its padding (RFC 4648, section 4).
fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text);
    if !text.len().is_multiple_of(4) || digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut n_bits) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_what_ieee_says() {
        let cases = [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2_f64.powi(-24)),
            (0x7c00, f64::INFINITY),
        ];
        assert!(cases.iter().all(|&(bits, value)| half(bits) == value));
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn every_half_prints_so_that_it_reads_back() {
        let names = ty::FixedNames { adt: "", param: "", variants: &[], constructors: &[] };
        for bits in 0..0x7c00 {
            let value = half(bits);
            let scalar = ty::Value::Scalar(Dtype::Float16, ty::Scalar::Float(value));
            let printed = ty::print_value(&scalar, &names).text;
            let read: f64 = printed.trim_end_matches("f16").parse().expect("a number");
            assert_eq!(op::round_to(Dtype::Float16, read), value, "{printed}");
        }
    }

    /// Sections that lie, and every section that differs from a good one in a byte.
    #[test]
    fn no_section_is_too_strange() {
        let lower = |text: &str| {
            crate::lower(&syntax::parse(text, base::Surface::Relay).tree, crate::Module::default()).1.len()
        };
        let program = "cast(meta[relay.Constant][0], dtype=meta[Array][0])\n#[metadata]\n";
        let good = format!(
            r#"{program}{{"root": 1, "nodes": [{{"type_key": ""}}, {{"type_key": "Map", "keys": ["relay.Constant", "Array"],
            "data": [2, 2]}}, {{"type_key": "Array", "data": [3]}}, {{"type_key": "relay.Constant", "attrs": {{"data": "0"}}}}],
            "b64ndarrays": ["P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAEBAQABAAAAAAAAAAEAAAAAAAAAAQ=="]}}"#
        );
        assert_eq!(lower(&good), 1, "a constant is no dtype");
        for at in program.len()..good.len() {
            for byte in [b'0', b'9', b'"', b'{', b']', b'/', b' '] {
                let mut text = good.clone().into_bytes();
                text[at] = byte;
                lower(std::str::from_utf8(&text).expect("ASCII"));
            }
        }
        // A list of itself, many times over.
        let itself = vec!["2"; 1000].join(", ");
        let round = format!(
            r#"{program}{{"root": 1, "nodes": [0, {{"type_key": "Map", "keys": ["Array"], "data": [2]}},
            {{"type_key": "Array", "data": [{itself}]}}]}}"#
        );
        assert_eq!(lower(&round), 2);
        assert_eq!(lower(&format!("{program}{}", "[".repeat(100_000))), 1);
    }

    #[test]
    fn a_reference_may_stand_anywhere() {
        for text in [
            "relation R(§, Tensor[(§, ..§), float32]) :- § = §, if (§ < §) { R(§) } else { true }.",
            "def @f(%x: § = 3, %y: Tensor[(§[0], max(§, 2)), §]) -> § where R(§) { § }",
            "match (§) { § => §, %x: § => § }\nlet %a: § = §; §(§) |> § . 0",
            "type T[A] { C(§), D : (§) -> § }\nfree_var %x: §; fn (%a: §) -> § { let %b: § = §; ref(§) := !§ }",
            "if (§) { § } else { -§ + [§, §] }; @f<§>(§, a=§) (§, §) `V(§)",
        ] {
            for reference in
                ["meta[relay.Constant][0]", "meta[IntImm][0]", "meta[Any][7]", "meta[", "meta[]", "meta[x]["]
            {
                crate::lower(
                    &syntax::parse(&text.replace('§', reference), base::Surface::Relay).tree,
                    crate::Module::default(),
                );
            }
        }
    }

    #[test]
    fn base64_is_what_the_rfc_says() {
        for (text, bytes) in
            [("", &b""[..]), ("Zg==", b"f"), ("Zm8=", b"fo"), ("Zm9v", b"foo"), ("Zm9vYmFy", b"foobar")]
        {
            assert_eq!(base64(text).as_deref(), Some(bytes));
        }
        assert!(["Z", "Zg", "Z===", "Zm9v!", "Zm=v", "Zm 9v"].iter().all(|text| base64(text).is_none()));
    }
}
