//! Command-line flags for the server settings.

use super::settings::ServeSettings;
use crate::args::{given_flags::FlagTable, setting_flags::setting_flags};
use clap::Arg;

impl FlagTable for ServeSettings {
    fn flags() -> Vec<Arg> {
        setting_flags(&mut Self::default())
    }
}
