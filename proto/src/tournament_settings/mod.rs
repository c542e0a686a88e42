//! The settings of a tournament, each declared once.
//!
//! From the [table](SETTING_SECTIONS) follow the flags of `tournament create` and `match create`, the keys of the file of a
//! tournament and what is written as one, the form of a page, what a report says, and the tables in docs/reference/settings.md. A
//! [`SettingsJsonDraft`] makes the message of what somebody gives in any of these ways.

mod draft;
mod setting;
mod table;

pub use draft::SettingsJsonDraft;
pub use setting::{TournamentSetting, ValueKind};
pub use table::{
    SETTING_SECTIONS, SectionCondition, SettingSection, all_settings, file_tables, format_words,
    settings_of_table,
};
