//! Tests that an interrupted match is resumed from its record without charging the bots.

use super::chaos::check_record;
use super::table::{
    BANK_MS, DECLARATION_MS, Table, declared_match, events_in, ms, refusals_in, reveals_rows, standard_match,
    takes_in, turns_in,
};
use crate::game::{BySeat, Seat};
use crate::oracle::Mover;
use crate::referee::testing::{Scenario, event_in, finish_by_timeouts, scenario};
use crate::referee::{
    EndReason, Event, ForfeitReason, MatchPhase, MatchSnapshot, Record, Referee, RefereeEffect, RefereeInput,
    RefusalReason, RowDefault, SeatMessage, TimeBank, TimedEvent, Timestamp,
};
use proptest::prelude::*;
use std::time::Duration;

/// How long clocks are held, in milliseconds.
const HOLD_MS: u64 = 200;
/// How long the server is down, in milliseconds.
const DOWNTIME_MS: u64 = 100_000;

impl Table {
    /// Stops the server for a while and resumes the match from its record.
    fn resume(&mut self, present: &[bool]) -> Vec<RefereeEffect> {
        self.now = self.now + ms(DOWNTIME_MS);
        let events = self.record().events().to_vec();
        self.resume_from(events, present)
    }

    /// Resumes the match from the given events.
    fn resume_from(&mut self, events: Vec<TimedEvent>, present: &[bool]) -> Vec<RefereeEffect> {
        let record = Record::replay(self.record().id(), events).unwrap();
        let present = BySeat::try_from(present.to_vec()).unwrap();
        let (referee, effects) = Referee::resume(record, present, self.now, ms(HOLD_MS));
        self.referee = referee;
        self.referee.mark_effects_announced(self.now);
        effects
    }

    /// Lets time pass until the hold has ended.
    fn wait_for_end_of_hold(&mut self) {
        assert_eq!(self.referee.deadline(), Some(self.now + ms(HOLD_MS)));
        assert_eq!(self.wait_for_deadline(), []);
    }
}

fn snapshots_in(effects: &[RefereeEffect]) -> Vec<&MatchSnapshot> {
    let snapshot = |effect| match effect {
        &RefereeEffect::SendToSeat { seat, message: SeatMessage::Snapshot(ref snapshot) } => {
            assert_eq!(snapshot.seat, seat);
            Some(&**snapshot)
        }
        _ => None,
    };
    effects.iter().filter_map(snapshot).collect()
}

/// Returns a match in which seat 0 made a take after 300 ms and seat 1 has had the turn for 400 ms.
fn interrupted_match() -> Table {
    let mut table = Table::open(standard_match(3, &[9; 9]));
    table.wait(300);
    table.take(0, 0, 1);
    table.wait(400);
    table
}

#[test]
fn connected_bots_get_a_snapshot_and_nothing_else_happens() {
    let mut table = interrupted_match();
    let before = table.record().clone();
    let effects = table.resume(&[true, true, false]);
    let snapshots = snapshots_in(&effects);
    assert_eq!(effects.len(), 2);
    assert_eq!(snapshots.iter().map(|snapshot| snapshot.seat.index()).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((snapshots[0].turn, snapshots[0].ply), (None, 1));
    assert_eq!(snapshots[1].turn.unwrap().bank, ms(BANK_MS), "the interrupted turn is not charged");
    assert_eq!(snapshots[1].banks.as_slice(), [ms(BANK_MS - 300), ms(BANK_MS), ms(BANK_MS)]);
    assert_eq!(table.record(), &before);
}

#[test]
fn the_clock_of_a_connected_bot_starts_at_the_announcement() {
    let mut table = interrupted_match();
    table.resume(&[false, true, false]);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS)));
    table.now = table.now + ms(70);
    table.take(1, 1, 1);
    assert_eq!(table.bank(1), ms(BANK_MS - 70));
}

#[test]
fn no_clock_runs_before_the_announcement() {
    let table = interrupted_match();
    let present = BySeat::filled(table.record().state().setup().seats(), &true);
    let (mut referee, _) = Referee::resume(table.record().clone(), present, table.now, ms(HOLD_MS));
    assert_eq!(referee.deadline(), None);
    let late = table.now + ms(10 * BANK_MS);
    assert_eq!(referee.handle_input(RefereeInput::Tick, late), []);
    referee.mark_effects_announced(late);
    assert_eq!(referee.deadline(), Some(late + ms(BANK_MS)));
}

#[test]
fn a_clock_is_held_until_its_bot_reconnects() {
    let mut table = interrupted_match();
    assert_eq!(
        table.resume(&[true, false, true]),
        table.resume(&[true, false, true]),
        "a second restart has the same effects"
    );
    assert_eq!(table.referee.deadline(), Some(table.now + ms(HOLD_MS)));
    table.wait(HOLD_MS - 50);
    let snapshot = table.join(1);
    assert_eq!(snapshot.turn.unwrap().bank, ms(BANK_MS));
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS)));
    table.wait(BANK_MS - 1);
    table.take(1, 1, 1);
    assert_eq!((table.forfeit_reason(1), table.bank(1)), (None, ms(1)));
}

#[test]
fn after_the_hold_the_clock_of_an_absent_bot_runs() {
    let mut table = interrupted_match();
    table.take(1, 1, 1);
    table.take(2, 2, 1);
    table.resume(&[false; 3]);
    table.wait_for_end_of_hold();
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS - 300)));
    table.wait_for_deadline();
    assert_eq!(
        table.forfeit_reason(0),
        Some(ForfeitReason::Disconnected),
        "the bot moved before it disconnected, so it is not a no-show"
    );
    assert_eq!(
        table.referee.deadline(),
        Some(table.now + ms(BANK_MS - 400)),
        "there is one hold in total, not one for each turn"
    );
}

#[test]
fn a_late_tick_costs_no_thinking_time() {
    let mut table = interrupted_match();
    table.resume(&[false; 3]);
    assert_eq!(table.wait(HOLD_MS + 10 * BANK_MS), []);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS)));
}

#[test]
fn a_bot_that_reconnects_and_leaves_gets_no_second_hold() {
    let mut table = interrupted_match();
    table.resume(&[true; 3]);
    table.leave(2);
    table.take(1, 1, 1);
    assert_eq!(
        table.referee.deadline(),
        Some(table.now + ms(BANK_MS)),
        "seat 2 was connected when the match resumed"
    );
    table.resume(&[false; 3]);
    table.join(2);
    table.leave(2);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS)));
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(2), Some(ForfeitReason::Disconnected));
}

#[test]
fn a_hold_also_covers_the_next_seat() {
    let mut table = interrupted_match();
    table.resume(&[false; 3]);
    let end = table.now + ms(HOLD_MS);
    table.wait(40);
    table.join(1);
    table.wait(10);
    let effects = table.take(1, 1, 1);
    assert_eq!(turns_in(&effects)[0].0, 2);
    assert_eq!(table.referee.deadline(), Some(end));
    table.wait(20);
    table.join(2);
    table.wait(30);
    table.take(2, 2, 1);
    assert_eq!((table.bank(1), table.bank(2)), (ms(BANK_MS - 10), ms(BANK_MS - 30)));
    assert_eq!(table.referee.deadline(), Some(end), "seat 0 has yet to come back");
}

#[test]
fn a_take_during_the_hold_costs_no_time() {
    let mut table = interrupted_match();
    table.resume(&[false; 3]);
    table.wait(HOLD_MS - 1);
    assert_eq!(takes_in(&table.take(1, 1, 1)), [(1, 1, 1, Mover::Bot)]);
    assert_eq!(table.bank(1), ms(BANK_MS));
}

#[test]
fn a_bot_without_an_action_in_the_record_is_a_no_show() {
    let mut table = interrupted_match();
    table.resume(&[false; 3]);
    table.wait_for_end_of_hold();
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(1), Some(ForfeitReason::NoShow));
}

#[test]
fn any_action_in_the_record_proves_attendance() {
    let mut table = Table::open(declared_match(5, &[9; 9]));
    table.declare(0, &[4, 3, 2, 1, 0]);
    table.declare(1, &[9]);
    table.take(2, 0, 1);
    table.leave(3);
    table.wait_for_deadline();
    table.resume(&[false; 5]);
    table.wait_for_end_of_hold();
    for _ in 0..5 {
        table.wait_for_deadline();
    }
    let lost = [0, 1, 2, 3, 4].map(|seat| table.forfeit_reason(seat).unwrap());
    let (left, unseen) = (ForfeitReason::Disconnected, ForfeitReason::NoShow);
    assert_eq!(
        lost,
        [left, left, left, unseen, unseen],
        "the record does not show that the bots of seats 3 and 4 were connected"
    );
}

#[test]
fn the_declaration_clock_is_held_for_every_undeclared_seat() {
    let mut table = Table::open(declared_match(4, &[9]));
    table.declare(0, &[3, 2, 1, 0]);
    table.resign(1);
    table.wait(DECLARATION_MS - 1);
    let effects = table.resume(&[false, false, true, false]);
    assert_eq!(
        snapshots_in(&effects)[0].declaration_left,
        Some(ms(DECLARATION_MS)),
        "the time to declare starts again"
    );
    let end = table.now + ms(HOLD_MS);
    assert_eq!(table.referee.deadline(), Some(end), "seat 3 has yet to come back");
    table.wait(10);
    table.join(0);
    assert_eq!(table.referee.deadline(), Some(end));
    table.wait(10);
    assert_eq!(table.join(3).declaration_left, Some(ms(DECLARATION_MS)));
    assert_eq!(table.referee.deadline(), Some(table.now + ms(DECLARATION_MS)));
    table.wait_for_deadline();
    assert_eq!(
        (table.phase(), table.forfeit_reason(2), table.forfeit_reason(3)),
        (MatchPhase::Playing, None, None)
    );
}

#[test]
fn a_declared_row_may_end_the_hold() {
    let mut table = Table::open(declared_match(3, &[9]));
    table.resume(&[true, false, true]);
    table.wait(10);
    table.declare(1, &[0, 1, 2]);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(DECLARATION_MS)));
    table.declare(0, &[0, 1, 2]);
    assert!(reveals_rows(&table.declare(2, &[0, 1, 2])));
}

#[test]
fn the_declaration_clock_runs_after_the_hold() {
    let mut table = Table::open(declared_match(2, &[9]));
    table.resume(&[false, true]);
    table.wait_for_end_of_hold();
    assert_eq!(table.referee.deadline(), Some(table.now + ms(DECLARATION_MS)));
    assert!(reveals_rows(&table.wait_for_deadline()));
    assert_eq!([0, 1].map(|seat| table.forfeit_reason(seat)), [Some(ForfeitReason::NoShow), None]);
}

#[test]
fn events_after_a_resumption_are_never_earlier_than_the_record() {
    let mut table = interrupted_match();
    let last = table.record().events().last().unwrap().at;
    table.now = Timestamp::from_micros(5);
    let events = table.record().events().to_vec();
    table.resume_from(events, &[false; 3]);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(HOLD_MS)), "the deadline is in system time");
    table.take(1, 1, 1);
    assert_eq!((table.record().events().last().unwrap().at, table.bank(1)), (last, ms(BANK_MS)));
}

#[test]
fn after_the_clock_goes_back_each_seat_is_charged_for_elapsed_time() {
    let mut table = interrupted_match();
    let last = table.record().events().last().unwrap().at;
    table.now = last.minus(Duration::from_hours(2));
    let events = table.record().events().to_vec();
    table.resume_from(events, &[true; 3]);
    let running = table.referee.running_clock().unwrap();
    assert_eq!((running.since, running.until), (table.now, table.now + ms(BANK_MS)));
    table.now = table.now + ms(50);
    table.referee.excuse_span(table.now.minus(ms(20)), table.now);
    table.take(1, 1, 1);
    assert_eq!(
        (table.record().events().last().unwrap().at, table.bank(1)),
        (last + ms(50), ms(BANK_MS - 30))
    );
    let began = table.now;
    table.wait_for_deadline();
    assert_eq!((table.now, table.forfeit_reason(2)), (began + ms(BANK_MS), Some(ForfeitReason::TimedOut)));
    assert_eq!(table.record().events().last().unwrap().at, last + ms(50 + BANK_MS));
    let seat = table.seat(0);
    table.referee.hold_for_seat(seat, table.now, ms(HOLD_MS));
    assert_eq!(table.referee.running_clock().unwrap().until, table.now + ms(HOLD_MS + BANK_MS - 300));
}

#[test]
fn a_zero_hold_and_the_largest_timestamp_are_handled() {
    let table = interrupted_match();
    let nobody_present = || BySeat::filled(table.record().state().setup().seats(), &false);
    let (mut referee, _) =
        Referee::resume(table.record().clone(), nobody_present(), table.now, Duration::ZERO);
    referee.mark_effects_announced(table.now);
    assert_eq!(referee.deadline(), Some(table.now + ms(BANK_MS)));
    let end = Timestamp::from_micros(u64::MAX);
    let (mut referee, _) = Referee::resume(table.record().clone(), nobody_present(), end, Duration::MAX);
    referee.mark_effects_announced(end);
    assert_eq!(referee.deadline(), Some(end));
}

#[test]
fn a_finished_match_stays_finished() {
    let mut table = Table::open(standard_match(2, &[3]));
    table.take(0, 0, 3);
    let before = table.record().clone();
    assert_eq!(table.resume(&[true, true]), []);
    assert_eq!((table.record(), table.referee.deadline()), (&before, None));
    assert_eq!(table.join(1).phase, MatchPhase::Ended);
    assert_eq!(refusals_in(&table.resign(0)), [(0, RefusalReason::MatchEnded)]);
}

#[test]
fn decisions_due_at_a_resumption_are_made_once() {
    let mut table = Table::open(declared_match(3, &[2, 2]));
    table.declare(0, &[0, 1, 2]);
    table.declare(1, &[0, 1, 2]);
    let mut events = table.record().events().to_vec();
    let (at, seat) = (table.now, table.seat(2));
    let strike = Event::Struck { seat, ply: 0, reason: RefusalReason::NotStarted };
    events.extend([&strike; 3].map(|event| TimedEvent { at, event: event.clone() }));
    let effects = table.resume_from(events, &[true, false, false]);
    let row = crate::game::Row::standard(table.record().state().setup().seats());
    let defaulted = Some(RowDefault::Forfeited);
    let matrix = table.record().state().game().unwrap().matrix.clone();
    assert_eq!(
        events_in(&effects),
        [
            &Event::Forfeited { seat, reason: ForfeitReason::Strikes },
            &Event::Declared { seat, row, defaulted, note_hash: None },
            &Event::Revealed { matrix },
        ]
    );
    assert_eq!(snapshots_in(&effects)[0].turn.unwrap().ply, 0);
    assert_eq!(effects.len(), 4, "only the snapshot contains the turn");
    assert_eq!(events_in(&table.resume(&[true; 3])), [] as [&Event; 0]);
}

#[test]
fn all_seats_with_too_many_strikes_are_forfeited_at_a_resumption() {
    let table = Table::open(standard_match(3, &[2, 2]));
    let mut record = table.record().clone();
    let seats = record.state().setup().seats();
    for seat in seats.iter().flat_map(|seat| [seat; 3]) {
        let event = Event::Struck { seat, ply: 0, reason: RefusalReason::FuturePly };
        record.push_event(TimedEvent { at: table.now, event }).unwrap();
    }
    let (referee, _) = Referee::resume(record, BySeat::filled(seats, &true), table.now, ms(HOLD_MS));
    let state = referee.record().state();
    assert!(state.forfeits().iter().all(|lost| *lost == Some(ForfeitReason::Strikes)));
    assert_eq!(state.end().unwrap().0, EndReason::AllForfeited);
}

/// Returns the events without the times at which they happened.
fn strip_times(events: &[TimedEvent]) -> Vec<Event> {
    let event = |timed: &TimedEvent| match timed.event.clone() {
        Event::Took { ply, seat, take, mover, note_hash, .. } => {
            let (charged, credited) = (Duration::ZERO, Duration::ZERO);
            Event::Took { ply, seat, take, mover, charged, credited, note_hash }
        }
        event => event,
    };
    events.iter().map(event).collect()
}

fn events_of(referee: &Referee) -> &[TimedEvent] {
    referee.record().events()
}

fn truncated_record(record: &Record, kept: usize) -> Record {
    Record::replay(record.id(), record.events()[..kept].iter().cloned()).unwrap()
}

/// Cuts a match [without time pressure](Scenario::without_time_pressure) after `kept` events, resumes it, and plays on.
/// Checks that nothing changes except times.
fn check_crash_resumption(
    scenario: &Scenario,
    whole: &Record,
    kept: usize,
    step_end: usize,
    next_step: usize,
) {
    let (before, seats) = (truncated_record(whole, kept), scenario.setup.seats());
    let now = before.events()[kept - 1].at + ms(DOWNTIME_MS);
    let present = BySeat::from_fn(seats, |seat| (seat.index() + kept).is_multiple_of(2));
    let (mut referee, effects) = Referee::resume(before.clone(), present.clone(), now, ms(HOLD_MS));
    assert_eq!(
        strip_times(events_of(&referee)),
        strip_times(&whole.events()[..step_end]),
        "exactly the decisions that were due are made"
    );
    let decided: Vec<_> = effects.iter().filter_map(event_in).cloned().collect();
    assert_eq!(decided, events_of(&referee)[kept..]);
    let ended = before.state().phase() == MatchPhase::Ended;
    let shown = snapshots_in(&effects);
    assert_eq!(shown.len(), if ended { 0 } else { present.iter().filter(|&&present| present).count() });
    assert_eq!(effects.len(), decided.len() + shown.len());
    for snapshot in shown {
        let state = referee.record().state();
        assert_eq!(snapshot.banks, state.banks().map(TimeBank::left));
        let to_move = state.phase() == MatchPhase::Playing && state.position().to_move() == snapshot.seat;
        assert_eq!(snapshot.turn.is_some(), to_move);
    }
    referee.mark_effects_announced(now);
    let mut later = now;
    for step in next_step..scenario.step_count() {
        later = scenario.step(step, &mut referee, later, &mut |_| ());
    }
    assert_eq!(strip_times(events_of(&referee)), strip_times(whole.events()));
    for timed in &events_of(&referee)[kept..] {
        if let Event::Took { charged, credited, .. } = timed.event {
            assert!(
                charged + credited <= timed.at.since(now),
                "no seat is charged for time before the restart"
            );
        }
    }
    check_record(referee.record());
}

proptest! {
    #![proptest_config(crate::game::testing::cases(64))]

    #[test]
    fn resuming_at_any_event_does_not_change_the_match(scenario in scenario()) {
        let scenario = scenario.without_time_pressure();
        let (mut referee, mut now) = scenario.begin();
        referee.mark_effects_announced(now);
        // For each event: the number of events in the record when the referee had handled the same input, and the index
        // of the step after that input.
        let mut ends = vec![(events_of(&referee).len(), 0); events_of(&referee).len()];
        for step in 0..scenario.step_count() {
            now = scenario.step(step, &mut referee, now, &mut |_| ());
            ends.resize(events_of(&referee).len(), (events_of(&referee).len(), step + 1));
        }
        let whole = referee.into_record();
        prop_assert_eq!(whole.state().phase(), MatchPhase::Ended);
        for (index, (step_end, next_step)) in ends.into_iter().enumerate() {
            if index + 1 >= count_events_stored_at_once(&whole) {
                check_crash_resumption(&scenario, &whole, index + 1, step_end, next_step);
            }
        }
    }
}

/// Returns the number of events at the beginning that are always stored together: `created`, and `dealt` if rows are
/// dealt.
fn count_events_stored_at_once(record: &Record) -> usize {
    1 + usize::from(record.state().setup().deal.is_some())
}

/// A crash of the server: when it happens, which events are lost, and how the match is resumed.
#[derive(Debug, Clone)]
struct Crash {
    step: prop::sample::Index,
    /// The number of events lost from the end of the record.
    lost: usize,
    /// The seats whose bots are connected when the match resumes, as bits.
    present: u32,
    /// How long the server is down, in microseconds.
    down: u64,
    /// How long clocks are held for absent bots, in microseconds.
    hold: u64,
}

fn any_crash() -> impl Strategy<Value = Crash> {
    let down = prop_oneof![4 => 0..20_000_u64, 1 => any::<u64>().prop_map(|micros| micros >> 20)];
    (any::<prop::sample::Index>(), 0..3_usize, any::<u32>(), down, 0..20_000_u64)
        .prop_map(|(step, lost, present, down, hold)| Crash { step, lost, present, down, hold })
}

impl Crash {
    fn resume(&self, referee: Referee, now: Timestamp) -> (Referee, Timestamp) {
        let before = referee.into_record();
        let kept = before.events().len().saturating_sub(self.lost).max(count_events_stored_at_once(&before));
        let before = truncated_record(&before, kept);
        let is_present = |seat: Seat| self.present >> seat.index() & 1 == 1;
        let present = BySeat::from_fn(before.state().setup().seats(), is_present);
        let now = now + Duration::from_micros(self.down);
        let hold = Duration::from_micros(self.hold);
        let (referee, effects) = Referee::resume(before, present, now, hold);
        let decided: Vec<_> = effects.iter().filter_map(event_in).cloned().collect();
        assert_eq!(decided, events_of(&referee)[kept..]);
        assert!(decided.iter().all(|event| event.at == now));
        (referee, now)
    }
}

proptest! {
    #[test]
    fn resumed_matches_end_and_follow_the_rules_for_any_inputs(
        scenario in scenario(),
        cuts in prop::collection::vec(any_crash(), 1..5),
    ) {
        let (mut referee, mut now) = scenario.begin();
        let mut resumed = now;
        for step in 0..scenario.step_count() {
            for cut in cuts.iter().filter(|cut| cut.step.index(scenario.step_count()) == step) {
                (referee, now) = cut.resume(referee, now);
                resumed = now;
            }
            now = scenario.step(step, &mut referee, now, &mut |observation| {
                for timed in observation.effects.iter().filter_map(event_in) {
                    if let Event::Took { charged, credited, .. } = timed.event {
                        assert!(charged + credited <= timed.at.since(resumed));
                    }
                }
                let runs_out = observation.deadline.is_some_and(|deadline| deadline <= observation.now);
                let is_by_clock = |reason| {
                    !matches!(reason, ForfeitReason::Strikes | ForfeitReason::Resigned | ForfeitReason::Disqualified)
                };
                let lost = observation.effects.iter().filter_map(event_in).any(
                    |timed| matches!(timed.event, Event::Forfeited { reason, .. } if is_by_clock(reason)),
                );
                assert!(!lost || runs_out, "no seat is forfeited before the deadline");
            });
        }
        let record = finish_by_timeouts(referee, now, &mut |_| ());
        check_record(&record);
        let replayed = Record::replay(record.id(), record.events().iter().cloned());
        prop_assert_eq!(replayed.as_ref(), Ok(&record));
    }
}

#[test]
fn storing_time_extends_a_hold() {
    let mut table = interrupted_match();
    table.resume(&[true, false, true]);
    let (from, until) = (table.now + ms(50), table.now + ms(1_050));
    table.referee.excuse_span(from, until);
    table.now = until;
    assert_eq!(table.wait(HOLD_MS - 51), []);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(1)));
    assert_eq!(table.wait(1), []);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS)));
}

/// How long a bot that lost its stream because of the server has to reconnect, in milliseconds.
const GRACE_MS: u64 = 2 * BANK_MS;

impl Table {
    /// Makes a seat's bot lose its stream because of the server.
    fn lose_stream(&mut self, seat: usize) {
        self.referee.hold_for_seat(self.seat(seat), self.now, ms(GRACE_MS));
        self.leave(seat);
    }
}

#[test]
fn a_clock_stops_until_a_lost_stream_is_back() {
    let mut table = interrupted_match();
    table.lose_stream(1);
    table.wait(GRACE_MS - 1);
    assert_eq!(table.join(1).turn.unwrap().bank, ms(BANK_MS - 400));
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS - 400)));
    table.wait(100);
    table.take(1, 1, 1);
    assert_eq!((table.forfeit_reason(1), table.bank(1)), (None, ms(BANK_MS - 500)));
    table.wait(70);
    table.take(2, 2, 1);
    assert_eq!(table.bank(2), ms(BANK_MS - 70), "the next turn gets no extra time");
}

#[test]
fn the_match_waits_for_a_lost_stream_for_the_grace_period() {
    let mut table = interrupted_match();
    table.lose_stream(1);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(GRACE_MS + BANK_MS - 400)));
    table.wait_for_deadline();
    assert_eq!(table.forfeit_reason(1), Some(ForfeitReason::Disconnected));
}

#[test]
fn storing_time_during_a_lost_stream_is_excused_once() {
    let mut table = interrupted_match();
    table.lose_stream(1);
    let (from, until) = (table.now + ms(50), table.now + ms(1_050));
    table.referee.excuse_span(from, until);
    table.now = until;
    assert_eq!(table.referee.deadline(), Some(table.now + ms(GRACE_MS - 50 + BANK_MS - 400)));
    table.join(1);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS - 400)));
}

#[test]
fn a_turn_after_a_lost_stream_waits_for_its_bot() {
    let mut table = interrupted_match();
    table.lose_stream(2);
    let until = table.now + ms(GRACE_MS);
    table.take(1, 1, 1);
    assert_eq!(table.referee.deadline(), Some(until));
    table.wait(300);
    table.join(2);
    assert_eq!(table.referee.deadline(), Some(table.now + ms(BANK_MS)));
}

#[test]
fn the_declaration_clock_stops_until_all_lost_streams_are_back() {
    let mut table = Table::open(declared_match(3, &[3, 3]));
    table.wait(100);
    table.lose_stream(0);
    table.wait(50);
    table.lose_stream(1);
    table.wait(2 * DECLARATION_MS);
    table.join(0);
    table.wait(2 * DECLARATION_MS - 100);
    let left = ms(DECLARATION_MS - 100);
    assert_eq!(table.join(1).declaration_left, Some(left));
    assert_eq!(table.referee.deadline(), Some(table.now + left));
}
