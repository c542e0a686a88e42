//! The keys of a tournament file, from the table of settings.

use lastnim_proto::tournament_settings::{TournamentSetting, ValueKind, all_settings};
use std::fmt::Write as _;

/// Returns the row of a setting: name, description, range and default.
fn row(name: &str, setting: &TournamentSetting) -> String {
    let words: Vec<_> = setting.words().iter().map(|word| format!("`\"{word}\"`")).collect();
    let range = if words.is_empty() { setting.range.to_owned() } else { words.join(", ") };
    let is_text = setting.kind == ValueKind::Text;
    let default = match setting.default {
        None => "required".to_owned(),
        Some(default) if is_text || setting.words().iter().any(|word| word == default) => {
            format!("`\"{default}\"`")
        }
        Some(default) if setting.kind == ValueKind::Range => format!("`[{default}]`"),
        Some(default) => default.to_owned(),
    };
    format!("| `{name}` | {} | {range} | {default} |", setting.help)
}

/// Returns a table for each table of the file, and for each format.
pub(crate) fn tables() -> String {
    let mut sections = Vec::<(String, Vec<String>)>::new();
    for setting in all_settings().filter(|setting| setting.kind != ValueKind::Matrix) {
        let Some((table, name)) = setting.file_key() else { continue };
        let title = match (table, setting.format()) {
            ("", _) => "At the top of the file:".to_owned(),
            (_, Some(profile)) => format!("`[format]` with `kind = \"{}\"`:", profile.hyphenated_name()),
            (table, None) => format!("`[{table}]`:"),
        };
        let row = row(name, setting);
        match sections.iter_mut().find(|(known, _)| *known == title) {
            Some((_, rows)) => rows.push(row),
            None => sections.push((title, vec![row])),
        }
    }
    let mut page = String::new();
    for (title, rows) in sections {
        writeln!(
            page,
            "{title}\n\n| key | description | range | default |\n|---|---|---|---|\n{}\n",
            rows.join("\n")
        )
        .unwrap();
    }
    page
}
