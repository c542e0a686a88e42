//! The settings of a tournament, as text.

use super::{
    ReportReader,
    words::{join_items, order_text},
};
use lastnim_proto::{
    json::message_to_json,
    pb,
    tournament_settings::{TournamentSetting, ValueKind, all_settings},
};
use serde_json::Value;

/// Describes the settings of a tournament: labelled lines in the order of the settings table.
pub fn setting_facts(settings: &pb::TournamentSettings, reader: ReportReader) -> Vec<(String, String)> {
    filter_facts(settings, reader, |_| true)
}

/// Describes the settings with one label in one line.
pub fn setting_fact(settings: &pb::TournamentSettings, label: &str) -> String {
    filter_facts(settings, ReportReader::CommandLine, |known| known == label)
        .into_iter()
        .map(|(_, fact)| fact)
        .collect()
}

/// Describes a clock in one line.
pub fn clock_text(clock: pb::Clock) -> String {
    setting_fact(&pb::TournamentSettings { clock: Some(clock), ..Default::default() }, "clock")
}

/// Makes the lines with the wanted labels.
fn filter_facts(
    settings: &pb::TournamentSettings,
    reader: ReportReader,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<(String, String)> {
    let json = message_to_json(settings);
    let mut facts: Vec<(String, String)> = Vec::new();
    for setting in all_settings().filter(|setting| is_wanted(&setting.fact_label())) {
        let label = setting.fact_label();
        let index = facts.iter().position(|(known, _)| *known == label).unwrap_or_else(|| {
            facts.push((label, String::new()));
            facts.len() - 1
        });
        if let Some(value) = setting.value_in(&json) {
            let phrase = setting_phrase(setting, &value);
            let fact = &mut facts[index].1;
            // A phrase begins with the conjunction or comma that joins it to the previous phrase; the first one drops
            // it.
            let phrase = if fact.is_empty() {
                phrase
                    .trim_start_matches(" and ")
                    .trim_start_matches(" or ")
                    .trim_start_matches([',', ';', ':', ' '])
            } else {
                phrase
            };
            fact.push_str(&phrase.replace("{}", &setting_text(setting, settings, &value, reader)));
        }
    }
    for (label, fact) in &mut facts {
        match label.as_str() {
            "starts" if fact.is_empty() => "when told to".clone_into(fact),
            "records" if fact.is_empty() => "all are kept".clone_into(fact),
            _ => {}
        }
    }
    facts.retain(|(_, fact)| !fact.is_empty());
    facts
}

fn setting_phrase(setting: &TournamentSetting, value: &Value) -> &'static str {
    match setting.phrase.split_once('|') {
        Some((one, _)) if *value == 1 => one,
        Some((_, more)) => more,
        None => setting.phrase,
    }
}

fn setting_text(
    setting: &TournamentSetting,
    settings: &pb::TournamentSettings,
    value: &Value,
    reader: ReportReader,
) -> String {
    match setting.kind {
        ValueKind::Matrix if setting.field == "deal_rows" && reader == ReportReader::Page => {
            let seats = settings.seats as usize;
            let orders = settings.deal_rows.iter().map(|row| order_text(row, 0, seats));
            format!("{}, as seat 1 would have it", join_items(orders, "; "))
        }
        ValueKind::Matrix if setting.field == "alliance_matrix.rows" => {
            reader.matrix_text(settings.alliance_matrix.as_ref().map_or(&[], |matrix| &matrix.rows))
        }
        ValueKind::Clock => clock_words(&format_value(value, "")),
        ValueKind::Word => word_text(setting.field, &format_value(value, "")),
        ValueKind::Format => settings.format_profile().title.to_owned(),
        ValueKind::Positions => format_lists(value, ","),
        ValueKind::Matrix => format_lists(value, " "),
        ValueKind::Range => format_value(value, " to "),
        ValueKind::Names => format_value(value, ", "),
        _ => format_value(value, ""),
    }
}

/// Describes the value of a setting that has a fixed set of values.
pub(super) fn word_text(field: &str, word: &str) -> String {
    let text = match (field, word) {
        ("ending", "to_move_wins") => "the seat to move when no counter is left",
        ("ending", "last_mover_wins") => "the seat that moved last",
        ("alliance", "declared") => "declared by each seat",
        ("alliance", "standard") => "each seat itself, then the seats after it in order",
        ("alliance", "random") => "drawn from the seed",
        ("deal", "all") => "all orders",
        ("deal", "self_first") => "orders with the seat itself first",
        ("scoring", "win") => "1 for a win, 0 otherwise",
        ("scoring", "satisfaction") => "satisfaction: 1 for the first choice, 0 for the last, others between",
        ("oracle", "open") => "bots may use it",
        ("oracle", "closed") => "bots may not use it until the end",
        ("sprt.measure", "regret") => "own errors",
        ("talk.privacy", "open") => "all messages go to all seats",
        ("talk.privacy", "private") => "private messages stay private",
        ("talk.privacy", "published") => "private messages are published at the end",
        _ => return word.replace('_', " "),
    };
    text.to_owned()
}

/// Describes a clock such as `10s+100ms`.
fn clock_words(clock: &str) -> String {
    match clock.split_once('+') {
        None | Some((_, "0s")) => format!("{} for all takes", clock.trim_end_matches("+0s")),
        Some((bank, increment)) => format!("{bank}, plus {increment} for each take"),
    }
}

fn format_lists(lists: &Value, between: &str) -> String {
    let lists = lists.as_array().into_iter().flatten().map(|list| format_value(list, between));
    lists.collect::<Vec<_>>().join("; ")
}

fn format_value(value: &Value, between: &str) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().map(|item| format_value(item, between)).collect::<Vec<_>>().join(between)
        }
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(real) => real.to_string(),
            None => number.to_string(),
        },
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pb::tournament_settings::Format;

    #[test]
    fn a_format_is_described_in_one_line() {
        let described =
            |format| setting_fact(&pb::TournamentSettings { format, ..Default::default() }, "format");
        assert_eq!(described(None), "round robin");
        let sample = |groups| described(Some(Format::RoundRobin(pb::RoundRobinFormat { groups })));
        assert_eq!(sample(1), "round robin, balanced sample, 1 group");
        let swiss =
            |rounds, table_groups| described(Some(Format::Swiss(pb::SwissFormat { rounds, table_groups })));
        assert_eq!(swiss(1, 2), "Swiss, 1 round, 2 groups per table");
        assert_eq!(swiss(3, 1), "Swiss, 3 rounds, 1 group per table");
        let pairing = pb::LadderPairing::ByTurns.into();
        let ladder = pb::LadderFormat { groups: 0, table_groups: 1, suspend_after: 5, pairing };
        let expected = "ladder, 1 group per table, suspends after 5 lost seats in a row, paired by turns";
        assert_eq!(described(Some(Format::Ladder(ladder))), expected);
        let sprt = pb::SprtFormat {
            candidate: "new".into(),
            baseline: "old".into(),
            measure: pb::Measure::Regret.into(),
            effect_some: 0.05,
            groups: 500,
            ..Default::default()
        };
        let expected = "sequential test: is new better than old, by own errors, with a gain of 0.05 or more per match, rather than 0 or less; at most 500 groups";
        assert_eq!(described(Some(Format::Sprt(sprt))), expected);
    }

    #[test]
    fn words_and_clocks_are_described_in_plain_english() {
        let clock = pb::Clock { initial_ms: 90_000, increment_ms: 100, ..Default::default() };
        assert!(clock_text(clock).starts_with("1m30s, plus 100ms for each take; "), "{}", clock_text(clock));
        let fixed = pb::Clock { increment_ms: 0, ..clock };
        assert!(clock_text(fixed).starts_with("1m30s for all takes; "), "{}", clock_text(fixed));
        for setting in all_settings().filter(|setting| setting.kind == ValueKind::Word) {
            for word in setting.words() {
                let text = word_text(setting.field, &word.replace('-', "_"));
                assert!(!text.contains(['_', '-']), "{text}");
            }
        }
    }

    #[test]
    fn a_page_counts_the_seats_in_wants_from_1() {
        let row = |offsets: &[u32]| pb::Row { offsets: offsets.to_vec() };
        let rows = vec![row(&[0, 1]), row(&[1, 0])];
        let settings = pb::TournamentSettings {
            seats: 2,
            alliance: pb::AllianceMode::Given.into(),
            alliance_matrix: Some(pb::AllianceMatrix { rows: rows.clone() }),
            deal_rows: rows,
            ..Default::default()
        };
        let wants = |reader| {
            let facts = setting_facts(&settings, reader);
            facts.into_iter().find(|(label, _)| label == "wants").unwrap().1
        };
        assert_eq!(wants(ReportReader::CommandLine), "given: 0 1; 1 0, from 0 1; 1 0");
        assert_eq!(wants(ReportReader::Page), "given: 1>2; 1>2, from 1>2; 2>1, as seat 1 would have it");
    }

    #[test]
    fn the_start_is_described_in_one_line() {
        let describe = |start_when, start_at_us| {
            let settings = pb::TournamentSettings { start_when, start_at_us, ..Default::default() };
            setting_fact(&settings, "starts")
        };
        assert_eq!(describe(0, 0), "when told to");
        assert_eq!(describe(3, 0), "automatically with 3 bots");
        assert_eq!(describe(0, 1_800_000_000_000_000), "automatically at 2027-01-15T08:00:00Z");
        let either = "automatically with 3 bots or automatically at 2027-01-15T08:00:00.000001Z";
        assert_eq!(describe(3, 1_800_000_000_000_001), either);
    }

    #[test]
    fn allowed_bots_are_listed() {
        let allow_text = |allow: &[&str]| {
            let allow = allow.iter().map(|&name| name.to_owned()).collect();
            setting_fact(&pb::TournamentSettings { allow, ..Default::default() }, "allow")
        };
        assert_eq!((allow_text(&[]), allow_text(&["a", "b*"])), (String::new(), "a, b*".to_owned()));
    }

    #[test]
    fn a_retention_is_described_in_one_line() {
        let described =
            |retention| setting_fact(&pb::TournamentSettings { retention, ..Default::default() }, "records");
        let both = described(Some(pb::Retention { matches: 1_000, days: 1 }));
        assert_eq!(both, "of the newest 1000 matches and of the last 1 day");
        assert_eq!(described(Some(pb::Retention { matches: 0, days: 30 })), "of the last 30 days");
        assert_eq!(described(None), "all are kept");
    }
}
