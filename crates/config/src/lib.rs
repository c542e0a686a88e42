//! Settings that are written once: name, type, default, documentation and range.
//!
//! `settings!` makes the struct, its default and the list of its [`Setting`]s. Flags, keys of files and printed settings follow
//! from that list. Nothing here knows the command line or files.

mod byte_size;
mod decimal;
mod setting;
mod setting_value;
mod settings_macro;

pub use decimal::{Decimal, DecimalError};
/// For [`text_settings!`], so that its callers need not depend on it.
#[doc(hidden)]
pub use serde_json;
pub use setting::{Setting, SettingTable};
pub use setting_value::{SettingValue, read_text};
