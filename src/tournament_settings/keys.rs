//! The table of all settings of a tournament.

use super::{SettingKey, ValueKind};

/// What stands for a default where there is none.
macro_rules! default {
    (needed) => {
        None
    };
    ($default:literal) => {
        Some($default)
    };
}

macro_rules! keys {
    ($($field:literal $kind:ident $range:literal, $default:tt, $help:literal;)+) => {
        &[$(SettingKey { field: $field, kind: ValueKind::$kind, range: $range, default: default!($default), help: $help },)+]
    };
}

/// All settings: the field, how it is given, its range, what holds where it is left out, and what it is.
pub const KEYS: &[SettingKey] = keys! {
    "title" Text "1 to 100 characters", "Last Nim", "A title";
    "seats" Number "2 to 32", needed, "Seats a match";
    "format" Format "", "round-robin",
        "Who meets whom: all sets of bots or, with groups, a balanced sample of them; one bot and the field; bots of like \
         scores; the best of each table in the next round; bots of like strengths until it is stopped; or a candidate and a \
         baseline until it is known which is better";
    "round_robin.groups" Count "1 to 10,000,000", "all sets of bots on every position",
        "Duplicate groups in all, each a position in every rotation of the seats: of a round robin a balanced sample";
    "gauntlet.bot" Bot "", needed, "The bot that sits at every table";
    "gauntlet.groups" Count "1 to 10,000,000", "so many that each opponent sits at `seats` - 1 tables on every position",
        "Duplicate groups in all";
    "swiss.rounds" Count "1 to 1,000", needed, "Rounds";
    "swiss.table_groups" Count "1 to 1,000", "1", "Duplicate groups that each table plays in a round";
    "knockout.advance" Count "1 to `seats` - 1", "1", "How many of each table go on";
    "knockout.table_groups" Count "1 to 1,000", "1", "Duplicate groups that each table plays in a round";
    "ladder.groups" Count "1 to 10,000,000", "open-ended: until it is stopped", "Duplicate groups in all";
    "ladder.table_groups" Count "1 to 1,000", "1", "Duplicate groups that each table plays in a round";
    "ladder.suspend_after" Count "1 to 1,000", "5",
        "A bot whose seat was lost in so many matches in a row is suspended";
    "sprt.candidate" Bot "", needed, "The bot that may be better";
    "sprt.baseline" Bot "", needed, "The bot that the candidate is held against";
    "sprt.measure" Word "", "regret", "What better means: ranks not lost by own takes, or points";
    "sprt.effect_none" Real "-31 to 31", "0", "The candidate is no better if it is better by this a match, or less";
    "sprt.effect_some" Real "above `effect_none`, up to 31", needed,
        "The candidate is better if it is better by this a match, or more";
    "sprt.alpha" Rate "0.0001 to 0.5", "0.05", "How often a candidate may be called better that is not";
    "sprt.beta" Rate "0.0001 to 0.5", "0.05", "How often a candidate may be called no better that is";
    "sprt.groups" Count "1 to 10,000,000", needed, "Duplicate groups after which it ends undecided";
    "positions" Positions "once for each of 1 to 1,000", "", "The counters of each pile of a position";
    "drawn_positions.count" Count "1 to 1,000", needed, "Positions that are drawn from the seed";
    "drawn_positions.piles" Range "1 to 1,024", "2, 4", "The fewest and the most piles of drawn positions";
    "drawn_positions.counters" Range "1 to 2^63 - 1", "1, 5",
        "The fewest and the most counters of a pile of drawn positions";
    "paper_positions" Flag "", "", "The 12 positions of the paper's tables";
    "ending" Word "", "to-move-wins", "Who wins when no counter is left";
    "alliance" Word "", "standard for two seats, declared for more; given where there is a matrix",
        "How rows come about: each seat declares its own, all have the standard one, they are drawn from the seed, or given \
         by a matrix";
    "alliance_matrix.rows" Matrix "", "",
        "Everybody's row, for each seat: offsets from the seat, the most preferred winner first";
    "seed" Number "0 to 2^64 - 1", "0", "What everything random derives from";
    "scoring" Word "", "win where rows are declared, and for two seats with standard rows; satisfaction otherwise",
        "What a seat's points are: 1 for the winner, or its satisfaction";
    "oracle" Word "", "open",
        "Whether its bots may ask the server's oracle while it runs; closed also withholds audits and practice";
    "concurrency" Count "1 to 10,000", "64", "Matches at once";
    "bot_concurrency" Count "1 to 10,000", "as many as there are", "Matches of one bot at once";
    "start_at" Count "`seats` to 10,000", "wait for `tournament start`",
        "Starts by itself when so many bots have joined";
    "clock.initial_ms" Number "1 to 86,400,000", "10,000", "What every seat's bank starts with";
    "clock.increment_ms" Number "0 to 3,600,000", "100", "What a seat gains with each take";
    "clock.lag_quota_ms" Number "0 to 10,000", "100", "The most lag that is given back for one take";
    "clock.lag_total_ms" Number "0 to 600,000", "10,000", "The most lag that is given back to a seat in one match";
    "clock.declaration_ms" Number "1 to 3,600,000", "10,000", "How long seats have to declare their rows";
    "retention.matches" Count "1 to 10,000,000", "none by their number, or all where `days` is left out as well",
        "So many of the newest matches that are over keep their records";
    "retention.days" Count "1 to 36,500", "none by their age, or all where `matches` is left out as well",
        "Matches that ended in so many days keep their records";
    "strikes" Count "1 to 100", "3", "The strike that forfeits a seat";
    "max_plies" Count "1 to 65,536", "10,000", "The number of plies after which the oracle decides";
    "methods" Count "2", "2", "The version of the methods of pairing, rating and judging";
};

/// Returns the keys of the fields of a message, by the path of the message.
pub fn keys_of_table(table: &str) -> impl Iterator<Item = &'static SettingKey> {
    KEYS.iter().filter(move |key| key.table() == table)
}

/// Returns the kinds of formats.
pub fn format_kinds() -> Vec<String> {
    let mut tables: Vec<_> = KEYS.iter().filter(|key| key.is_of_format()).map(SettingKey::table).collect();
    tables.dedup();
    tables.into_iter().map(|table| table.replace('_', "-")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::{
        json::{message_from_json, message_to_json},
        parse_request, pb,
        tournament::{parse_settings_and_terms, settings_message},
    };
    use serde_json::{Value, json};

    const DOCS: &str = include_str!("../../docs/tournaments.md");

    /// Makes the row of a key in a table of the documentation.
    fn row(before: &str, name: &str, key: &SettingKey) -> String {
        let words: Vec<_> = key.words().iter().map(|word| format!("`\"{word}\"`")).collect();
        let range = if words.is_empty() { key.range.to_owned() } else { words.join(", ") };
        let default = match key.default {
            None => "needed".to_owned(),
            Some(default)
                if key.words().iter().any(|word| word == default) || key.kind == ValueKind::Text =>
            {
                format!("`\"{default}\"`")
            }
            Some(default) if key.kind == ValueKind::Range => format!("`[{default}]`"),
            Some(default) => default.to_owned(),
        };
        let cells = [before.to_owned(), format!("`{name}`"), key.help.to_owned(), range, default];
        let cells = cells.iter().skip(usize::from(before.is_empty())).map(|cell| format!(" {cell} |"));
        format!("|{}", cells.collect::<String>())
    }

    fn is_documented(rows: &[String]) {
        let table = rows.join("\n");
        assert!(DOCS.contains(&table), "docs/tournaments.md has no such rows:\n{table}");
    }

    #[test]
    fn the_documentation_has_every_key() {
        for table in ["", "clock", "retention", "positions.drawn"] {
            let keys = KEYS.iter().filter(|key| key.file_place().is_some_and(|(place, _)| place == table));
            is_documented(&keys.map(|key| row("", key.name(), key)).collect::<Vec<_>>());
        }
        for (name, field) in [("list", "positions"), ("paper", "paper_positions")] {
            let key = KEYS.iter().find(|key| key.field == field).unwrap();
            assert!(DOCS.contains(&format!("| `{name}` | {}", key.help)), "{field}");
        }
        let formats = KEYS.iter().filter(|key| key.is_of_format());
        let kind = |key: &SettingKey| format!("`\"{}\"`", key.table().replace('_', "-"));
        is_documented(&formats.map(|key| row(&kind(key), key.name(), key)).collect::<Vec<_>>());
    }

    #[test]
    fn defaults_are_those_of_the_protocol() {
        for kind in format_kinds() {
            let table = kind.replace('-', "_");
            let mut given =
                json!({ "title": "x", "seats": 2, "positions": [{ "counters": [1] }], table.as_str(): {} });
            let needed = keys_of_table(&table).filter(|key| key.default.is_none());
            for (index, key) in needed.enumerate() {
                let bot = format!("bot{index}");
                given[&table][key.name()] = if key.kind == ValueKind::Bot { bot.into() } else { 1.into() };
            }
            let given: pb::TournamentSettings = message_from_json(&given).unwrap();
            let parsed = parse_request(|shown| parse_settings_and_terms(&given, shown.member("settings")));
            let (settings, terms) = parsed.unwrap_or_else(|violations| panic!("{kind}: {violations}"));
            let full = message_to_json(&settings_message(&settings, &terms));
            for key in keys_of_table("").chain(keys_of_table("clock")).chain(keys_of_table(&table)) {
                let pointer = format!("/{}", key.field.replace('.', "/"));
                let Some(value) = full.pointer(&pointer) else { continue };
                match (key.default_value(), key.default, value) {
                    (Some(Value::Number(default)), _, value) => {
                        assert_eq!(value.as_f64(), default.as_f64(), "{}", key.field);
                    }
                    (_, Some(default), Value::String(word)) if key.kind == ValueKind::Word => {
                        assert!(default.starts_with(&word.replace('_', "-")), "{}: {default}", key.field);
                    }
                    _ => {}
                }
            }
        }
    }
}
