//! The languages that a text may be written in.

/// A lexer, a grammar and a printer; past the tree all of them are one language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Relay's text format and the notation of its papers: `def`, sigils, braces.
    #[default]
    Relay,
    /// Anonymous sums, `let … in` and `match … with`.
    Refine,
    /// Layers and pipes: `node`, `weights`, `graph`.
    TensorScript,
}

impl Surface {
    pub const ALL: [Surface; 3] = [Surface::Relay, Surface::Refine, Surface::TensorScript];

    /// What stands behind `#lang`.
    pub fn name(self) -> &'static str {
        match self {
            Surface::Relay => "relay",
            Surface::Refine => "refine",
            Surface::TensorScript => "tensorscript",
        }
    }

    /// What stands behind the dot of a file's name.
    fn extension(self) -> &'static str {
        match self {
            Surface::Relay | Surface::Refine => self.name(),
            Surface::TensorScript => "trs",
        }
    }

    pub fn of_name(name: &str) -> Option<Surface> {
        Surface::ALL.into_iter().find(|surface| surface.name() == name)
    }

    /// What a file's name says; Relay's if it says nothing.
    ///
    /// ```
    /// use base::Surface;
    /// assert_eq!(Surface::of_file("a/tree.refine"), Surface::Refine);
    /// assert_eq!(Surface::of_file("net.trs"), Surface::TensorScript);
    /// assert_eq!(Surface::of_file("-"), Surface::Relay);
    /// ```
    pub fn of_file(file: &str) -> Surface {
        let found = file
            .rsplit_once('.')
            .and_then(|(_, extension)| Surface::ALL.into_iter().find(|surface| surface.extension() == extension));
        found.unwrap_or_default()
    }
}
