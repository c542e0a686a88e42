//! Converts the organiser's actions in a tournament to and from messages.

use super::{RequestField, pb};
use lastnim_core::game::BotName;
use lastnim_core::referee::Timestamp;
use lastnim_tournament::{DisqualifiedResults, OpenMatches, TournamentEvent, VoidedMatch};

/// An event of a tournament and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimedTournamentEvent {
    /// The time of the event.
    pub at: Timestamp,
    /// The event.
    pub event: TournamentEvent,
}

/// Reads whether the results of a disqualified bot still count.
pub fn parse_disqualified_results(number: i32, field: RequestField<'_>) -> Option<DisqualifiedResults> {
    field.required_enum(number, "required: say whether the bot's results stand or are annulled")
}

impl From<&TimedTournamentEvent> for pb::TournamentEvent {
    fn from(timed: &TimedTournamentEvent) -> Self {
        use pb::tournament_event::Event;
        let event = match &timed.event {
            TournamentEvent::Paused { open } => {
                Event::Paused(pb::PausedEvent { open_matches: pb::OpenMatches::from(*open).into() })
            }
            TournamentEvent::Resumed => Event::Resumed(pb::ResumedEvent {}),
            TournamentEvent::Disqualified { bot, results, reason } => {
                Event::Disqualified(pb::DisqualifiedEvent {
                    bot: bot.to_string(),
                    results: pb::DisqualifiedResults::from(*results).into(),
                    reason: reason.to_string(),
                })
            }
            TournamentEvent::Voided { matches, reason } => {
                let voided_message = |voided: &VoidedMatch| pb::VoidedMatch {
                    number: voided.number,
                    match_id: voided.id.to_string(),
                };
                let matches = matches.iter().map(voided_message).collect();
                Event::Voided(pb::VoidedEvent { matches, reason: reason.to_string() })
            }
            TournamentEvent::Closed { before } => Event::Closed(pb::ClosedEvent { before: *before }),
            TournamentEvent::Withdrawn { bot, from_round } => {
                Event::Withdrawn(pb::WithdrawnEvent { bot: bot.to_string(), from_round: *from_round })
            }
        };
        Self { at_us: timed.at.as_micros(), event: Some(event) }
    }
}

/// Reads an event of a tournament.
pub fn parse_tournament_event(
    given: &pb::TournamentEvent,
    field: RequestField<'_>,
) -> Option<TimedTournamentEvent> {
    use pb::tournament_event::Event;
    let event = match field.require(given.event.as_ref())? {
        Event::Paused(paused) => {
            let open: Option<OpenMatches> = field.member("paused").optional_enum(paused.open_matches)?;
            TournamentEvent::Paused { open: open.unwrap_or_default() }
        }
        Event::Resumed(_) => TournamentEvent::Resumed,
        Event::Disqualified(out) => {
            let at = field.member("disqualified");
            let bot = at.ok_or_report(out.bot.parse::<BotName>());
            let results = parse_disqualified_results(out.results, at);
            let reason = at.ok_or_report(out.reason.parse());
            TournamentEvent::Disqualified { bot: bot?, results: results?, reason: reason? }
        }
        Event::Voided(given) => {
            let at = field.member("voided");
            let reason = at.ok_or_report(given.reason.parse());
            let matches = at.parse_each(&given.matches, |voided, at| {
                Some(VoidedMatch { number: voided.number, id: at.ok_or_report(voided.match_id.parse())? })
            });
            TournamentEvent::Voided { matches: matches?, reason: reason? }
        }
        Event::Closed(closed) => TournamentEvent::Closed { before: closed.before },
        Event::Withdrawn(gone) => TournamentEvent::Withdrawn {
            bot: field.member("withdrawn").ok_or_report(gone.bot.parse())?,
            from_round: gone.from_round,
        },
    };
    Some(TimedTournamentEvent { at: Timestamp::from_micros(given.at_us), event })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_request;
    use lastnim_core::game::MatchId;

    #[test]
    fn events_read_back_and_mistakes_are_named() {
        let id = MatchId::new(7, &[3; 10]);
        let reason = || "it asks another program".parse().unwrap();
        let events = [
            TournamentEvent::Paused { open: OpenMatches::Freeze },
            TournamentEvent::Resumed,
            TournamentEvent::Disqualified {
                bot: "alice".parse().unwrap(),
                results: DisqualifiedResults::Annul,
                reason: reason(),
            },
            TournamentEvent::Voided { matches: vec![VoidedMatch { number: 3, id }], reason: reason() },
            TournamentEvent::Closed { before: 12 },
            TournamentEvent::Withdrawn { bot: "bob".parse().unwrap(), from_round: Some(2) },
            TournamentEvent::Withdrawn { bot: "carol".parse().unwrap(), from_round: None },
        ];
        let parse = |written: &pb::TournamentEvent| {
            let parsed = parse_request(|request| parse_tournament_event(written, request.member("events")));
            parsed.map_err(|violations| violations.to_string())
        };
        for (at, event) in (1..).zip(events) {
            let timed = TimedTournamentEvent { at: Timestamp::from_micros(at), event };
            assert_eq!(parse(&(&timed).into()), Ok(timed));
        }
        assert!(parse(&pb::TournamentEvent::default()).unwrap_err().starts_with("events: "));
        let out = pb::DisqualifiedEvent { bot: "alice".into(), results: 0, reason: " ".into() };
        let event = Some(pb::tournament_event::Event::Disqualified(out));
        let refusal = parse(&pb::TournamentEvent { at_us: 1, event }).unwrap_err();
        assert!(refusal.contains("required: say whether") && refusal.contains("a blank reason"), "{refusal}");
    }
}
