//! JSON as a value, for what comes in a program's text (RFC 8259).
//!
//! The reader keeps its own stack, and refuses what is nested deeper than anything a program is written with, since a
//! value is dropped by recursion. A number stays the text that it is; a name that comes twice in an object is found
//! where it stands first.
//!
//! Worked example: `{"a": [1, "b"]}` reads as `Object([("a", List([Number("1"), Text("b")]))])`, and `[1,]` ends with
//! "a value is missing" at its byte 3.

/// Lists and objects nest at most this deep.
const MAX_DEPTH: usize = 128;

#[derive(Debug, Default, PartialEq)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// What stands under a name of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(fields) = self else { return None };
        fields.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// What stands at a place of a list.
    pub fn at(&self, place: usize) -> Option<&Json> {
        self.list()?.get(place)
    }

    pub fn list(&self) -> Option<&[Json]> {
        if let Json::List(items) = self { Some(items) } else { None }
    }

    pub fn text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    /// A place or a number of something; one beyond all memory is the last that there could be.
    pub fn place(&self) -> Option<usize> {
        let Json::Number(digits) = self else { return None };
        base::parse_u64(digits).map(|place| usize::try_from(place).unwrap_or(usize::MAX))
    }
}

/// Where a text stops being JSON, in bytes, and why.
#[derive(Debug, PartialEq)]
pub struct Fault {
    pub at: usize,
    pub words: &'static str,
}

/// A list or an object of which the end has not come yet, with the name of the field that is being read.
enum Open {
    List(Vec<Json>),
    Object(Vec<(String, Json)>, String),
}

/// The value that is the whole text.
pub fn read(text: &str) -> Result<Json, Fault> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value().map_err(|words| Fault { at: reader.at, words })?;
    if reader.peek().is_some() {
        return Err(Fault { at: reader.at, words: "something stands behind its end" });
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    /// The next byte behind spaces.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes a byte if it is the next.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self) -> Result<Json, &'static str> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut value = match self.peek() {
                Some(b'[' | b'{') if open.len() == MAX_DEPTH => return Err("it is nested too deeply"),
                Some(b'[') => {
                    self.at += 1;
                    if !self.take(b']') {
                        open.push(Open::List(Vec::new()));
                        continue;
                    }
                    Json::List(Vec::new())
                }
                Some(b'{') => {
                    self.at += 1;
                    if !self.take(b'}') {
                        open.push(Open::Object(Vec::new(), self.name()?));
                        continue;
                    }
                    Json::Object(Vec::new())
                }
                _ => self.leaf()?,
            };
            // A value ends what it is the last of.
            loop {
                let Some(outer) = open.pop() else { return Ok(value) };
                match outer {
                    Open::List(mut items) => {
                        items.push(value);
                        if self.take(b',') {
                            open.push(Open::List(items));
                            break;
                        }
                        if !self.take(b']') {
                            return Err("expected `,` or `]`");
                        }
                        value = Json::List(items);
                    }
                    Open::Object(mut fields, name) => {
                        fields.push((name, value));
                        if self.take(b',') {
                            open.push(Open::Object(fields, self.name()?));
                            break;
                        }
                        if !self.take(b'}') {
                            return Err("expected `,` or `}`");
                        }
                        value = Json::Object(fields);
                    }
                }
            }
        }
    }

    /// The name of a field, up to its value.
    fn name(&mut self) -> Result<String, &'static str> {
        if self.peek() != Some(b'"') {
            return Err("expected the name of a field in quotes");
        }
        let name = self.string()?;
        if self.take(b':') { Ok(name) } else { Err("expected `:`") }
    }

    fn leaf(&mut self) -> Result<Json, &'static str> {
        if self.peek() == Some(b'"') {
            return self.string().map(Json::Text);
        }
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || base::has("+-.", byte)).count();
        let value = match &rest[..length] {
            "" => return Err("a value is missing"),
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            word if is_number(word.as_bytes()) => Json::Number(word.to_owned()),
            _ => return Err("this is no value"),
        };
        self.at += length;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, &'static str> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let n_plain = rest.bytes().take_while(|&byte| byte >= 32 && byte != b'"' && byte != b'\\').count();
            out.push_str(&rest[..n_plain]);
            self.at += n_plain;
            match self.text.as_bytes().get(self.at) {
                None => return Err("a string has no end"),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape().ok_or("this means no character")?),
                Some(_) => return Err("a string has a control character"),
            }
        }
    }

    /// The character that an escape stands for; those beyond 16 bits are two escapes.
    fn escape(&mut self) -> Option<char> {
        let letter = *self.text.as_bytes().get(self.at + 1)?;
        let plain = match letter {
            b'"' | b'\\' | b'/' => letter,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let high = self.unit(self.at)?;
                self.at += 6;
                if high & 0xfc00 != 0xd800 {
                    return char::from_u32(high);
                }
                let low = self.unit(self.at).filter(|low| low & 0xfc00 == 0xdc00)?;
                self.at += 6;
                return char::from_u32(0x1_0000 + ((high & 0x3ff) << 10 | low & 0x3ff));
            }
            _ => return None,
        };
        self.at += 2;
        Some(char::from(plain))
    }

    /// The number in `\u12ab`, which stands at a byte.
    fn unit(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        base::parse_digits(digits.as_bytes(), 16).map(|unit| unit as u32)
    }
}

/// `-`, digits without a zero before them, a fraction and an exponent.
fn is_number(word: &[u8]) -> bool {
    let after_digits = |word: &'_ [u8]| word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut rest = word.strip_prefix(b"-").unwrap_or(word);
    let n_digits = after_digits(rest);
    if n_digits == 0 || (n_digits > 1 && rest[0] == b'0') {
        return false;
    }
    rest = &rest[n_digits..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let n_digits = after_digits(fraction);
        if n_digits == 0 {
            return false;
        }
        rest = &fraction[n_digits..];
    }
    if let Some(power) = rest.strip_prefix(b"e").or(rest.strip_prefix(b"E")) {
        let power = power.strip_prefix(b"-").or(power.strip_prefix(b"+")).unwrap_or(power);
        let n_digits = after_digits(power);
        return n_digits > 0 && n_digits == power.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn same(own: &Json, other: &Value) -> bool {
        match (own, other) {
            (Json::Null, Value::Null) => true,
            (Json::Bool(a), Value::Bool(b)) => a == b,
            (Json::Number(a), Value::Number(b)) => a.parse::<f64>().ok() == b.as_f64(),
            (Json::Text(a), Value::String(b)) => a == b,
            (Json::List(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
            (Json::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
            }
            _ => false,
        }
    }

    #[test]
    fn texts_read_as_another_reader_reads_them() {
        let texts = [
            r#"{"root": 1, "nodes": [{"type_key": ""}, {"keys": ["a"], "data": [2, 3]}], "b64ndarrays": []}"#,
            "null",
            " [ ] ",
            "{}",
            "[true, false, null, 0, -0, 1.5e-3, -12E+4, 10]",
            r#""\"\\\/\b\f\n\r\té😀 ü""#,
            r#"{"a": {"b": [[[]]]}, "c": ""}"#,
            // From here on, none of these is JSON.
            "",
            " ",
            "[1,]",
            "[,1]",
            "{\"a\" 1}",
            "{\"a\":1,}",
            "{a:1}",
            "[1 2]",
            "[1",
            "{\"a\":",
            "\"abc",
            "\"\n\"",
            r#""\ud83d""#,
            r#""\ud83dA""#,
            r#""\udc00""#,
            r#""\u+123""#,
            r#""\x""#,
            r#""\u12""#,
            "01",
            "1.",
            ".5",
            "-",
            "+1",
            "1e",
            "1e+",
            "nul",
            "nan",
            "truefalse",
            "1 1",
            "{} {}",
            "\"\\ü\"",
            "]",
            "ü",
        ];
        for text in texts {
            match (read(text), text.parse::<Value>()) {
                (Ok(own), Ok(other)) => assert!(same(&own, &other), "{text}: {own:?}"),
                (Err(fault), Err(_)) => assert!(fault.at <= text.len() && text.is_char_boundary(fault.at), "{text}"),
                (own, other) => panic!("{text}: {own:?}, {other:?}"),
            }
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(read(&nested(100_000)), Err(Fault { at: MAX_DEPTH, words: "it is nested too deeply" }));
    }
}
