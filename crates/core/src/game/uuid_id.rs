//! Identifiers that rise with time: what all of them share.

/// Defines an identifier, a UUID of version 7, and the error of a word that is none.
///
/// It takes the doc comment and name of the identifier, the doc comment and name of the error, and what an error
/// message calls the identifier.
macro_rules! uuid_id {
    ($(#[$id_doc:meta])* $id:ident, $(#[$error_doc:meta])* $error:ident, $called:literal) => {
        $(#[$id_doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $id(uuid::Uuid);

        $(#[$error_doc])*
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        #[error("{} {:?}: expected a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057", $called, .0)]
        pub struct $error(pub String);

        impl $id {
            /// The characters of an id.
            pub const CHARS: usize = uuid::fmt::Hyphenated::LENGTH;

            /// Makes an id from a time in milliseconds since 1970-01-01 UTC and ten random bytes.
            pub fn new(unix_ms: u64, random: &[u8; 10]) -> Self {
                Self(uuid::Builder::from_unix_timestamp_millis(unix_ms, random).into_uuid())
            }

            /// Returns the id before all others.
            pub const fn least() -> Self {
                Self(uuid::Uuid::nil())
            }

            /// Returns the id after all others.
            pub const fn greatest() -> Self {
                Self(uuid::Uuid::max())
            }

            /// Returns the id right before this one; the first one has none before it, and stays.
            #[must_use]
            pub fn before(self) -> Self {
                Self(uuid::Uuid::from_u128(self.0.as_u128().saturating_sub(1)))
            }

            /// Returns the time that it was made from, in milliseconds since 1970-01-01 UTC.
            pub fn unix_ms(&self) -> u64 {
                (self.0.as_u128() >> 80) as u64
            }

            /// Writes its text into the first bytes of a buffer.
            ///
            /// # Panics
            /// If the buffer has fewer than [`CHARS`](Self::CHARS) bytes.
            pub fn write_text(&self, buffer: &mut [u8]) {
                self.0.hyphenated().encode_lower(buffer);
            }

            /// Returns the last 62 bits of it, which were drawn at random, behind two that are the same in all ids.
            pub fn random_bits(&self) -> u64 {
                self.0.as_u64_pair().1
            }

            /// Takes the 16 bytes of an id, the most significant first, as its text has them.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(uuid::Uuid::from_bytes(bytes))
            }

            /// Returns its 16 bytes, the most significant first, as its text has them.
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
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
                let refused = || $error(word.chars().take(2 * Self::CHARS).collect());
                if word.len() != Self::CHARS {
                    return Err(refused());
                }
                word.parse().map(Self).map_err(|_| refused())
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
