//! Resumption of a match from its record, after a restart of its server or on another server.
//!
//! No bot is charged for the interruption: the record shows how much time each seat has left, and the interrupted turn
//! starts again. Bots have lost their streams, so they get some time to reconnect before their clocks run.

use super::absence::no_departures;
use super::{ClockStops, Referee};
use crate::game::{BySeat, Seat, SeatSet};
use crate::oracle::Mover;
use crate::referee::{
    Event, ForfeitReason, MatchPhase, MatchState, Record, RefereeEffect, RowDefault, SeatMessage, TalkSecret,
    TimedEvent, Timestamp,
};
use std::time::Duration;

/// Temporarily holds the clocks of bots that have not reconnected yet.
#[derive(Debug)]
pub(super) struct ClockHold {
    /// When the hold ends.
    pub(super) until: Timestamp,
    /// The seats whose bots have been connected since the match began or resumed, and have not lost their streams
    /// because of the server since then.
    returned: SeatSet,
    /// Whether the hold stops a clock that was already running. If so, the last excused span lasts until the hold ends
    /// or the bot is back.
    stops_clock: bool,
}

impl ClockHold {
    fn new(until: Timestamp, returned: SeatSet) -> Self {
        Self { until, returned, stops_clock: false }
    }
}

impl Referee {
    /// Resumes a match from its record. `present` marks the seats whose bots are connected.
    ///
    /// Until `hold` has passed since `now`, a seat's clock does not start before its bot has connected once. While
    /// seats talk or declare rows, this applies to the one clock that they share. If a bot reconnects and leaves again,
    /// its clock runs as usual. The banks are as in the record, and the interrupted turn, round of talk or time to
    /// declare starts again at [`mark_effects_announced`](Self::mark_effects_announced).
    ///
    /// If the record ends in the middle of a decision, the effects begin with the events that are still due. A snapshot
    /// follows for each seat whose bot is connected; it contains the turn if the seat is to move. There are no effects
    /// if the match is over.
    ///
    /// If the system clock was set back to before the last event, match times continue from that event, so seats are
    /// still charged exactly the time that passes. Other matches on the server are not affected.
    ///
    /// A bot that does not appear in the record and does not reconnect counts as a no-show.
    pub fn resume(
        record: Record,
        present: BySeat<bool>,
        now: Timestamp,
        hold: Duration,
    ) -> (Self, Vec<RefereeEffect>) {
        let seats = record.state().setup().seats();
        let last = record.events().last().map_or(now, |event| event.at);
        let ahead = last.since(now);
        let now = now.max(last);
        let present = SeatSet::from(present);
        let mut referee = Self {
            now,
            ahead,
            waiting_since: None,
            announced_turn: None,
            present,
            ever_connected: present.union(seats_ever_active(&record)),
            left_at: no_departures(record.state().setup()),
            lag_us: BySeat::filled(seats, &0),
            talk_secret: TalkSecret::default(),
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
        referee.apply_overdue_decisions(&mut effects);
        // Only events are kept, because the snapshots contain the turn.
        effects.retain(|effect| matches!(effect, RefereeEffect::EventOccurred(_)));
        for seat in seats.iter().filter(|&seat| present.contains(seat)) {
            let message = SeatMessage::Snapshot(Box::new(referee.snapshot_for_seat(seat)));
            effects.push(RefereeEffect::SendToSeat { seat, message });
        }
        (referee, effects)
    }

    /// Gives absent bots `span` to connect before their clocks run, as [`resume`](Self::resume) does. This is for a
    /// match that begins while bots are still reconnecting to the server.
    pub fn hold_for_absent(&mut self, span: Duration) {
        self.stops_mut().hold = Some(ClockHold::new(self.now + span, self.present));
        self.advance_time(self.now);
    }

    /// Tells the referee that a seat's bot lost its stream at `at` because of the server. The bot has `span` to
    /// reconnect, and its clock stands still until it is back or `span` has passed.
    pub fn hold_for_seat(&mut self, seat: Seat, at: Timestamp, span: Duration) {
        let seats = self.state().setup().seats();
        let at = self.to_match_time(at);
        let until = at + span;
        let stops = self.stops_mut();
        let hold = stops.hold.get_or_insert_with(|| ClockHold::new(until, SeatSet::all(seats)));
        hold.until = hold.until.max(until);
        hold.returned.remove(seat);
        let Some(until) = self.held_until() else { return };
        let since = self.waiting_since;
        let ClockStops { excused, hold } = self.stops_mut();
        match (hold, since) {
            (Some(ClockHold { stops_clock: true, .. }), _) => self.set_stop_end(until),
            (Some(hold), Some(since)) => {
                hold.stops_clock = true;
                let excused_until = excused.last().map_or(since, |&(_, until)| until);
                excused.push((at.max(since).max(excused_until), until));
            }
            _ => {}
        }
    }

    /// Makes the decisions that are due after the last event but missing from the record.
    fn apply_overdue_decisions(&mut self, effects: &mut Vec<RefereeEffect>) {
        self.reveal_if_settled(effects);
        for seat in self.state().setup().seats().iter() {
            if is_struck_out(self.state(), seat) {
                self.forfeit_seat(seat, ForfeitReason::Strikes, effects);
            }
        }
        for seat in self.state().setup().seats().iter() {
            if is_forfeited_without_row(self.state(), seat) {
                self.declare_default_row(seat, RowDefault::Forfeited, effects);
            }
        }
        self.end_rounds_if_due(effects);
        self.reveal_if_settled(effects);
        if self.state().phase() == MatchPhase::Playing {
            self.advance_to_next_turn(effects);
        }
    }

    /// Returns when the hold on the clock ends at the latest; `None` if the clock is not held for a bot that has yet to
    /// reconnect.
    pub(super) fn held_until(&self) -> Option<Timestamp> {
        let hold = self.stops.as_ref()?.hold.as_ref()?;
        let state = self.state();
        let stands_still = match state.phase() {
            MatchPhase::Talking | MatchPhase::Declaring => state.setup().seats().iter().any(|seat| {
                !hold.returned.contains(seat)
                    && state.row_of_seat(seat).is_none()
                    && !state.has_ended_talk(seat)
            }),
            MatchPhase::Playing => !hold.returned.contains(state.position().to_move()),
            MatchPhase::Ended => false,
        };
        stands_still.then_some(hold.until)
    }

    /// If a hold had not ended when a span began, extends the hold by the span's length. Returns whether the hold stops
    /// the running clock.
    pub(super) fn prolong_hold(&mut self, from: Timestamp, until: Timestamp) -> bool {
        let Some(hold) = self.hold_mut().filter(|hold| from < hold.until) else { return false };
        hold.until = hold.until + until.since(from);
        let (stops_clock, until) = (hold.stops_clock, hold.until);
        if stops_clock {
            self.set_stop_end(until);
        }
        stops_clock
    }

    /// Ends the hold for a seat whose bot is back.
    pub(super) fn release_hold_for(&mut self, seat: Seat) {
        let Some(hold) = self.hold_mut() else { return };
        hold.returned.insert(seat);
        if hold.stops_clock && self.held_until().is_none() {
            self.set_stop_end(self.now);
            self.clear_stopped_clock();
        }
    }

    /// Records that the hold no longer stops a running clock, because that clock's turn is over.
    pub(super) fn clear_stopped_clock(&mut self) {
        if let Some(hold) = self.hold_mut() {
            hold.stops_clock = false;
        }
    }

    fn set_stop_end(&mut self, to: Timestamp) {
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

/// Returns whether a seat has enough strikes to be forfeited but is not forfeited yet.
fn is_struck_out(state: &MatchState, seat: Seat) -> bool {
    let open = state.phase() != MatchPhase::Ended && state.forfeits()[seat].is_none();
    open && state.strikes()[seat] >= state.setup().terms.strikes
}

/// Returns whether a seat was forfeited before it had a row.
fn is_forfeited_without_row(state: &MatchState, seat: Seat) -> bool {
    state.game().is_none()
        && state.phase() != MatchPhase::Ended
        && state.row_of_seat(seat).is_none()
        && state.forfeits()[seat].is_some()
}

/// Returns the seats whose bots, according to the record, were connected at some point.
fn seats_ever_active(record: &Record) -> SeatSet {
    let mut active = SeatSet::default();
    for TimedEvent { event, .. } in record.events() {
        let sign = match event {
            Event::Declared { seat, defaulted: None | Some(RowDefault::Invalid), .. }
            | Event::Took { seat, mover: Mover::Bot, .. }
            | Event::Struck { seat, .. }
            | Event::TalkEnded { seat, .. } => Some(seat),
            Event::Said(message) => Some(&message.seat),
            Event::Forfeited { seat, reason } => {
                let by_bot = !matches!(reason, ForfeitReason::NoShow | ForfeitReason::Disqualified);
                by_bot.then_some(seat)
            }
            Event::Created(_)
            | Event::Dealt(_)
            | Event::Heard { .. }
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
