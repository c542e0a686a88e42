//! Settings that are declared once, with their name, type, default, documentation and range.
//!
//! `settings!` makes the struct, its default and the list of its [`Setting`]s. Command-line flags, the keys of settings
//! files and printed settings are all derived from that list. This crate does not read the command line or files.

mod byte_size;
mod decimal;
mod setting;
mod setting_value;
mod settings_macro;

pub use decimal::{Decimal, DecimalError};
/// Exported for [`text_settings!`], so that its callers need not depend on `serde_json`.
#[doc(hidden)]
pub use serde_json;
pub use setting::{Setting, SettingTable};
pub use setting_value::{SettingValue, read_text};
