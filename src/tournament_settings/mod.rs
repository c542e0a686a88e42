//! The settings of a tournament, each written down once.
//!
//! From the table of [`KEYS`] follow the flags of `tournament create` and `match create`, the keys of the file of a tournament,
//! and the tables in docs/tournaments.md. A [`SettingsJsonDraft`] makes the message of them.

mod draft;
mod flags;
mod key;
mod keys;

pub use draft::SettingsJsonDraft;
pub use flags::{ExhibitionFlags, TournamentFlags, settings_of_flags};
pub use key::{SettingKey, ValueKind};
pub use keys::{KEYS, format_kinds, keys_of_table};
