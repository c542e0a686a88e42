//! Checks whether the standings of a manifest follow from the records.

use lastnim_proto::{json::message_to_json, pb};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The largest difference between two figures that agree, relative to the larger of them or to 1: logarithms differ
/// slightly between platforms.
const TOLERANCE: f64 = 1e-7;
/// The figures that no record contains.
const UNRECORDED_FIGURES: [&str; 1] = ["versions"];
/// Figures that a manifest may leave empty, because a server that does not rate a tournament has no ratings.
const OPTIONAL_CLAIMS: [&str; 3] = ["rating", "skill", "elo"];

/// A figure that differs from the one computed from the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingsDifference {
    /// The bot; `None` for the verdict of the format.
    pub bot: Option<String>,
    /// The figure, such as `points`.
    pub figure: String,
    /// The value in the manifest, or null.
    pub said: Value,
    /// The value from the records, or null.
    pub computed: Value,
}

/// Returns the differences between the standings and verdict in a manifest and those computed from the records.
pub fn compare_standings(
    said: (&[pb::Standing], &pb::Verdict),
    computed: (&[pb::Standing], &pb::Verdict),
) -> Vec<StandingsDifference> {
    let mut found = Vec::new();
    let mut rest: BTreeMap<&str, &pb::Standing> =
        computed.0.iter().map(|line| (line.bot.as_str(), line)).collect();
    for line in said.0 {
        match rest.remove(line.bot.as_str()) {
            Some(due) => compare_lines(line, due, &mut found),
            None => found.push(one_sided_difference(&line.bot, StandingsSide::Said)),
        }
    }
    found.extend(rest.into_keys().map(|bot| one_sided_difference(bot, StandingsSide::Computed)));
    let (verdict, due) = (message_to_json(said.1), message_to_json(computed.1));
    if !values_agree(&verdict, &due) {
        found.push(StandingsDifference {
            bot: None,
            figure: "verdict".to_owned(),
            said: verdict,
            computed: due,
        });
    }
    found
}

/// The two standings that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StandingsSide {
    Said,
    Computed,
}

/// Returns the difference for a bot that has a line in only one of the two standings.
fn one_sided_difference(bot: &str, side: StandingsSide) -> StandingsDifference {
    let is_said = side == StandingsSide::Said;
    let (said, computed) = (Value::Bool(is_said), Value::Bool(!is_said));
    StandingsDifference { bot: Some(bot.to_owned()), figure: "line".to_owned(), said, computed }
}

fn compare_lines(said: &pb::Standing, computed: &pb::Standing, found: &mut Vec<StandingsDifference>) {
    let (given, due) = (json_object(said), json_object(computed));
    for (figure, value) in &given {
        let computed = due.get(figure).unwrap_or(&Value::Null);
        let is_claimed = !(value.is_null() && OPTIONAL_CLAIMS.contains(&figure.as_str()));
        if is_claimed && !UNRECORDED_FIGURES.contains(&figure.as_str()) && !values_agree(value, computed) {
            found.push(StandingsDifference {
                bot: Some(said.bot.clone()),
                figure: figure.clone(),
                said: value.clone(),
                computed: computed.clone(),
            });
        }
    }
}

fn json_object(line: &pb::Standing) -> Map<String, Value> {
    match message_to_json(line) {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Returns whether two JSON values are equal, apart from rounding differences between numbers.
fn values_agree(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => {
                (one - other).abs() <= TOLERANCE * one.abs().max(other.abs()).max(1.0)
            }
            _ => one == other,
        },
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| values_agree(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let agrees = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|other| values_agree(value, other))
            };
            one.len() == other.len() && one.iter().all(agrees)
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(bot: &str, points: f64) -> pb::Standing {
        pb::Standing { place: 1, bot: bot.into(), points, matches: 3, ..pb::Standing::default() }
    }

    fn compared_figures(said: &[pb::Standing], computed: &[pb::Standing]) -> Vec<(Option<String>, String)> {
        let none = pb::Verdict::default();
        let found = compare_standings((said, &none), (computed, &none));
        found.into_iter().map(|difference| (difference.bot, difference.figure)).collect()
    }

    #[test]
    fn differences_name_the_bot_and_the_figure() {
        let figure_place = |bot: &str, figure: &str| (Some(bot.to_owned()), figure.to_owned());
        let one = [line("a", 2.0), line("b", 1.0)];
        assert_eq!(compared_figures(&one, &one), []);
        assert_eq!(
            compared_figures(&one, &[line("b", 1.0), line("a", 2.0 + 1e-9)]),
            [],
            "the order of the lines does not matter"
        );
        assert_eq!(compared_figures(&one, &[line("a", 2.0), line("b", 1.5)]), [figure_place("b", "points")]);
        let other = pb::Standing { wins: 1, disqualified: true, ..line("a", 2.0) };
        assert_eq!(
            compared_figures(&one[..1], &[other]),
            [figure_place("a", "wins"), figure_place("a", "disqualified")]
        );
        assert_eq!(compared_figures(&one, &one[..1]), [figure_place("b", "line")]);
        assert_eq!(compared_figures(&one[1..], &one), [figure_place("a", "line")]);
    }

    #[test]
    fn versions_are_not_compared_and_ratings_may_be_missing() {
        let rating = Some(pb::BotRating { points: 1500.0, low: 1400.0, high: 1600.0, ..Default::default() });
        let rated = pb::Standing { rating, elo: Some(1500.0), ..line("a", 2.0) };
        let noted = pb::Standing { versions: vec![pb::PlayedVersion::default()], ..line("a", 2.0) };
        assert_eq!(compared_figures(std::slice::from_ref(&noted), std::slice::from_ref(&rated)), []);
        assert_eq!(
            compared_figures(&[rated], &[noted]).len(),
            2,
            "a claimed rating must follow from the records"
        );
    }

    #[test]
    fn the_path_of_a_sequential_test_is_compared() {
        let sprt = |better| {
            let path = vec![pb::CapitalPoint { groups: 1, llr: better, better, no_better: -1.0 }];
            let sprt = pb::SprtVerdict { llr: 0.5, path, ..pb::SprtVerdict::default() };
            pb::Verdict { verdict: Some(pb::verdict::Verdict::Sprt(sprt)) }
        };
        let differences = |said, computed| compare_standings((&[], &said), (&[], &computed)).len();
        assert_eq!(differences(sprt(0.5), sprt(0.5)), 0);
        assert_eq!(differences(sprt(0.25), sprt(0.5)), 1);
    }

    #[test]
    fn the_verdict_is_compared_as_well() {
        use pb::verdict::Verdict as Said;
        let byes = |rounds| {
            let byes = vec![pb::Bye { bot: "a".into(), rounds, points: 1.0 }];
            pb::Verdict { verdict: Some(Said::Byes(pb::ByesVerdict { byes })) }
        };
        assert_eq!(compare_standings((&[], &byes(1)), (&[], &byes(1))), []);
        let found = compare_standings((&[], &byes(1)), (&[], &byes(2)));
        assert_eq!((found.len(), found[0].bot.as_deref(), &found[0].figure[..]), (1, None, "verdict"));
    }
}
