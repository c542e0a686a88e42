//! The organiser's actions on a tournament, as text.

use super::words::count_with_noun;
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb::{self, tournament_event::Event};

/// The maximum number of matches named in a line.
const MAX_NUMBERS: usize = 30;

/// Describes events, one line each.
pub(super) fn event_lines(events: &[pb::TournamentEvent]) -> Vec<String> {
    events.iter().map(event_line).collect()
}

/// Describes an event.
pub fn event_line(event: &pb::TournamentEvent) -> String {
    match &event.event {
        None => "an event of a kind that this version does not know".to_owned(),
        Some(Event::Paused(paused)) => match paused.open_matches() {
            pb::OpenMatches::Freeze => "paused; open matches were frozen".to_owned(),
            pb::OpenMatches::Finish | pb::OpenMatches::Unspecified => {
                "paused; open matches were left to finish".to_owned()
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
            let numbers =
                voided.matches.iter().take(MAX_NUMBERS).map(|voided| shown_number(voided.number).to_string());
            let numbers = numbers.collect::<Vec<_>>().join(", ");
            let what = if voided.matches.len() == 1 { "match" } else { "matches" };
            let more = match voided.matches.len().saturating_sub(MAX_NUMBERS) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{what} {numbers}{more} voided, to be played again: {}", voided.reason)
        }
        Some(Event::Withdrawn(gone)) => match gone.from_round {
            None => format!("{} withdrew: it starts no further match, and its results stand", gone.bot),
            Some(round) => {
                let round = shown_number(round);
                format!(
                    "{} withdrew: it is not paired from round {round} on, and its results stand",
                    gone.bot
                )
            }
        },
        Some(Event::Closed(closed)) => {
            format!(
                "no more rounds start: the ladder ends after {}",
                count_with_noun(closed.before, "match", "matches")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_described() {
        let describe = |event| event_line(&pb::TournamentEvent { at_us: 1, event: Some(event) });
        let freeze = pb::OpenMatches::Freeze.into();
        assert_eq!(
            describe(Event::Paused(pb::PausedEvent { open_matches: freeze })),
            "paused; open matches were frozen"
        );
        let out = pb::DisqualifiedEvent {
            bot: "bob".into(),
            results: pb::DisqualifiedResults::Annul.into(),
            reason: "it asks alice".into(),
        };
        let expected = "bob is disqualified, and its results are annulled: it asks alice";
        assert_eq!(describe(Event::Disqualified(out)), expected);
        let gone =
            |from_round| describe(Event::Withdrawn(pb::WithdrawnEvent { bot: "bob".into(), from_round }));
        assert_eq!(gone(None), "bob withdrew: it starts no further match, and its results stand");
        assert_eq!(gone(Some(2)), "bob withdrew: it is not paired from round 3 on, and its results stand");
        let voided_match = |number| pb::VoidedMatch { number, match_id: String::new() };
        let voided_text =
            |matches| describe(Event::Voided(pb::VoidedEvent { matches, reason: "no network".into() }));
        let two = voided_text(vec![voided_match(4), voided_match(5)]);
        assert_eq!(two, "matches 5, 6 voided, to be played again: no network");
        let many = voided_text((0..99).map(voided_match).collect());
        assert!(many.contains(" 29, 30 and 69 more voided, to"), "{many}");
    }
}
