//! Computes benchmark cards from the tier tallies, and compares cards with those computed from records.

use super::{
    item_score::ItemScore,
    item_set::{SetItem, Tier},
    tier_tally::{CONFIDENCE, StoppingRule, TierTally, loss_figure},
};
use lastnim_auditing::estimate_mean_of_tiers;
use lastnim_core::referee::{EventHash, Record, Timestamp};
use lastnim_proto::{json::message_to_json, pb};
use serde_json::Value;

/// An item that the bot has played.
#[derive(Debug, Clone)]
pub struct PlayedItem<'a> {
    /// The item.
    pub item: &'a SetItem,
    /// The score of the item.
    pub score: ItemScore,
    /// The head of the item's record: the hash of its last event.
    pub head: EventHash,
    /// When the match began.
    pub began: Timestamp,
    /// When the match ended.
    pub ended: Timestamp,
}

impl<'a> PlayedItem<'a> {
    /// Creates a played item from its record and score.
    ///
    /// # Panics
    /// If the record has no events, which cannot happen.
    pub fn new(item: &'a SetItem, record: &Record, score: ItemScore) -> Self {
        let time_of = |event: Option<&lastnim_core::referee::TimedEvent>| {
            event.expect("a record begins with an event").at
        };
        let (began, ended) = (time_of(record.events().first()), time_of(record.events().last()));
        Self { item, score, head: record.last_hash(), began, ended }
    }
}

/// Computes the results of a tier from the items that were played, and says why the tier ended. The items must be the
/// first ones of the tier, in the order of their numbers.
///
/// # Errors
/// If items overlap in time, or if the stopping rule ends the tier before or after the last of these items.
pub fn compute_tier(
    tier: Tier,
    items: &[PlayedItem<'_>],
    rule: StoppingRule,
) -> Result<(TierTally, pb::BenchmarkStop), String> {
    let mut tally = TierTally::new(tier);
    let mut stop = None;
    for (index, played) in items.iter().enumerate() {
        if stop.is_some() {
            return Err(format!(
                "tier {tier} should have ended after {} items, but it continues",
                tally.items()
            ));
        }
        if let Some(before) = index.checked_sub(1).map(|before| &items[before])
            && played.began < before.ended
        {
            return Err(format!(
                "{} began before {} ended: items must be played one after the other",
                played.item, before.item
            ));
        }
        tally.add_item(&played.score, played.head);
        stop = tally.stop_reason(rule);
    }
    if let Some(stop) = stop {
        return Ok((tally, stop));
    }
    let width = tally.loss().map_or(1.0, |loss| loss.width());
    let (items, StoppingRule { width: wanted, max_items }) = (tally.items(), rule);
    Err(format!(
        "tier {tier} is incomplete after {items} of {max_items} items: its interval is {width:.4} wide: expected at most {wanted}"
    ))
}

/// Returns the mean loss over the tiers, with equal weights; `None` unless all tiers were played.
fn mean_of_tiers(tiers: &[(TierTally, pb::BenchmarkStop)]) -> Option<pb::LossFigure> {
    if tiers.len() != Tier::all().count() {
        return None;
    }
    let losses: Vec<_> = tiers.iter().map(|(tally, _)| tally.losses().clone()).collect();
    estimate_mean_of_tiers(&losses, 1.0 - CONFIDENCE).map(loss_figure)
}

/// Adds the results of the tiers, their mean, and the start and end times of the play to a card.
pub fn with_results(
    card: pb::BenchmarkCard,
    tiers: &[(TierTally, pb::BenchmarkStop)],
    times: Option<(Timestamp, Timestamp)>,
) -> pb::BenchmarkCard {
    let micros = |at: Timestamp| at.as_micros();
    pb::BenchmarkCard {
        loss: mean_of_tiers(tiers),
        tiers: tiers.iter().map(|(tally, stop)| tally.to_message(*stop)).collect(),
        began_at_us: times.map_or(0, |(began, _)| micros(began)),
        ended_at_us: times.map_or(0, |(_, ended)| micros(ended)),
        ..card
    }
}

/// Returns the first difference between a card and the one computed from its records.
pub fn card_difference(given: &pb::BenchmarkCard, computed: &pb::BenchmarkCard) -> Option<String> {
    let mut path = String::new();
    let (given, computed) = find_difference(&message_to_json(given), &message_to_json(computed), &mut path)?;
    Some(format!("{path}: the card says {given}, but the records say {computed}"))
}

/// Finds the first value that differs and returns both of its values as text. Appends the path to it to `path`.
fn find_difference(given: &Value, computed: &Value, path: &mut String) -> Option<(String, String)> {
    if given == computed {
        return None;
    }
    let length = path.len();
    match (given, computed) {
        (Value::Object(one), Value::Object(other)) => {
            for (key, value) in one {
                path.push_str(if length == 0 { "" } else { "." });
                path.push_str(key);
                let found = find_difference(value, other.get(key).unwrap_or(&Value::Null), path);
                if found.is_some() {
                    return found;
                }
                path.truncate(length);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (value, expected)) in one.iter().zip(other).enumerate() {
                path.extend(["[", &index.to_string(), "]"]);
                let found = find_difference(value, expected, path);
                if found.is_some() {
                    return found;
                }
                path.truncate(length);
            }
        }
        _ => {}
    }
    Some((given.to_string(), computed.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named_with_its_path() {
        let tier = |items, value| pb::BenchmarkTier {
            tier: 1,
            items,
            loss: Some(pb::LossFigure { value, low: 0.0, high: 1.0 }),
            ..Default::default()
        };
        let card = |tiers: Vec<pb::BenchmarkTier>| pb::BenchmarkCard { tiers, ..Default::default() };
        let given = card(vec![tier(3, 0.25), tier(4, 0.5)]);
        assert_eq!(card_difference(&given, &given), None);
        let changed = card(vec![tier(3, 0.25), tier(4, 0.75)]);
        let found = card_difference(&given, &changed).unwrap();
        assert_eq!(found, "tiers[1].loss.value: the card says 0.5, but the records say 0.75");
        assert!(card_difference(&given, &card(vec![tier(3, 0.25)])).unwrap().starts_with("tiers: "));
    }
}
