//! Which operators become one. `l9` is of shape (2, 3), `l10` of (2, ?).

use super::texts::check;
use crate::pass::fuse;

#[test]
fn a_chain_and_a_tree_are_one() {
    check(
        fuse,
        "\
fn f0 main(%x: l9, %b: l9, %s: l8) -> l9 {
b0:
  v3: l9 = multiply(%x, %s)
  v4: l9 = exp(%b)
  fuel 3
  %y: l9 = add(v3, v4)
  v6: l9 = sigmoid(%y)
  v7: l9 = multiply(%y, v6)
  v8: l9 = clip(v7, a_min=0f, a_max=6f)
  return v8
}
",
        "\
fn f0 main(%x: l9, %b: l9, %s: l8) -> l9 {
b0:
  fuel 3
  v8: l9 = fused(%x, %s, %b) { s0 = multiply(%x, %s); s1 = exp(%b); s2 = add(s0, s1); s3 = sigmoid(s2); \
s4 = multiply(s2, s3); s5 = clip(s4, a_min=0.0f, a_max=6.0f) }
  return v8
}
",
    );
}

/// `%a` is used outside too, scalars alone are computed in the machine's registers, and a softmax looks at whole rows.
#[test]
fn what_others_use_and_scalars_stay() {
    let text = |sum: &str| {
        format!(
            "\
fn f0 main(%x: l9, %s: l8, %o: l10) -> l9 {{
b0:
  v3: l8 = exp(%s)
  %a: l9 = multiply(%x, v3)
  %b: l9 = negative(%a)
{sum}
  v8: l9 = nn.softmax(v7)
  v9: l9 = nn.relu(v8)
  v10: l9 = nn.dense(v9, %b)
  return v10
}}
"
        )
    };
    check(
        fuse,
        &text("  v6: l10 = add(%o, %o)\n  v7: l9 = add(%a, v6)"),
        &text("  v7: l9 = fused(%o, %a) { s0 = add(%o, %o); s1 = add(%a, s0) }"),
    );
}

/// A sum comes last in its group, and what reads it is another one's. A shape that is another one is none to the group.
#[test]
fn what_is_reduced_is_made_on_the_way() {
    check(
        fuse,
        "\
fn f0 main(%x: l9, %b: l9) -> l9 {
b0:
  v2: l9 = exp(%x)
  v3: l9 = reshape(v2, newshape=[3, 2])
  v4: l9 = add(v3, %b)
  v5: l9 = sum(v4, axis=1, keepdims=True)
  v6: l9 = sqrt(v5)
  v7: l9 = negative(v6)
  return v7
}
",
        "\
fn f0 main(%x: l9, %b: l9) -> l9 {
b0:
  v5: l9 = fused(%x, %b) { s0 = exp(%x); s1 = reshape(s0, newshape=[3, 2]); s2 = add(s1, %b); \
s3 = sum(s2, axis=1, keepdims=True) }
  v7: l9 = fused(v5) { s0 = sqrt(v5); s1 = negative(s0) }
  return v7
}
",
    );
}

/// A sum of known sizes has nothing to say, so it moves behind a `check`, but not behind a call, which may go deep.
/// What can fail stays before what is seen.
#[test]
fn what_can_fail_stays_before_what_is_seen() {
    check(
        fuse,
        "\
fn f0 step(%x: l9) -> l9 {
b0:
  return %x
}

fn f1 main(%x: l9, %o: l10) -> l10 {
b0:
  v2: l9 = exp(%x)
  v3: l10 = exp(%o)
  check \"%o\" [2, 3] %o
  v4: l9 = negative(v2)
  v5: l10 = negative(v3)
  v6: l10 = abs(v5)
  v7: l9 = abs(v4)
  v8: l9 = call step(%x)
  v9: l9 = add(v7, v8)
  v10: l10 = add(v9, v6)
  return v10
}
",
        "\
fn f0 step(%x: l9) -> l9 {
b0:
  return %x
}

fn f1 main(%x: l9, %o: l10) -> l10 {
b0:
  v3: l10 = exp(%o)
  check \"%o\" [2, 3] %o
  v6: l10 = fused(v3) { s0 = negative(v3); s1 = abs(s0) }
  v7: l9 = fused(%x) { s0 = exp(%x); s1 = negative(s0); s2 = abs(s1) }
  v8: l9 = call step(%x)
  v10: l10 = fused(v7, v8, v6) { s0 = add(v7, v8); s1 = add(s0, v6) }
  return v10
}
",
    );
}

/// What is made of attributes alone cannot fail, and stands in nobody's way.
#[test]
fn what_is_made_meanwhile_keeps_nothing_apart() {
    check(
        fuse,
        "\
fn f0 main(%o: l10) -> l10 {
b0:
  v1: l10 = exp(%o)
  v2: l9 = zeros(shape=[2, 3])
  v3: l10 = add(v1, v2)
  return v3
}
",
        "\
fn f0 main(%o: l10) -> l10 {
b0:
  v2: l9 = zeros(shape=[2, 3])
  v3: l10 = fused(%o, v2) { s0 = exp(%o); s1 = add(s0, v2) }
  return v3
}
",
    );
}

/// A product comes with what reads its result, but what it reads itself stays outside; there is one of them in a group.
#[test]
fn what_goes_over_a_product_is_one_with_it() {
    check(
        fuse,
        "\
fn f0 main(%x: l9, %w: l9, %b: l9) -> l9 {
b0:
  v3: l9 = nn.relu(%x)
  v4: l9 = nn.dense(v3, %w)
  v5: l9 = nn.matmul(%x, %x)
  v6: l9 = add(v4, v5)
  v7: l9 = add(%b, v6)
  v8: l9 = sigmoid(v7)
  v9: l9 = nn.dense(v8, v8)
  return v9
}
",
        "\
fn f0 main(%x: l9, %w: l9, %b: l9) -> l9 {
b0:
  v3: l9 = nn.relu(%x)
  v4: l9 = nn.dense(v3, %w)
  v8: l9 = fused(%x, v4, %b) { s0 = nn.matmul(%x, %x); s1 = add(v4, s0); s2 = add(%b, s1); s3 = sigmoid(s2) }
  v9: l9 = nn.dense(v8, v8)
  return v9
}
",
    );
}
