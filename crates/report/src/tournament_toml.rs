//! The settings of a tournament as the file that plays it again.

use super::words::{count_words, enum_word};
use lastnim_proto::pb;
use pb::tournament_settings::{Format, OtherPositions};
use std::fmt::{Display, Write as _};

/// Writes the settings and the field of a tournament as a tournament file. Bots are named as those that are run elsewhere and join by themselves, for
/// nobody but their authors knows their programs.
pub fn tournament_toml(tournament: &pb::Tournament) -> String {
    let settings = tournament.settings.clone().unwrap_or_default();
    let mut text = TomlText::default();
    let clock = settings.clock.unwrap_or_default();
    text.comment(&format!("Tournament {}", tournament.id));
    if settings.start_at > 0 {
        let bots = count_words(settings.start_at, "bot", "bots");
        text.comment(&format!(
            "It starts by itself with {bots}; the tournament of a file once all of its bots have come."
        ));
    }
    if tournament.field.is_empty() {
        text.comment("Nobody has joined it: a file needs a table [[bot]] for each of its bots.");
    }
    text.entry("title", quoted_text(&settings.title));
    text.entry("seats", settings.seats);
    text.entry("ending", quoted_word(settings.ending().as_str_name(), "ENDING_"));
    match &settings.alliance_matrix {
        Some(matrix) => {
            text.entry("alliance", list_text(matrix.rows.iter().map(|row| list_text(&row.offsets))));
        }
        None => text.entry("alliance", quoted_word(settings.alliance().as_str_name(), "ALLIANCE_MODE_")),
    }
    text.entry("seed", number_text(settings.seed));
    text.entry("scoring", quoted_word(settings.scoring().as_str_name(), "SCORING_"));
    text.entry("oracle", quoted_word(settings.oracle().as_str_name(), "ORACLE_ACCESS_"));
    text.count("concurrency", settings.concurrency);
    text.count("bot_concurrency", settings.bot_concurrency);
    text.count("strikes", settings.strikes);
    text.count("max_plies", settings.max_plies);
    text.count("methods", settings.methods);
    text.table("clock");
    text.entry("initial_ms", clock.initial_ms);
    text.entry("increment_ms", clock.increment_ms);
    text.entry("lag_quota_ms", clock.lag_quota_ms);
    text.entry("lag_total_ms", clock.lag_total_ms);
    text.entry("declaration_ms", clock.declaration_ms);
    if let Some(retention) = &settings.retention {
        text.table("retention");
        text.count("matches", retention.matches);
        text.count("days", retention.days);
    }
    text.table("format");
    text.format(settings.format.as_ref());
    match &settings.other_positions {
        None => {
            text.table("positions");
            let piles = settings.positions.iter().map(|piles| list_text(&piles.counters));
            text.entry("list", list_text(piles));
        }
        Some(OtherPositions::PaperPositions(_)) => {
            text.table("positions");
            text.entry("paper", true);
        }
        Some(OtherPositions::DrawnPositions(drawn)) => {
            text.table("positions.drawn");
            text.entry("count", drawn.count);
            text.entry("piles", list_text([drawn.min_piles, drawn.max_piles]));
            text.entry("counters", list_text([drawn.min_counters, drawn.max_counters]));
        }
    }
    for bot in &tournament.field {
        text.push_line("\n[[bot]]");
        text.entry("name", quoted_text(bot));
        text.entry("remote", true);
    }
    text.0
}

/// A file that is being written.
#[derive(Debug, Default)]
struct TomlText(String);

impl TomlText {
    fn push_line(&mut self, line: &str) {
        self.0.extend([line, "\n"]);
    }

    fn comment(&mut self, words: &str) {
        self.push_line(&format!("# {words}"));
    }

    fn table(&mut self, name: &str) {
        self.push_line(&format!("\n[{name}]"));
    }

    fn entry(&mut self, key: &str, value: impl Display) {
        self.push_line(&format!("{key} = {value}"));
    }

    /// Writes a number that stands for "not given" where it is 0.
    fn count(&mut self, key: &str, count: impl Into<u64>) {
        let count = count.into();
        if count > 0 {
            self.entry(key, count);
        }
    }

    fn format(&mut self, format: Option<&Format>) {
        let mut kind = |kind: &str| self.entry("kind", quoted_text(kind));
        match format {
            None => kind("round-robin"),
            Some(Format::RoundRobin(sample)) => {
                kind("round-robin");
                self.count("groups", sample.groups);
            }
            Some(Format::Gauntlet(gauntlet)) => {
                kind("gauntlet");
                self.entry("bot", quoted_text(&gauntlet.bot));
                self.count("groups", gauntlet.groups);
            }
            Some(Format::Swiss(swiss)) => {
                kind("swiss");
                self.entry("rounds", swiss.rounds);
                self.count("table_groups", swiss.table_groups);
            }
            Some(Format::Knockout(knockout)) => {
                kind("knockout");
                self.count("advance", knockout.advance);
                self.count("table_groups", knockout.table_groups);
            }
            Some(Format::Ladder(ladder)) => {
                kind("ladder");
                self.count("groups", ladder.groups);
                self.count("table_groups", ladder.table_groups);
                self.count("suspend_after", ladder.suspend_after);
            }
            Some(Format::Sprt(sprt)) => {
                kind("sprt");
                self.entry("candidate", quoted_text(&sprt.candidate));
                self.entry("baseline", quoted_text(&sprt.baseline));
                self.entry("measure", quoted_word(sprt.measure().as_str_name(), "MEASURE_"));
                for (key, number) in [("effect_none", sprt.effect_none), ("effect_some", sprt.effect_some)] {
                    self.entry(key, format_args!("{number:?}"));
                }
                for (key, rate) in [("alpha", sprt.alpha), ("beta", sprt.beta)] {
                    if rate > 0.0 {
                        self.entry(key, format_args!("{rate:?}"));
                    }
                }
                self.entry("groups", sprt.groups);
            }
        }
    }
}

/// Writes a whole number: those of TOML end at 2^63 - 1, and a greater one stands in quotes.
fn number_text(number: u64) -> String {
    let text = number.to_string();
    if i64::try_from(number).is_ok() { text } else { quoted_text(&text) }
}

fn list_text(items: impl IntoIterator<Item = impl Display>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    format!("[{}]", items.join(", "))
}

fn quoted_word(name: &str, prefix: &str) -> String {
    quoted_text(&enum_word(name, prefix).replace('_', "-"))
}

/// Writes a text between quotation marks.
fn quoted_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            character if character.is_control() => {
                // Writing to a text does not fail.
                let _ = write!(quoted, "\\u{:04X}", u32::from(character));
            }
            character => quoted.push(character),
        }
    }
    quoted + "\""
}
