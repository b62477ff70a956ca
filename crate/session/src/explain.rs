//! The pages of the error codes.

/// Each code with its page in `doc/error`.
const PAGES: &[(&str, &str)] = &[
    ("arity-too-few", include_str!("../../../doc/error/arity-too-few.md")),
    ("arity-too-many", include_str!("../../../doc/error/arity-too-many.md")),
    ("attribute-error", include_str!("../../../doc/error/attribute-error.md")),
    ("bad-metadata", include_str!("../../../doc/error/bad-metadata.md")),
    ("bad-number", include_str!("../../../doc/error/bad-number.md")),
    ("bad-version", include_str!("../../../doc/error/bad-version.md")),
    ("broadcast-incompatible", include_str!("../../../doc/error/broadcast-incompatible.md")),
    ("constant-form", include_str!("../../../doc/error/constant-form.md")),
    ("constructor-result", include_str!("../../../doc/error/constructor-result.md")),
    ("dim-function", include_str!("../../../doc/error/dim-function.md")),
    ("division-by-zero", include_str!("../../../doc/error/division-by-zero.md")),
    ("dtype-mismatch", include_str!("../../../doc/error/dtype-mismatch.md")),
    ("duplicate-constructor", include_str!("../../../doc/error/duplicate-constructor.md")),
    ("duplicate-definition", include_str!("../../../doc/error/duplicate-definition.md")),
    ("duplicate-parameter", include_str!("../../../doc/error/duplicate-parameter.md")),
    ("empty-tensor", include_str!("../../../doc/error/empty-tensor.md")),
    ("extern-with-constructors", include_str!("../../../doc/error/extern-with-constructors.md")),
    ("free-variable", include_str!("../../../doc/error/free-variable.md")),
    ("index-out-of-range", include_str!("../../../doc/error/index-out-of-range.md")),
    ("input-error", include_str!("../../../doc/error/input-error.md")),
    ("literal-out-of-range", include_str!("../../../doc/error/literal-out-of-range.md")),
    ("match-not-exhaustive", include_str!("../../../doc/error/match-not-exhaustive.md")),
    ("meta-reference", include_str!("../../../doc/error/meta-reference.md")),
    ("nesting-too-deep", include_str!("../../../doc/error/nesting-too-deep.md")),
    ("no-arm-matches", include_str!("../../../doc/error/no-arm-matches.md")),
    ("no-clause", include_str!("../../../doc/error/no-clause.md")),
    ("no-kernel", include_str!("../../../doc/error/no-kernel.md")),
    ("not-a-function", include_str!("../../../doc/error/not-a-function.md")),
    ("not-a-tuple", include_str!("../../../doc/error/not-a-tuple.md")),
    ("not-polymorphic", include_str!("../../../doc/error/not-polymorphic.md")),
    ("not-yet", include_str!("../../../doc/error/not-yet.md")),
    ("occurs-check", include_str!("../../../doc/error/occurs-check.md")),
    ("out-of-fuel", include_str!("../../../doc/error/out-of-fuel.md")),
    ("out-of-memory", include_str!("../../../doc/error/out-of-memory.md")),
    ("pattern-arity", include_str!("../../../doc/error/pattern-arity.md")),
    ("ragged-tensor", include_str!("../../../doc/error/ragged-tensor.md")),
    ("rank-mismatch", include_str!("../../../doc/error/rank-mismatch.md")),
    ("relation-check", include_str!("../../../doc/error/relation-check.md")),
    ("relation-not-assumed", include_str!("../../../doc/error/relation-not-assumed.md")),
    ("relation-termination", include_str!("../../../doc/error/relation-termination.md")),
    ("runtime-shape", include_str!("../../../doc/error/runtime-shape.md")),
    ("self-reference", include_str!("../../../doc/error/self-reference.md")),
    ("string-expression", include_str!("../../../doc/error/string-expression.md")),
    ("syntax-error", include_str!("../../../doc/error/syntax-error.md")),
    ("tuple-index-out-of-range", include_str!("../../../doc/error/tuple-index-out-of-range.md")),
    ("type-argument-count", include_str!("../../../doc/error/type-argument-count.md")),
    ("type-if", include_str!("../../../doc/error/type-if.md")),
    ("type-mismatch", include_str!("../../../doc/error/type-mismatch.md")),
    ("typed-hole", include_str!("../../../doc/error/typed-hole.md")),
    ("unbound-variable", include_str!("../../../doc/error/unbound-variable.md")),
    ("undefined-global", include_str!("../../../doc/error/undefined-global.md")),
    ("undefined-type", include_str!("../../../doc/error/undefined-type.md")),
    ("under-constrained", include_str!("../../../doc/error/under-constrained.md")),
    ("unknown-character", include_str!("../../../doc/error/unknown-character.md")),
    ("unknown-constructor", include_str!("../../../doc/error/unknown-constructor.md")),
    ("unknown-dim-function", include_str!("../../../doc/error/unknown-dim-function.md")),
    ("unknown-kind", include_str!("../../../doc/error/unknown-kind.md")),
    ("unknown-operator", include_str!("../../../doc/error/unknown-operator.md")),
    ("unknown-relation", include_str!("../../../doc/error/unknown-relation.md")),
    ("unreachable-arm", include_str!("../../../doc/error/unreachable-arm.md")),
    ("unterminated-comment", include_str!("../../../doc/error/unterminated-comment.md")),
    ("unterminated-string", include_str!("../../../doc/error/unterminated-string.md")),
    ("where-needs-def", include_str!("../../../doc/error/where-needs-def.md")),
    ("wrong-kind", include_str!("../../../doc/error/wrong-kind.md")),
];

/// The Markdown page of a code.
pub fn explain(code: &str) -> Option<&'static str> {
    PAGES.iter().find(|(name, _)| *name == code).map(|(_, page)| *page)
}

/// Every code that has a page.
pub fn codes() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(code, _)| *code)
}
