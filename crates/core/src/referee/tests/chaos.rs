//! Checks that the invariants of a match hold for random inputs in random order.

use crate::game::{BySeat, Row, Seat, SeatSet};
use crate::oracle::Mover;
use crate::referee::testing::{Observation, Scenario, event_in, scenario};
use crate::referee::{
    Audience, EndReason, Event, ForfeitReason, MAX_EVENTS, MAX_ROUND_MESSAGES, MatchPhase, MatchState,
    OfferId, Record, RefereeEffect, RefereeInput, SeatAction, SeatMessage, TalkContent, TalkMessage,
    Timestamp,
};
use proptest::prelude::*;
use std::time::Duration;

/// Checks the referee against an independent model of the match.
struct InvariantChecker {
    present: BySeat<bool>,
    ever_connected: BySeat<bool>,
    /// When the bot of each seat last disconnected; zero before it does.
    left_at: BySeat<Timestamp>,
    /// For each input: the number of events in the record once it was handled, and the resulting state.
    states: Vec<(usize, MatchState)>,
}

impl InvariantChecker {
    fn new(scenario: &Scenario) -> Self {
        Self {
            present: scenario.present.clone(),
            ever_connected: scenario.present.clone(),
            left_at: BySeat::filled(scenario.setup.seats(), &Timestamp::from_micros(0)),
            states: Vec::new(),
        }
    }

    fn check_observation(&mut self, observation: &Observation<'_>) {
        self.states.push((observation.after.events().len(), observation.after.state().clone()));
        if let RefereeInput::Act { seat, .. } = observation.input {
            self.ever_connected[*seat] = true;
        }
        self.check_events(observation);
        check_secrecy(observation);
        match *observation.input {
            RefereeInput::Joined { seat } => {
                (self.present[seat], self.ever_connected[seat]) = (true, true);
                let snapshots = observation.effects.iter().filter(|effect| {
                    matches!(effect, RefereeEffect::SendToSeat { seat: recipient, message: SeatMessage::Snapshot(_) } if *recipient == seat)
                });
                assert_eq!(snapshots.count(), 1);
            }
            RefereeInput::Left { seat } => {
                if std::mem::replace(&mut self.present[seat], false) {
                    self.left_at[seat] = observation.now;
                }
            }
            RefereeInput::Act { seat, ref action } if *action != SeatAction::Resign => {
                let answered = observation.effects.iter().any(|effect| match effect {
                    RefereeEffect::SendToSeat { seat: recipient, message } => {
                        *recipient == seat && !matches!(message, SeatMessage::Snapshot(_))
                    }
                    RefereeEffect::EventOccurred(timed) => {
                        matches!(timed.event, Event::Took { seat: mover, .. } if mover == seat)
                    }
                });
                assert!(answered, "every message from a bot is answered");
            }
            RefereeInput::Act { .. }
            | RefereeInput::Disqualify { .. }
            | RefereeInput::Tick
            | RefereeInput::Cancel => {}
        }
    }

    fn check_events(&self, observation: &Observation<'_>) {
        let mut takes_by_bots = 0;
        let mut ended = observation.before.phase() == MatchPhase::Ended;
        for timed in observation.effects.iter().filter_map(event_in) {
            assert!(!ended, "no event follows the end");
            assert_eq!(timed.at, observation.now);
            match &timed.event {
                Event::Took { ply, seat, take, mover: Mover::Bot, note_hash, .. } => {
                    takes_by_bots += 1;
                    let action = SeatAction::take(*ply, *take, note_hash.clone());
                    assert_eq!(observation.input, &RefereeInput::Act { seat: *seat, action });
                }
                Event::Declared { seat, row, defaulted: None, note_hash } => {
                    let action = SeatAction::declare(row, note_hash.clone());
                    assert_eq!(observation.input, &RefereeInput::Act { seat: *seat, action });
                }
                Event::Struck { seat, .. } => assert!(is_take_of(*seat, observation.input)),
                Event::Forfeited { seat, reason } => self.check_forfeit(*seat, *reason, observation),
                Event::Ended { .. } => ended = true,
                Event::Said(message) => {
                    let said = matches!(observation.input, RefereeInput::Act { seat, action: SeatAction::Say(_) }
                        if *seat == message.seat);
                    assert!(said && message.round == observation.before.rounds_heard());
                }
                Event::Took { .. }
                | Event::Declared { .. }
                | Event::Revealed { .. }
                | Event::TalkEnded { .. }
                | Event::Heard { .. } => {}
                Event::Created(_) | Event::Dealt(_) => panic!("{timed:?} comes only at the beginning"),
            }
        }
        assert!(takes_by_bots <= 1);
        assert_eq!(ended, observation.after.state().phase() == MatchPhase::Ended);
    }

    fn check_forfeit(&self, seat: Seat, reason: ForfeitReason, observation: &Observation<'_>) {
        let due = observation.deadline.is_some_and(|deadline| deadline <= observation.now)
            && self.is_out_of_time(seat, observation);
        let fits = match reason {
            ForfeitReason::NoShow => due && !self.ever_connected[seat] && !has_taken(observation.after, seat),
            ForfeitReason::Disconnected => due && self.ever_connected[seat] && !self.present[seat],
            ForfeitReason::TimedOut => due && self.ever_connected[seat] && self.present[seat],
            ForfeitReason::Strikes => is_take_of(seat, observation.input),
            ForfeitReason::Resigned => {
                *observation.input == RefereeInput::Act { seat, action: SeatAction::Resign }
            }
            ForfeitReason::Disqualified => *observation.input == RefereeInput::Disqualify { seat },
        };
        assert!(fits, "seat {seat} was forfeited ({reason}) after {:?}", observation.input);
    }

    /// Returns whether the seat to move may have used up its bank, or its bot the time to return, since its turn began.
    /// Before rows are revealed, there is nothing to check.
    fn is_out_of_time(&self, seat: Seat, observation: &Observation<'_>) -> bool {
        let Observation { before, now, effects, after, .. } = observation;
        if before.phase() != MatchPhase::Playing {
            return true;
        }
        let earlier = after.events().len() - effects.iter().filter_map(event_in).count();
        let begins_turn = |event: &Event| matches!(event, Event::Revealed { .. } | Event::Took { .. });
        let began = after.events()[..earlier].iter().rfind(|timed| begins_turn(&timed.event)).unwrap().at;
        let stayed_away =
            before.setup().clock().return_within.is_some_and(|within| {
                !self.present[seat] && now.since(began.max(self.left_at[seat])) >= within
            });
        stayed_away || now.since(began) >= before.banks()[seat].left()
    }
}

fn is_take_of(seat: Seat, input: &RefereeInput) -> bool {
    matches!(input, RefereeInput::Act { seat: by, action: SeatAction::Take { .. } } if *by == seat)
}

/// Returns whether a seat's own bot has made a take.
fn has_taken(record: &Record, by: Seat) -> bool {
    let is_own_take =
        |event: &Event| matches!(event, Event::Took { seat, mover: Mover::Bot, .. } if *seat == by);
    record.events().iter().any(|timed| is_own_take(&timed.event))
}

/// Checks that a seat sees only its own rows and the messages and pacts that are meant for it, and that watchers see no
/// declared rows before they are revealed, no messages before a round ends, and no dealt rows before the match has a
/// winner.
fn check_secrecy(observation: &Observation<'_>) {
    let state = observation.after.state();
    let shows_dealt = observation.after.public_events().any(|timed| matches!(timed.event, Event::Dealt(_)));
    let has_winner = state.end().is_some_and(|(_, winner)| winner.is_some());
    assert_eq!(shows_dealt, state.setup().deal.is_some() && has_winner);
    for timed in observation.after.public_events() {
        if let Event::Said(message) = &timed.event {
            let is_open = message.round < state.rounds_heard() && message.audience == Audience::Everyone;
            assert!(is_open || has_winner);
        }
    }
    for effect in observation.effects {
        if let RefereeEffect::SendToSeat { seat, message: SeatMessage::Snapshot(snapshot) } = effect {
            assert_eq!(snapshot.dealt_row.as_ref(), state.dealt_rows().map(|matrix| &matrix.rows()[*seat]));
            for message in snapshot.talk.iter().flat_map(|talk| &talk.messages) {
                let is_own = message.seat == *seat;
                assert!(is_own || message.audience.contains(*seat) && message.round < state.rounds_heard());
            }
            for known in snapshot.talk.iter().flat_map(|talk| &talk.pacts) {
                assert!(
                    known.pact.constraint(*seat).is_some(),
                    "a seat sees the pacts of which it is a member"
                );
                assert!(known.accepted.iter().all(|by| {
                    let mut messages = observation.after.messages().filter(|message| message.seat == by);
                    by == *seat
                        || messages.any(|message| {
                            message.round < state.rounds_heard() && is_acceptance(message, known.offer)
                        })
                }));
            }
        }
    }
    if state.game().is_some() {
        return;
    }
    assert!(observation.after.public_events().all(|timed| !matches!(timed.event, Event::Declared { .. })));
    let standard = Row::standard(state.setup().seats());
    for effect in observation.effects {
        let RefereeEffect::SendToSeat { seat, message } = effect else { continue };
        match message {
            SeatMessage::Declared { row } => assert_eq!(state.row_of_seat(*seat), Some(row)),
            SeatMessage::Snapshot(snapshot) => assert_eq!(snapshot.matrix, None),
            SeatMessage::Refused(refusal) => {
                for other in state.setup().seats().iter().filter_map(|other| state.row_of_seat(other)) {
                    let secret = state.row_of_seat(*seat) != Some(other) && *other != standard;
                    assert!(!secret || !refusal.message.contains(&other.to_string()), "{refusal:?}");
                }
            }
            SeatMessage::TalkAccepted { .. } => {}
            SeatMessage::Turn(_) | SeatMessage::TakeRepeated { .. } => {
                panic!("no seat has moved yet: {message:?}")
            }
        }
    }
}

/// Returns whether a message accepts the pact of this offer. The offer itself counts as an acceptance by its sender.
fn is_acceptance(message: &TalkMessage, offer: OfferId) -> bool {
    match message.content() {
        Some(TalkContent::Offer(_)) => {
            (message.seat, message.round, message.number) == (offer.seat, offer.round, offer.number)
        }
        Some(TalkContent::Accept(accepted)) => *accepted == offer,
        _ => false,
    }
}

/// Checks that the pacts of a match are those that members offered, each accepted by members that had heard the offer.
fn check_pacts(record: &Record) {
    for offered in record.state().pacts() {
        let accepted = record.messages().filter(|message| is_acceptance(message, offered.offer));
        let mut seats = Vec::new();
        for message in accepted {
            assert!(offered.pact.constraint(message.seat).is_some());
            assert!(message.seat == offered.offer.seat || message.round > offered.offer.round);
            seats.push(message.seat);
        }
        assert_eq!(seats.len(), offered.accepted.iter().count(), "each member accepts once");
        assert_eq!(seats.into_iter().collect::<SeatSet>(), offered.accepted);
    }
}

/// Checks the events of a record against the rules, one by one, without the referee's state.
pub(super) fn check_record(record: &Record) {
    let Event::Created(setup) = &record.events()[0].event else { panic!("`created` comes first") };
    let (seats, clock) = (setup.seats(), setup.clock());
    // The thinking time and the lag credit that each seat has left.
    let mut banks = BySeat::filled(seats, &(clock.initial, clock.lag_total));
    let mut strikes = BySeat::filled(seats, &0);
    let mut lost = BySeat::filled(seats, &None);
    let (mut plies, mut handed_over) = (0, record.events()[0].at);
    for timed in record.events() {
        match &timed.event {
            Event::Took { ply, seat, take, mover, charged, credited, note_hash } => {
                assert_eq!((*ply, *seat), (plies, seats.seat_at_offset(setup.first, plies as usize)));
                assert_eq!(*mover == Mover::Steward, lost[*seat].is_some());
                assert!(*take >= 1);
                assert!(*mover == Mover::Bot || note_hash.is_none());
                assert!(*charged + *credited <= timed.at.since(handed_over));
                let (left, lag_left) = &mut banks[*seat];
                *left = left.checked_sub(*charged).expect("no seat is charged more than it has");
                *lag_left = lag_left.checked_sub(*credited).expect("the total lag credit is bounded");
                assert!(*credited <= clock.lag_quota);
                if *mover == Mover::Bot {
                    *left += clock.increment;
                } else {
                    assert_eq!(*charged + *credited, Duration::ZERO);
                }
                (plies, handed_over) = (plies + 1, timed.at);
            }
            Event::Revealed { .. } => handed_over = timed.at,
            Event::Struck { seat, .. } => {
                assert_eq!(lost[*seat], None);
                strikes[*seat] += 1;
            }
            Event::Forfeited { seat, reason } => {
                assert_eq!(lost[*seat].replace(*reason), None, "a seat is forfeited only once");
                assert_eq!(*reason == ForfeitReason::Strikes, strikes[*seat] == setup.terms.strikes);
            }
            Event::Created(_)
            | Event::Dealt(_)
            | Event::Said(_)
            | Event::TalkEnded { .. }
            | Event::Heard { .. }
            | Event::Declared { .. }
            | Event::Ended { .. } => {}
        }
    }
    assert!(strikes.iter().all(|&strikes| strikes <= setup.terms.strikes));
    assert!(plies <= setup.terms.max_plies);
    let rounds = setup.terms.talk.map_or(0, |talk| talk.rounds as usize);
    let max_talk = rounds * (1 + seats.get() * (1 + MAX_ROUND_MESSAGES as usize));
    let max_events =
        4 + max_talk + seats.get() * (setup.terms.strikes as usize + 2) + setup.terms.max_plies as usize;
    assert!(record.events().len() <= max_events.min(MAX_EVENTS));
    check_pacts(record);
    let state = record.state();
    assert_eq!(banks, state.banks().map(|bank| (bank.left(), bank.lag_left())));
    assert_eq!((&strikes, &lost), (state.strikes(), state.forfeits()));
}

fn check_end(record: &Record) {
    let ends = record.events().iter().filter(|timed| matches!(timed.event, Event::Ended { .. })).count();
    assert_eq!(ends, 1);
    let (reason, winner) = record.state().end().expect("the match has ended");
    let audit = record.audit();
    assert_eq!(audit.is_err(), reason == EndReason::Cancelled);
    assert_eq!(winner.is_none(), reason == EndReason::Cancelled);
    let Ok(audit) = audit else { return };
    assert_eq!(Some(audit.winner), winner);
    for ply in audit.plies.iter().filter(|ply| ply.mover == Mover::Steward) {
        assert_eq!(
            ply.predicted_before, ply.predicted_after,
            "the steward does not change the predicted winner"
        );
        assert_eq!(ply.optimal_takes.smallest(), Some(ply.take));
    }
}

proptest! {
    #[test]
    fn every_match_ends_and_follows_the_rules_for_any_inputs(scenario in scenario()) {
        let mut checker = InvariantChecker::new(&scenario);
        let record = scenario.finish(&mut |observation| checker.check_observation(&observation));
        check_record(&record);
        check_end(&record);
    }

    #[test]
    fn a_record_replays_to_the_same_state_at_every_moment(scenario in scenario()) {
        let mut checker = InvariantChecker::new(&scenario);
        let record = scenario.finish(&mut |observation| checker.check_observation(&observation));
        let replayed = Record::replay(record.id(), record.events().iter().cloned());
        prop_assert_eq!(replayed.as_ref(), Ok(&record));
        for (len, state) in checker.states {
            let prefix = Record::replay(record.id(), record.events()[..len].iter().cloned()).unwrap();
            prop_assert_eq!(prefix.state(), &state);
        }
        for len in 1..record.events().len() {
            prop_assert!(Record::replay(record.id(), record.events()[..len].iter().cloned()).is_ok());
        }
    }
}
