//! The bytes of a value.

use serde::Serialize;
use serde::ser::{Error, Impossible, SerializeSeq, SerializeStruct, SerializeTuple, Serializer};
use std::fmt::Display;

/// What `object.js` reads.
pub fn bytes<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut bytes = Bytes::default();
    let Ok(()) = value.serialize(&mut bytes);
    bytes.written
}

#[repr(u8)]
enum Tag {
    Undefined,
    False,
    True,
    Natural,
    Float,
    String,
    List,
    Object,
}

#[derive(Default)]
struct Bytes {
    written: Vec<u8>,
    /// Names of fields, by where they are: each stands at one place of the program.
    names: Vec<&'static str>,
}

/// What there is of failures to write bytes.
#[derive(Debug)]
enum Never {}

impl Display for Never {
    fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Never {}

impl Error for Never {
    fn custom<T: Display>(_: T) -> Never {
        unreachable!("no view refuses to be written")
    }
}

impl Bytes {
    #[inline(never)]
    fn tag(&mut self, tag: Tag) {
        self.written.push(tag as u8);
    }

    #[inline(never)]
    fn natural(&mut self, mut number: usize) {
        while number > 127 {
            self.written.push(number as u8 | 128);
            number >>= 7;
        }
        self.written.push(number as u8);
    }

    #[inline(never)]
    fn tagged(&mut self, tag: Tag, number: usize) {
        self.tag(tag);
        self.natural(number);
    }

    #[inline(never)]
    fn text(&mut self, text: &str) {
        self.natural(text.len());
        self.written.extend_from_slice(text.as_bytes());
    }

    #[inline(never)]
    fn name(&mut self, name: &'static str) {
        let known = self.names.iter().position(|&known| std::ptr::eq(known, name));
        self.natural(known.unwrap_or(self.names.len()));
        if known.is_none() {
            self.names.push(name);
            self.text(name);
        }
    }
}

type Nothing = Result<(), Never>;

impl Serializer for &mut Bytes {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Impossible<(), Never>;
    type SerializeTupleVariant = Impossible<(), Never>;
    type SerializeMap = Impossible<(), Never>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), Never>;

    fn serialize_bool(self, value: bool) -> Nothing {
        self.tag(if value { Tag::True } else { Tag::False });
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Nothing {
        self.serialize_u32(value.into())
    }

    fn serialize_u16(self, value: u16) -> Nothing {
        self.serialize_u32(value.into())
    }

    fn serialize_u32(self, value: u32) -> Nothing {
        self.tagged(Tag::Natural, value as usize);
        Ok(())
    }

    fn serialize_u64(self, _: u64) -> Nothing {
        absent("an integer of 64 bits")
    }

    fn serialize_i8(self, value: i8) -> Nothing {
        self.serialize_f64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Nothing {
        self.serialize_f64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Nothing {
        self.serialize_f64(value.into())
    }

    fn serialize_i64(self, _: i64) -> Nothing {
        absent("an integer of 64 bits")
    }

    fn serialize_f32(self, value: f32) -> Nothing {
        self.serialize_f64(value.into())
    }

    #[inline(never)]
    fn serialize_f64(self, value: f64) -> Nothing {
        self.tag(Tag::Float);
        self.written.extend_from_slice(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_char(self, value: char) -> Nothing {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline(never)]
    fn serialize_str(self, value: &str) -> Nothing {
        self.tag(Tag::String);
        self.text(value);
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Nothing {
        absent("bytes")
    }

    fn serialize_none(self) -> Nothing {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Nothing {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Nothing {
        self.tag(Tag::Undefined);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Nothing {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Nothing {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Nothing {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Nothing {
        absent("an enum with values")
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, Never> {
        match length {
            Some(length) => self.serialize_tuple(length),
            None => absent("a list of unknown length"),
        }
    }

    fn serialize_tuple(self, length: usize) -> Result<Self, Never> {
        self.tagged(Tag::List, length);
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Never>, Never> {
        absent("a struct without names")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Never>, Never> {
        absent("an enum with values")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Impossible<(), Never>, Never> {
        absent("a map")
    }

    fn serialize_struct(self, _: &'static str, n_fields: usize) -> Result<Self, Never> {
        self.tagged(Tag::Object, n_fields);
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Never>, Never> {
        absent("an enum with values")
    }
}

/// Where a view would have something that this cannot write, which shows the first time that it is written.
fn absent(what: &str) -> ! {
    unreachable!("views have no {what}")
}

impl SerializeSeq for &mut Bytes {
    type Ok = ();
    type Error = Never;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Nothing {
        value.serialize(&mut **self)
    }

    fn end(self) -> Nothing {
        Ok(())
    }
}

impl SerializeTuple for &mut Bytes {
    type Ok = ();
    type Error = Never;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Nothing {
        value.serialize(&mut **self)
    }

    fn end(self) -> Nothing {
        Ok(())
    }
}

impl SerializeStruct for &mut Bytes {
    type Ok = ();
    type Error = Never;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Nothing {
        self.name(name);
        value.serialize(&mut **self)
    }

    fn end(self) -> Nothing {
        Ok(())
    }
}
