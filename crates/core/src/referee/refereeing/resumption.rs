//! The resumption of a match from its record, after its server was down or when another server takes it over.
//!
//! Nobody is to pay for that. The record says what each seat has left, so that the turn that was cut off begins anew; and
//! bots, which have all lost their streams, are given a while to come back before a clock runs against them.

use super::{ClockStops, Referee};
use crate::game::{BySeat, Seat, SeatSet};
use crate::oracle::Mover;
use crate::referee::{
    Event, ForfeitReason, MatchPhase, MatchState, Record, RefereeEffect, RowDefault, SeatMessage, TimedEvent,
    Timestamp,
};
use std::time::Duration;

/// Keeps the clocks of bots that have yet to come back to the server from running, for a while.
#[derive(Debug)]
pub(super) struct ClockHold {
    /// Until when; from then on everything runs as always.
    pub(super) until: Timestamp,
    /// Whose bots have been connected at any time since the match was resumed, or begun, and have not lost their streams to
    /// a gap since.
    returned: SeatSet,
    /// Whether it stops a clock that ran already: the last excused span lasts until the end of the hold then, or until the
    /// bot is back.
    stops_clock: bool,
}

impl ClockHold {
    fn new(until: Timestamp, returned: SeatSet) -> Self {
        Self { until, returned, stops_clock: false }
    }
}

impl Referee {
    /// Carries on a match from its record. `present` says whose bots are connected.
    ///
    /// For at most `hold` from `now` on, the clock of a seat that is waited for does not begin to run before the seat's
    /// bot has been connected once; while rows are declared, that goes for the one clock of all seats whose rows are not
    /// in. Whose bot has come back and leaves again is treated as always. Banks are what the record says: the turn, or the
    /// time to declare, that was cut off begins anew, once it is [`effects_announced`](Self::effects_announced).
    ///
    /// The effects are the events that were due, for a record that does not stand at the end of a decision, and then a
    /// snapshot for each seat whose bot is present, with its turn in it. A match that is over has no effects.
    ///
    /// A bot of which the record shows no sign and which does not come back never came, as far as can be known.
    pub fn resume(
        record: Record,
        present: BySeat<bool>,
        now: Timestamp,
        hold: Duration,
    ) -> (Self, Vec<RefereeEffect>) {
        let seats = record.state().setup().seats();
        let last = record.events().last().map_or(now, |event| event.at);
        let now = now.max(last);
        let present = SeatSet::from(present);
        let mut referee = Self {
            now,
            waiting_since: None,
            turn_told: None,
            present,
            came: present.union(seats_once_active(&record)),
            lag_us: BySeat::filled(seats, &0),
            stops: None,
            solution: None,
            record,
        };
        referee.stops_mut().hold = Some(ClockHold::new(now + hold, present));
        referee.advance_time(now);
        let mut effects = Vec::new();
        if referee.state().phase() == MatchPhase::Ended {
            return (referee, effects);
        }
        referee.take_overdue_decisions(&mut effects);
        // The turn is in the snapshots.
        effects.retain(|effect| matches!(effect, RefereeEffect::Happened(_)));
        for seat in seats.iter().filter(|&seat| present.contains(seat)) {
            let tell = SeatMessage::Snapshot(Box::new(referee.snapshot_for_seat(seat)));
            effects.push(RefereeEffect::Tell { seat, tell });
        }
        (referee, effects)
    }

    /// Gives the bots that are not connected `span` to come before a clock runs against them, as [`resume`](Self::resume)
    /// does: for a match that has just begun on a server to which they have yet to come back.
    pub fn hold_for_absent(&mut self, span: Duration) {
        self.stops_mut().hold = Some(ClockHold::new(self.now + span, self.present));
        self.advance_time(self.now);
    }

    /// Says that a seat's bot has lost its stream at `at` because the server stood still: it is given `span` from then on to
    /// come back before its clock runs, and a clock that runs stands still meanwhile.
    pub fn hold_for_seat(&mut self, seat: Seat, at: Timestamp, span: Duration) {
        let seats = self.state().setup().seats();
        let until = at + span;
        let stops = self.stops_mut();
        let hold = stops.hold.get_or_insert_with(|| ClockHold::new(until, SeatSet::all(seats)));
        hold.until = hold.until.max(until);
        hold.returned.remove(seat);
        let Some(until) = self.held_until() else { return };
        let since = self.waiting_since;
        let ClockStops { excused, hold } = self.stops_mut();
        match (hold, since) {
            (Some(ClockHold { stops_clock: true, .. }), _) => self.move_end_of_stop(until),
            (Some(hold), Some(since)) => {
                hold.stops_clock = true;
                let excused_until = excused.last().map_or(since, |&(_, until)| until);
                excused.push((at.max(since).max(excused_until), until));
            }
            _ => {}
        }
    }

    /// Takes the decisions that the last events call for and that the record does not hold.
    fn take_overdue_decisions(&mut self, effects: &mut Vec<RefereeEffect>) {
        self.reveal_if_settled(effects);
        for seat in self.state().setup().seats().iter() {
            if is_struck_out(self.state(), seat) {
                self.forfeit_seat(seat, ForfeitReason::Strikes, effects);
            }
        }
        for seat in self.state().setup().seats().iter() {
            if is_lost_without_row(self.state(), seat) {
                self.declare_default_row(seat, RowDefault::Forfeited, effects);
            }
        }
        self.reveal_if_settled(effects);
        if self.state().phase() == MatchPhase::Playing {
            self.advance_to_next_turn(effects);
        }
    }

    /// Returns until when the clock stands still because a bot that is waited for has yet to come back; `None` if it does
    /// not.
    pub(super) fn held_until(&self) -> Option<Timestamp> {
        let hold = self.stops.as_ref()?.hold.as_ref()?;
        let state = self.state();
        let stands_still = match state.phase() {
            MatchPhase::Declaring => state.setup().seats().iter().any(|seat| {
                !hold.returned.contains(seat)
                    && state.row_of_seat(seat).is_none()
                    && !state.is_forfeited(seat)
            }),
            MatchPhase::Playing => !hold.returned.contains(state.position().to_move()),
            MatchPhase::Ended => false,
        };
        stands_still.then_some(hold.until)
    }

    /// Lets a hold that has not ended before a span last as much longer. Returns whether that excuses the clock that runs.
    pub(super) fn prolong_hold(&mut self, from: Timestamp, until: Timestamp) -> bool {
        let Some(hold) = self.hold_mut().filter(|hold| from < hold.until) else { return false };
        hold.until = hold.until + until.since(from);
        let (stops_clock, until) = (hold.stops_clock, hold.until);
        if stops_clock {
            self.move_end_of_stop(until);
        }
        stops_clock
    }

    /// Lets the clock of a seat run again, whose bot has come back.
    pub(super) fn release_hold_for(&mut self, seat: Seat) {
        let Some(hold) = self.hold_mut() else { return };
        hold.returned.insert(seat);
        if hold.stops_clock && self.held_until().is_none() {
            self.move_end_of_stop(self.now);
            self.forget_stopped_clock();
        }
    }

    /// Says that the clock which was stopped is that of a turn that is over.
    pub(super) fn forget_stopped_clock(&mut self) {
        if let Some(hold) = self.hold_mut() {
            hold.stops_clock = false;
        }
    }

    fn move_end_of_stop(&mut self, to: Timestamp) {
        if let Some((from, until)) = self.stops_mut().excused.last_mut() {
            *until = to.max(*from);
        }
    }

    fn stops_mut(&mut self) -> &mut ClockStops {
        self.stops.get_or_insert_default()
    }

    fn hold_mut(&mut self) -> Option<&mut ClockHold> {
        self.stops.as_mut()?.hold.as_mut()
    }
}

/// Returns whether a seat has all its strikes and is not lost yet.
fn is_struck_out(state: &MatchState, seat: Seat) -> bool {
    let open = state.phase() != MatchPhase::Ended && state.forfeits()[seat].is_none();
    open && state.strikes()[seat] >= state.setup().terms.strikes
}

/// Returns whether a seat was lost while rows are declared and has none.
fn is_lost_without_row(state: &MatchState, seat: Seat) -> bool {
    state.phase() == MatchPhase::Declaring
        && state.row_of_seat(seat).is_none()
        && state.forfeits()[seat].is_some()
}

/// Returns of which seats the record shows that their bots were connected at some time.
fn seats_once_active(record: &Record) -> SeatSet {
    let mut active = SeatSet::default();
    for TimedEvent { event, .. } in record.events() {
        let sign = match event {
            Event::Declared { seat, defaulted: None | Some(RowDefault::Invalid), .. }
            | Event::Took { seat, mover: Mover::Bot, .. }
            | Event::Struck { seat, .. } => Some(seat),
            Event::Forfeited { seat, reason } => {
                let by_bot = !matches!(reason, ForfeitReason::NoShow | ForfeitReason::Disqualified);
                by_bot.then_some(seat)
            }
            Event::Created(_)
            | Event::Declared { .. }
            | Event::Revealed { .. }
            | Event::Took { .. }
            | Event::Ended { .. } => None,
        };
        if let Some(&seat) = sign {
            active.insert(seat);
        }
    }
    active
}
