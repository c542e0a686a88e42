//! Settings that are written once: name, type, default, documentation and range.
//!
//! `settings!` makes a struct of them, its default, and the list of its [`Setting`]s, from which flags, keys of files and
//! what is printed of them follow. Nothing here knows the command line or files.

mod decimal;
mod setting;
mod setting_value;
mod settings_macro;

pub use decimal::{Decimal, DecimalError};
pub use setting::{Setting, SettingTable};
#[cfg(any(feature = "cli", feature = "llm"))]
pub(crate) use setting_value::text_settings;
pub use setting_value::{SettingValue, read_text};
pub(crate) use settings_macro::settings;
