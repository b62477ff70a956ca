//! Rules in words.
//!
//! Relations that no operator has for itself, and those of the common operators, have a sentence here. What any other
//! operator asks for is said by the first sentence of its documentation, which a build without documentation leaves to
//! whoever has it, by the operator's name.

use base::{Join, ToList};
use op::OpId;
use ty::RelationRef;

/// What a relation demands. Empty if only the operator's documentation says.
pub(super) fn rule(relation: &RelationRef, operator: Option<OpId>) -> String {
    if let RelationRef::Written { .. } = relation {
        return "The clause whose head fits, whatever the unknowns turn out to be, must hold.".to_owned();
    }
    match sentence(relation.name()) {
        Some(sentence) => sentence.to_owned(),
        None => operator.map_or_else(String::new, |op| first_sentence(op.row().doc)),
    }
}

/// The words of a relation by its name, if they stand here.
pub fn sentence(name: &str) -> Option<&'static str> {
    Some(match name {
        "Equal" => "Both sides are one type.",
        "=" => "Both sides of the equation are one dim or one shape; with a single unknown in it, that is solved for.",
        "Copy" => {
            "The variable's type is a copy of the matched one, restricted to the pattern's variants; it may grow on its own."
        }
        "AtMost" => "The first size is no larger than the second.",
        "Divides" => "The first number divides the second without a remainder.",
        "Broadcast" => {
            "Shapes are aligned at their last axes; on each axis the sizes are equal or one of them is 1, and the result has the larger."
        }
        "BroadcastComp" => "Shapes broadcast as in a sum; the result's dtype is bool.",
        "BroadcastsTo" => "The first shape, stretched where its axes are 1 or missing, is the second.",
        "Identity" => "The result has the type of the operand.",
        "IdentityCompRel" => "The result has the shape of the operand, and the dtype bool.",
        "Dense" => {
            "The last axis of the data and the last axis of the weight are equal; the result's last axis is the weight's first."
        }
        "Matmul" | "BatchMatmul" => "The inner axes of the two operands are equal; the outer ones make the result.",
        "BiasAdd" => "The bias is as long as the data's axis that it is added along; the result is like the data.",
        "Conv1D" | "Conv2D" | "Conv3D" => {
            "The weight's input channels are the data's, divided by the groups; each spatial axis becomes ⌊(in + padding - reach) / stride⌋ + 1."
        }
        "MaxPool1D" | "MaxPool2D" | "MaxPool3D" | "AvgPool1D" | "AvgPool2D" | "AvgPool3D" => {
            "Each pooled axis becomes the number of windows that fit on it; the others stay."
        }
        "Fits" => "The window fits on the padded axis.",
        "BatchFlatten" => "The first axis stays; the sizes of all others are multiplied.",
        "Reshape" => "The result has as many elements as the operand.",
        "Transpose" => "The result has the operand's axes in another order.",
        "Concatenate" => "The operands agree on all axes but one; on that one their sizes add up.",
        "Split" => "One axis is divided among the results.",
        "Reduce" => "The axes that are reduced go, or become 1 if they are kept.",
        "ExpandDims" => "Axes of size 1 are added.",
        "Squeeze" => "Axes of size 1 go.",
        "StridedSlice" => "Each axis that is cut becomes as long as the cut.",
        "Softmax" => "The result has the type of the operand, which has that axis.",
        "BatchNorm" | "LayerNorm" | "InstanceNorm" | "GroupNorm" => {
            "The parameters are as long as the axis that is normalised; the result is like the data."
        }
        "Dropout" => "The result is a pair of the operand's type, twice.",
        "Full" | "InitOp" => "The result has the shape and the dtype that the attributes say.",
        "FullLike" => "The result has the type of the first operand.",
        "Cast" => "The result has the shape of the operand, and the dtype that the attribute says.",
        "Where" => "The three operands broadcast together; the last two have one dtype.",
        "Take" => "The indices' shape stands in the place of the axis that is indexed.",
        "TupleGetItem" => "The result has the type of that field of the tuple.",
        "PerAxis" | "PerChannel" | "PerUnit" => {
            "There is one number for the whole tensor, or one for each place of the axis."
        }
        _ => return None,
    })
}

/// The first sentence of a documentation, on one line.
pub fn first_sentence(doc: &str) -> String {
    let mut text = doc.trim_ascii_start();
    for end in ["```", "\n\n"] {
        text = base::cut(text, end).map_or(text, |(before, _)| before);
    }
    let words: Vec<&str> = base::words(text).list();
    // A sentence ends before a capital.
    let starts = |word: &str| word.chars().next().is_some_and(|c| c.is_ascii_uppercase() || c == '`');
    let ends = (1..words.len()).find(|&at| words[at - 1].ends_with('.') && starts(words[at]));
    words[..ends.unwrap_or(words.len())].joined(" ")
}
