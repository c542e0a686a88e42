//! The settings of a tournament, as text.

use lastnim_proto::{
    json::message_to_json,
    pb,
    tournament_settings::{TournamentSetting, ValueKind, all_settings},
};
use serde_json::Value;

/// Describes the settings of a tournament: labelled lines in the order of the settings table.
pub fn setting_facts(settings: &pb::TournamentSettings) -> Vec<(String, String)> {
    filter_facts(settings, |_| true)
}

/// Describes the settings with one label in one line.
pub fn setting_fact(settings: &pb::TournamentSettings, label: &str) -> String {
    filter_facts(settings, |known| known == label).into_iter().map(|(_, fact)| fact).collect()
}

/// Describes a clock in one line.
pub fn clock_text(clock: pb::Clock) -> String {
    setting_fact(&pb::TournamentSettings { clock: Some(clock), ..Default::default() }, "clock")
}

/// Makes the lines with the wanted labels.
fn filter_facts(
    settings: &pb::TournamentSettings,
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
            fact.push_str(&phrase.replace("{}", &setting_text(setting, settings, &value)));
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

fn setting_text(setting: &TournamentSetting, settings: &pb::TournamentSettings, value: &Value) -> String {
    match setting.kind {
        ValueKind::Format => settings.format_profile().title.to_owned(),
        ValueKind::Positions => format_lists(value, ","),
        ValueKind::Matrix => format_lists(value, " "),
        ValueKind::Range => format_value(value, " to "),
        ValueKind::Names => format_value(value, ", "),
        _ => format_value(value, ""),
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
        let expected = "ladder, 1 group per table, suspends after 5 lost seats in a row, paired by_turns";
        assert_eq!(described(Some(Format::Ladder(ladder))), expected);
        let sprt = pb::SprtFormat {
            candidate: "new".into(),
            baseline: "old".into(),
            measure: pb::Measure::Regret.into(),
            effect_some: 0.05,
            groups: 500,
            ..Default::default()
        };
        let expected = "sequential test: is new better than old, by regret, with a gain of 0.05 or more per match, rather than 0 or less; at most 500 groups";
        assert_eq!(described(Some(Format::Sprt(sprt))), expected);
    }

    #[test]
    fn the_start_is_described_in_one_line() {
        let described = |start_when, start_at_us| {
            let settings = pb::TournamentSettings { start_when, start_at_us, ..Default::default() };
            setting_fact(&settings, "starts")
        };
        assert_eq!(described(0, 0), "when told to");
        assert_eq!(described(3, 0), "automatically with 3 bots");
        assert_eq!(described(0, 1_800_000_000_000_000), "automatically at 2027-01-15T08:00:00Z");
        let either = "automatically with 3 bots or automatically at 2027-01-15T08:00:00.000001Z";
        assert_eq!(described(3, 1_800_000_000_000_001), either);
    }

    #[test]
    fn allowed_bots_are_listed() {
        let shown = |allow: &[&str]| {
            let allow = allow.iter().map(|&name| name.to_owned()).collect();
            setting_fact(&pb::TournamentSettings { allow, ..Default::default() }, "allow")
        };
        assert_eq!((shown(&[]), shown(&["a", "b*"])), (String::new(), "a, b*".to_owned()));
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
