//! The one door of these tests.
#![allow(dead_code, reason = "each test file uses its part")]

use base::{Surface, apply};
use syntax::{Event, Parse, TokenId, TokenKind, format, parse};

/// The tree on one line: nodes in parentheses, significant tokens as they are.
pub fn tree(parse: &Parse) -> String {
    let tree = &parse.tree;
    let mut out = String::new();
    let mut next = 0;
    for event in tree.walk(tree.root()) {
        let (node, enters) = match event {
            Event::Enter(node) => (node, true),
            Event::Leave(node) => (node, false),
        };
        let range = tree.span(node);
        let until = if enters { range.start } else { range.end };
        while let Some(token) = tree.token_at(next).filter(|_| next < until) {
            next = tree.token_span(token).end;
            if !tree.token_kind(token).is_trivia() {
                out.push(' ');
                out.push_str(tree.token_text(token));
            }
        }
        if enters {
            out.push_str(&format!(" ({:?}", tree.kind(node)));
        } else {
            out.push(')');
        }
    }
    out.trim_start().to_owned()
}

/// The mistakes, one a line: code, the text it points at, message, labels, and the text that applying the fix gives.
pub fn errors(text: &str) -> Vec<String> {
    parse(text, Surface::Relay)
        .errors
        .iter()
        .map(|error| {
            let said = error.diagnostic();
            let mut line = format!("{} `{}` {}", said.code, &text[said.span.range()], said.message);
            for label in &said.labels {
                line.push_str(&format!("; `{}` {}", &text[label.span.range()], label.message));
            }
            for fix in &said.fixes {
                let fixed = apply(text, &fix.edits);
                let again = parse(&fixed, Surface::Relay).errors.len();
                line.push_str(&format!("; {}: {}", fix.title, if again == 0 { "good" } else { "not enough" }));
            }
            line
        })
        .collect()
}

/// Formats a text and checks everything that is promised of the result.
pub fn formatted(text: &str) -> String {
    let before = parse(text, Surface::Relay);
    let once = format(&before);
    if !before.errors.is_empty() {
        assert_eq!(once, text);
        return once;
    }
    let after = parse(&once, Surface::Relay);
    assert!(after.errors.is_empty(), "formatting broke\n{text}\nto\n{once}");
    assert_eq!(tree(&before), tree(&after), "{text}\nbecame\n{once}");
    assert_eq!(comments(&before), comments(&after), "{text}\nbecame\n{once}");
    let twice = format(&after);
    assert_eq!(once, twice, "{text}\nis not stable");
    once
}

fn comments(parse: &Parse) -> Vec<&str> {
    let tree = &parse.tree;
    let tokens = (0..tree.n_tokens() as u32).map(TokenId::numbered);
    let comments = tokens.filter(|&token| tree.token_kind(token) == TokenKind::Comment);
    comments.map(|token| tree.token_text(token).trim_end()).collect()
}

/// A text with other space and comments between its tokens. Those that touched mostly still do.
pub fn shaken(text: &str, kinds: &[&str], gaps: &[(u8, u8)]) -> String {
    let parse = parse(text, Surface::Relay);
    let tree = &parse.tree;
    let mut out = String::new();
    let mut touches = true;
    let mut next_gap = gaps.iter().cycle();
    for token in (0..tree.n_tokens() as u32).map(TokenId::numbered) {
        if tree.token_kind(token).is_trivia() {
            touches = false;
            continue;
        }
        let &(choice, rarely) = next_gap.next().expect("there are gaps");
        if !touches || rarely < 8 {
            // Most gaps are spaces, so that not everything is broken anyway.
            let place = if rarely < 128 { 0 } else { choice as usize % kinds.len() };
            out.push_str(if rarely < 8 { kinds[choice as usize % kinds.len()] } else { kinds[place] });
        }
        touches = true;
        out.push_str(tree.token_text(token));
    }
    out
}

/// A text as one of another surface.
pub fn tensorscript(text: &str) -> String {
    format!("#lang tensorscript\n{text}")
}

/// The same.
pub fn refine(text: &str) -> String {
    format!("#lang refine\n{text}")
}

/// The programs of the recorded facts of that surface.
pub fn refine_programs() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("there are facts");
    let facts = read("refine.jsonl") + &read("refine_generated.jsonl");
    let programs = facts.lines().map(|line| {
        let fact: serde_json::Value = serde_json::from_str(line).expect("a fact is JSON");
        refine(fact["program"].as_str().expect("a fact has a program"))
    });
    programs.collect()
}

/// Whole programs of TensorScript.
pub const NETS: [&str; 3] =
    [include_str!("../nets/digits.trs"), include_str!("../nets/forger.trs"), include_str!("../nets/xor.trs")];
