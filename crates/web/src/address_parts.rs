//! How addresses are declared: once, with their path and what their query says. Reading and writing follow from that.

use super::forms::FormFields;
use form_urlencoded::Serializer;
use std::fmt::{Display, Write as _};

/// A part of a path that differs from address to address.
pub(super) trait PathPart: Display + Sized {
    /// Reads it from a segment.
    ///
    /// # Errors
    /// Says what is not there.
    fn read(segment: &str) -> Result<Self, String>;
}

/// What stands behind the question mark: the value of a key, or of several. What has no value is not written.
pub(super) trait QueryPart: Sized {
    /// Reads it from a query.
    ///
    /// # Errors
    /// Names the value that is not one.
    fn read(query: &FormFields, key: &str) -> Result<Self, String>;

    /// Writes it into a query.
    fn write(&self, key: &str, query: &mut Serializer<'_, String>);
}

/// A number of an address.
pub(super) trait WholeNumber: Display + std::str::FromStr {}

impl WholeNumber for u32 {}
impl WholeNumber for u64 {}

impl<N: WholeNumber> QueryPart for Option<N> {
    fn read(query: &FormFields, key: &str) -> Result<Self, String> {
        let given = query.find(key).filter(|given| !given.is_empty());
        let read = |given: &str| {
            given.parse().map_err(|_| format!("{key} {given:?}: expected a whole number from 0 on"))
        };
        given.map(read).transpose()
    }

    fn write(&self, key: &str, query: &mut Serializer<'_, String>) {
        if let Some(number) = self {
            query.append_pair(key, &number.to_string());
        }
    }
}

impl QueryPart for u32 {
    /// Without a value it is 0.
    fn read(query: &FormFields, key: &str) -> Result<Self, String> {
        Ok(Option::read(query, key)?.unwrap_or_default())
    }

    fn write(&self, key: &str, query: &mut Serializer<'_, String>) {
        Some(*self).write(key, query);
    }
}

impl QueryPart for String {
    fn read(query: &FormFields, key: &str) -> Result<Self, String> {
        Ok(query.value(key).to_owned())
    }

    fn write(&self, key: &str, query: &mut Serializer<'_, String>) {
        if !self.is_empty() {
            query.append_pair(key, self);
        }
    }
}

/// Joins the segments of a path.
pub(super) fn path_of_segments(segments: &[&dyn Display]) -> String {
    segments.iter().fold(String::new(), |mut path, segment| {
        // Writing to a text does not fail.
        let _ = write!(path, "/{segment}");
        path
    })
}

/// In which form a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageForm {
    /// For people.
    Html,
    /// For programs: `.json` at the end of the path.
    Json,
    /// Its tables: `.csv` at the end of the path.
    Csv,
    /// What would be played again: `.toml` at the end of the path.
    Toml,
}

impl PageForm {
    /// Returns the form that the end of a path names, and the path without it. Names of bots have dots, so that a last `.html` only says that
    /// what is before belongs to the name.
    pub(super) fn split(path: &str) -> (&str, Self) {
        let ends = [(".json", Self::Json), (".csv", Self::Csv), (".toml", Self::Toml), (".html", Self::Html)];
        let found = ends.into_iter().find_map(|(end, form)| Some((path.strip_suffix(end)?, form)));
        found.unwrap_or((path, Self::Html))
    }

    /// Writes the address of a path and a query in this form.
    pub(super) fn address_of(self, path: &str, query: &str) -> String {
        let end = match self {
            Self::Json => ".json",
            Self::Csv => ".csv",
            Self::Toml => ".toml",
            Self::Html if Self::split(path).0 != path => ".html",
            Self::Html => "",
        };
        let path = if path == "/" && !end.is_empty() { "/index" } else { path };
        if query.is_empty() { format!("{path}{end}") } else { format!("{path}{end}?{query}") }
    }
}

/// Declares addresses as `Name { parts of the path; parts of the query } => "segments" / of / "the path";`. The first that has the segments of a path is the one
/// that is read.
macro_rules! declare_addresses {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$each_doc:meta])* $each:ident
            $({ $($part:ident: $part_type:ty),* $(; $($key:ident: $key_type:ty),+)? })?
            => $($segment:tt)/+;)+
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(super) enum $name {
            $($(#[$each_doc])* $each $({ $($part: $part_type,)* $($($key: $key_type,)+)? })?,)+
        }

        impl $name {
            /// Reads the segments of a path, and a query; `None` if no address has such a path.
            ///
            /// # Errors
            /// Says what is not there.
            #[allow(unused_variables, reason = "not all have a query")]
            fn read(segments: &[&str], query: &FormFields) -> Result<Option<Self>, String> {
                Ok(Some(match segments {
                    $([$($segment),+] => Self::$each $({
                        $($part: PathPart::read($part)?,)*
                        $($($key: QueryPart::read(query, stringify!($key))?,)+)?
                    })?,)+
                    _ => return Ok(None),
                }))
            }

            /// Returns its path, and its query without the question mark.
            fn path_and_query(&self) -> (String, String) {
                #[allow(unused_mut, reason = "not all have a query")]
                let mut query = Serializer::new(String::new());
                let path = match self {
                    $(Self::$each $({ $($part,)* $($($key,)+)? })? => {
                        $($($($key.write(stringify!($key), &mut query);)+)?)?
                        path_of_segments(&[$(&$segment),+])
                    })+
                };
                // A comma means nothing there, and an address is easier to read with it.
                (path, query.finish().replace("%2C", ","))
            }

            /// Returns the address of the same in another form.
            pub(super) fn in_form(&self, form: PageForm) -> String {
                let (path, query) = self.path_and_query();
                form.address_of(&path, &query)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.in_form(PageForm::Html))
            }
        }
    };
}
pub(super) use declare_addresses;

/// Declares what can be done to a tournament, each with the word that names it in an address.
macro_rules! declare_actions {
    ($(#[$doc:meta])* $name:ident { $($(#[$each_doc:meta])* $each:ident => $word:literal;)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $name {
            $($(#[$each_doc])* $each,)+
        }

        impl PathPart for $name {
            fn read(segment: &str) -> Result<Self, String> {
                match segment {
                    $($word => Ok(Self::$each),)+
                    other => Err(format!("nothing named {other:?} can be done to a tournament")),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$each => $word,)+
                })
            }
        }
    };
}
pub(super) use declare_actions;
