//! What an organiser did to a tournament, in words.

use super::words::count_words;
use crate::wire::pb::{self, tournament_event::Event};

/// Says what happened, a line for each thing.
pub(super) fn event_lines(events: &[pb::TournamentEvent]) -> Vec<String> {
    events.iter().map(event_line).collect()
}

/// Says what happened.
pub fn event_line(event: &pb::TournamentEvent) -> String {
    match &event.event {
        None => "something that this program does not know".to_owned(),
        Some(Event::Paused(paused)) => match paused.open_matches() {
            pb::OpenMatches::Freeze => "paused; open matches waited".to_owned(),
            pb::OpenMatches::Finish | pb::OpenMatches::Unspecified => {
                "paused; open matches were played to their end".to_owned()
            }
        },
        Some(Event::Resumed(_)) => "resumed".to_owned(),
        Some(Event::Disqualified(out)) => {
            let results = match out.results() {
                pb::DisqualifiedResults::Annul => "its results are annulled",
                pb::DisqualifiedResults::Stand | pb::DisqualifiedResults::Unspecified => "its results stand",
            };
            format!("{} is disqualified, and {results}: {}", out.bot, out.reason)
        }
        Some(Event::Voided(voided)) => {
            let numbers: Vec<_> = voided.matches.iter().map(|voided| voided.number.to_string()).collect();
            let what = if numbers.len() == 1 { "match" } else { "matches" };
            format!("{what} {} voided, and played again: {}", numbers.join(", "), voided.reason)
        }
        Some(Event::Closed(closed)) => {
            format!("no further round: it ends after {}", count_words(closed.before, "match", "matches"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_a_line() {
        let told = |event| event_line(&pb::TournamentEvent { at_us: 1, event: Some(event) });
        let freeze = pb::OpenMatches::Freeze.into();
        assert_eq!(
            told(Event::Paused(pb::PausedEvent { open_matches: freeze })),
            "paused; open matches waited"
        );
        let out = pb::DisqualifiedEvent {
            bot: "bob".into(),
            results: pb::DisqualifiedResults::Annul.into(),
            reason: "it asks alice".into(),
        };
        let expected = "bob is disqualified, and its results are annulled: it asks alice";
        assert_eq!(told(Event::Disqualified(out)), expected);
        let voided = |number| pb::VoidedMatch { number, match_id: String::new() };
        let voided = pb::VoidedEvent { matches: vec![voided(4), voided(5)], reason: "no network".into() };
        assert_eq!(told(Event::Voided(voided)), "matches 4, 5 voided, and played again: no network");
    }
}
