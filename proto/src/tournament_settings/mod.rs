//! The settings of a tournament, each declared once.
//!
//! The flags of `tournament create` and `match create`, the keys of tournament files, the form on a web page, the
//! phrases in reports, and the tables in docs/reference/settings.md are all generated from this
//! [table](SETTING_SECTIONS). A [`SettingsJsonDraft`] creates the message from values that were given in any of these
//! ways.

mod draft;
mod setting;
mod table;

pub use draft::SettingsJsonDraft;
pub use setting::{TournamentSetting, ValueKind};
pub use table::{
    SETTING_SECTIONS, SectionCondition, SettingSection, all_settings, file_tables, format_names,
    settings_of_table,
};
