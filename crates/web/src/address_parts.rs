//! Macros that declare each address once, with its path and query. They generate the code that parses and writes it.

use super::forms::FormFields;
use form_urlencoded::Serializer;
use std::fmt::{Display, Write as _};

/// A variable part of a path.
pub(super) trait PathPart: Display + Sized {
    /// Parses a segment.
    ///
    /// # Errors
    /// Says what is unknown or invalid.
    fn read(segment: &str) -> Result<Self, String>;
}

/// A part of a query: the value of one key or of several. Missing values are not written.
pub(super) trait QueryPart: Sized {
    /// Parses it from a query.
    ///
    /// # Errors
    /// Names the invalid value.
    fn read(query: &FormFields, key: &str) -> Result<Self, String>;

    /// Writes it into a query.
    fn write(&self, key: &str, query: &mut Serializer<'_, String>);
}

/// An integer in an address.
pub(super) trait WholeNumber: Display + std::str::FromStr {
    /// The largest number.
    const MAX: Self;
}

impl WholeNumber for u32 {
    const MAX: Self = u32::MAX;
}
impl WholeNumber for u64 {
    const MAX: Self = u64::MAX;
}

impl<N: WholeNumber> QueryPart for Option<N> {
    fn read(query: &FormFields, key: &str) -> Result<Self, String> {
        let given = query.find(key).filter(|given| !given.is_empty());
        let parse = |given: &str| {
            given
                .parse()
                .map_err(|_| format!("{key} {given:?}: expected a whole number from 0 to {}", N::MAX))
        };
        given.map(parse).transpose()
    }

    fn write(&self, key: &str, query: &mut Serializer<'_, String>) {
        if let Some(number) = self {
            query.append_pair(key, &number.to_string());
        }
    }
}

impl QueryPart for u32 {
    /// A missing value is 0.
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
pub(super) fn join_segments(segments: &[&dyn Display]) -> String {
    segments.iter().fold(String::new(), |mut path, segment| {
        // Writing to a string does not fail.
        let _ = write!(path, "/{segment}");
        path
    })
}

/// The format of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageFormat {
    /// For people.
    Html,
    /// For programs: `.json` at the end of the path.
    Json,
    /// Only its tables: `.csv` at the end of the path.
    Csv,
    /// The settings that would repeat the tournament: `.toml` at the end of the path.
    Toml,
    /// A picture: `.svg` at the end of the path.
    Svg,
    /// The same picture for link previews: `.png` at the end of the path.
    Png,
    /// A news feed: `.atom` at the end of the path.
    Atom,
}

impl PageFormat {
    /// Splits a path into a name and the format of its extension. Names of bots can contain dots, so `.html` can be
    /// added to mark the end of a name.
    pub(super) fn split(path: &str) -> (&str, Self) {
        let forms = [Self::Json, Self::Csv, Self::Toml, Self::Svg, Self::Png, Self::Atom, Self::Html];
        let found = forms.into_iter().find_map(|form| Some((path.strip_suffix(form.extension())?, form)));
        found.unwrap_or((path, Self::Html))
    }

    /// Returns whether people read this format. Such pages may be slightly outdated while matches are played.
    pub(super) fn is_human_readable(self) -> bool {
        matches!(self, Self::Html | Self::Svg | Self::Png | Self::Atom)
    }

    /// Returns the extension of a path in this format.
    fn extension(self) -> &'static str {
        match self {
            Self::Html => ".html",
            Self::Json => ".json",
            Self::Csv => ".csv",
            Self::Toml => ".toml",
            Self::Svg => ".svg",
            Self::Png => ".png",
            Self::Atom => ".atom",
        }
    }

    /// Returns the address of a path and a query in this format.
    pub(super) fn address_in_format(self, path: &str, query: &str) -> String {
        let end = match self {
            Self::Html if Self::split(path).0 == path => "",
            form => form.extension(),
        };
        let path = if path == "/" && !end.is_empty() { "/index" } else { path };
        if query.is_empty() { format!("{path}{end}") } else { format!("{path}{end}?{query}") }
    }
}

/// Declares addresses as `Name { parts of the path; parts of the query } => "segments" / of / "the path";`. The first
/// declaration that matches a path wins.
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
            /// Parses the segments of a path, and a query; `None` if no address has this path.
            ///
            /// # Errors
            /// Says what is unknown or invalid.
            #[allow(unused_variables, reason = "not all addresses have a query")]
            fn read(segments: &[&str], query: &FormFields) -> Result<Option<Self>, String> {
                Ok(Some(match segments {
                    $([$($segment),+] => Self::$each $({
                        $($part: PathPart::read($part)?,)*
                        $($($key: QueryPart::read(query, stringify!($key))?,)+)?
                    })?,)+
                    _ => return Ok(None),
                }))
            }

            /// Returns the path, and the query without the question mark.
            fn path_and_query(&self) -> (String, String) {
                #[allow(unused_mut, reason = "not all addresses have a query")]
                let mut query = Serializer::new(String::new());
                let path = match self {
                    $(Self::$each $({ $($part,)* $($($key,)+)? })? => {
                        $($($($key.write(stringify!($key), &mut query);)+)?)?
                        join_segments(&[$(&$segment),+])
                    })+
                };
                // An unescaped comma is valid in a query and easier to read.
                (path, query.finish().replace("%2C", ","))
            }

            /// Returns the same address in another format.
            pub(super) fn in_format(&self, form: PageFormat) -> String {
                let (path, query) = self.path_and_query();
                form.address_in_format(&path, &query)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.in_format(PageFormat::Html))
            }
        }
    };
}
pub(super) use declare_addresses;

/// Declares actions on a tournament, each with its segment of the path.
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
                    other => Err(format!("tournament action {other:?}: expected one of {}", [$($word),+].join(", "))),
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
