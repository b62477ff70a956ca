//! The attributes of one operator call, checked and with their defaults filled in.

use crate::Function;
use base::ToList;

/// One attribute's value, as the text can write it.
#[derive(Clone, Debug, PartialEq)]
pub enum AttrValue {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Box<str>),
    List(Vec<AttrValue>),
    /// Of [`FUNCTION`](crate::FUNCTION) alone; no text writes it.
    Function(Box<Function>),
}

impl AttrValue {
    pub fn as_int(&self) -> Option<i64> {
        match self {
            AttrValue::Int(value) => Some(*value),
            AttrValue::Bool(value) => Some(i64::from(*value)),
            AttrValue::None | AttrValue::Float(_) | AttrValue::Str(_) | AttrValue::List(_) | AttrValue::Function(_) => {
                None
            }
        }
    }

    /// A list of integers; a bare integer is a list of one.
    pub fn as_ints(&self) -> Option<Vec<i64>> {
        match self {
            AttrValue::List(items) => items.iter().map(AttrValue::as_int).some_list(),
            AttrValue::Int(value) => Some(vec![*value]),
            AttrValue::None | AttrValue::Bool(_) | AttrValue::Float(_) | AttrValue::Str(_) | AttrValue::Function(_) => {
                None
            }
        }
    }
}

impl std::fmt::Display for AttrValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AttrValue::None => f.write_str("None"),
            AttrValue::Bool(true) => f.write_str("True"),
            AttrValue::Bool(false) => f.write_str("False"),
            AttrValue::Int(value) => write!(f, "{value}"),
            AttrValue::Float(value) => write!(f, "{}f", base::shortest(*value, &base::FLOAT64)),
            AttrValue::Str(value) => write!(f, "\"{value}\""),
            AttrValue::Function(_) => Ok(()),
            AttrValue::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
        }
    }
}

/// Names and values in the order of the operator's row. The accessors return a neutral value for an attribute that
/// the row does not have or whose value has another form; the row's schema is checked before a relation sees it.
#[derive(Clone, Debug, Default)]
pub struct Attrs {
    pub entries: Vec<(&'static str, AttrValue)>,
    /// How many of the entries, by index, were written in the program; the others are defaults.
    pub written: Vec<bool>,
}

/// Equal values, whoever wrote them.
impl PartialEq for Attrs {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Attrs {
    pub fn get(&self, name: &str) -> &AttrValue {
        self.entries.iter().find(|(n, _)| *n == name).map_or(&AttrValue::None, |(_, value)| value)
    }

    /// The attributes of these names alone.
    pub fn only(&self, names: &[&str]) -> Attrs {
        let mut only = Attrs::default();
        for (entry, &written) in self.entries.iter().zip(&self.written) {
            if names.contains(&entry.0) {
                only.entries.push(entry.clone());
                only.written.push(written);
            }
        }
        only
    }

    pub fn int(&self, name: &str) -> Option<i64> {
        self.get(name).as_int()
    }

    pub fn flag(&self, name: &str) -> bool {
        self.int(name).is_some_and(|value| value != 0)
    }

    pub fn float(&self, name: &str) -> f64 {
        match self.get(name) {
            AttrValue::Float(value) => *value,
            AttrValue::Int(value) => *value as f64,
            AttrValue::None | AttrValue::Bool(_) | AttrValue::Str(_) | AttrValue::List(_) | AttrValue::Function(_) => {
                0.0
            }
        }
    }

    pub fn str(&self, name: &str) -> &str {
        match self.get(name) {
            AttrValue::Str(value) => value,
            AttrValue::None
            | AttrValue::Bool(_)
            | AttrValue::Int(_)
            | AttrValue::Float(_)
            | AttrValue::List(_)
            | AttrValue::Function(_) => "",
        }
    }

    /// The integers of a list attribute, `None` when the value is `None`.
    pub fn ints(&self, name: &str) -> Option<Vec<i64>> {
        self.get(name).as_ints()
    }

    /// A dtype attribute; `None` when it is empty, which means "as the data".
    pub fn dtype(&self, name: &str) -> Option<crate::Dtype> {
        crate::Dtype::parse(self.str(name))
    }
}
