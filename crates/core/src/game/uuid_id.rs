//! Ids that sort by the time at which they were created.

/// Defines an id type, a UUID of version 7, and its parse error.
///
/// The arguments are the doc comment and name of the id type, the doc comment and name of the error type, and the words
/// for the id in error messages.
macro_rules! uuid_id {
    ($(#[$id_doc:meta])* $id:ident, $(#[$error_doc:meta])* $error:ident, $called:literal) => {
        $(#[$id_doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(from = "[u8; 16]", into = "[u8; 16]")]
        pub struct $id(uuid::Uuid);

        $(#[$error_doc])*
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        #[error("{} {:?}: expected a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057", $called, .0)]
        pub struct $error(pub String);

        impl $id {
            /// The length of an id in its text form.
            pub const CHARS: usize = uuid::fmt::Hyphenated::LENGTH;

            /// Creates an id from a time in milliseconds since 1970-01-01 UTC and ten random bytes.
            pub fn new(unix_ms: u64, random: &[u8; 10]) -> Self {
                Self(uuid::Builder::from_unix_timestamp_millis(unix_ms, random).into_uuid())
            }

            /// Returns the smallest id.
            pub const fn least() -> Self {
                Self(uuid::Uuid::nil())
            }

            /// Returns the largest id.
            pub const fn greatest() -> Self {
                Self(uuid::Uuid::max())
            }

            /// Returns the id just before this one. For the smallest id, this is the id itself.
            #[must_use]
            pub fn before(self) -> Self {
                Self(uuid::Uuid::from_u128(self.0.as_u128().saturating_sub(1)))
            }

            /// Returns the time that the id contains, in milliseconds since 1970-01-01 UTC.
            pub fn unix_ms(&self) -> u64 {
                (self.0.as_u128() >> 80) as u64
            }

            /// Writes the id as text at the start of a buffer.
            ///
            /// # Panics
            /// If the buffer has fewer than [`CHARS`](Self::CHARS) bytes.
            pub fn write_text(&self, buffer: &mut [u8]) {
                self.0.hyphenated().encode_lower(buffer);
            }

            /// Returns the last 8 bytes: two fixed bits and 62 random ones.
            pub fn random_bits(&self) -> u64 {
                self.0.as_u64_pair().1
            }

            /// Creates an id from its 16 bytes, the most significant first.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(uuid::Uuid::from_bytes(bytes))
            }

            /// Returns the 16 bytes of the id, the most significant first.
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }
        }

        impl From<[u8; 16]> for $id {
            fn from(bytes: [u8; 16]) -> Self {
                Self::from_bytes(bytes)
            }
        }

        impl From<$id> for [u8; 16] {
            fn from(id: $id) -> Self {
                *id.as_bytes()
            }
        }

        impl From<$id> for String {
            fn from(id: $id) -> Self {
                id.0.hyphenated().encode_lower(&mut uuid::Uuid::encode_buffer()).to_owned()
            }
        }

        impl std::str::FromStr for $id {
            type Err = $error;

            fn from_str(word: &str) -> Result<Self, $error> {
                let refusal = || $error(word.chars().take(2 * Self::CHARS).collect());
                if word.len() != Self::CHARS {
                    return Err(refusal());
                }
                word.parse().map(Self).map_err(|_| refusal())
            }
        }

        impl std::fmt::Display for $id {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.0.hyphenated().encode_lower(&mut uuid::Uuid::encode_buffer()))
            }
        }

        impl std::fmt::Debug for $id {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({self})", stringify!($id))
            }
        }
    };
}

pub(crate) use uuid_id;
