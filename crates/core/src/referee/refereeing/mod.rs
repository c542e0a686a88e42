//! The referee: decides the consequences of actions and of time passing.

mod absence;
mod resumption;
mod talking;

use absence::no_departures;
use resumption::ClockHold;

use super::state::DecidedTake;
use super::time::whole_micros;
use super::{
    DealtRows, EndReason, Event, ForfeitReason, MatchPhase, MatchSetup, MatchSnapshot, MatchState, NoteHash,
    Record, RefereeEffect, RefereeInput, Refusal, RefusalReason, RowDefault, SeatAction, SeatMessage,
    TalkSecret, TimedEvent, Timestamp, Turn,
};
use crate::game::{BySeat, MatchId, Row, Seat, SeatSet};
use crate::oracle::{Mover, Solution};
use std::time::Duration;

/// The referee of one match. It keeps the record and the transient state, such as which bots are connected, their lag,
/// and when the running clock started.
#[derive(Debug)]
pub struct Referee {
    record: Record,
    /// The latest match time so far. All match times here are later than the time of the system clock by `ahead`.
    now: Timestamp,
    /// How far the record was ahead of the system clock when the match was resumed; match times continue from the
    /// record's last event.
    ahead: Duration,
    /// When the running clock started; `None` if no clock is running.
    waiting_since: Option<Timestamp>,
    /// The ply of the last turn that was announced.
    announced_turn: Option<u32>,
    /// The seats whose bots are connected.
    present: SeatSet,
    /// The seats whose bots have been connected at any time during the match.
    ever_connected: SeatSet,
    /// When the bot of each seat last disconnected; `None` if bots need not return within a span.
    left_at: Option<BySeat<Timestamp>>,
    lag_us: BySeat<u64>,
    talk_secret: TalkSecret,
    /// The times when clocks did not run; `None` if no clock was ever stopped or held.
    stops: Option<Box<ClockStops>>,
    /// The solution of the match's game, computed on first use.
    solution: Option<Box<Solution>>,
}

/// The spans in which clocks are stopped, and the hold for bots that have yet to reconnect.
#[derive(Debug, Default)]
struct ClockStops {
    /// The spans during which the running clock was stopped, in order.
    excused: Vec<(Timestamp, Timestamp)>,
    /// The hold for bots that have yet to reconnect after a failure of the server.
    hold: Option<ClockHold>,
}

/// The running clock: that of a round of talk, of all seats that have yet to declare, or of the seat to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningClock {
    /// When the clock started.
    pub since: Timestamp,
    /// When the clock runs out, unless something stops it first.
    pub until: Timestamp,
}

/// A take that a bot sent.
#[derive(Debug)]
struct SubmittedTake {
    ply: u32,
    take: u64,
    note_hash: Option<NoteHash>,
}

impl Referee {
    /// Begins a match. `present` marks the seats whose bots are connected.
    ///
    /// # Panics
    /// If [`MatchSetup::validate`] rejects the setup, or rows are dealt.
    pub fn begin(
        id: MatchId,
        setup: MatchSetup,
        present: BySeat<bool>,
        now: Timestamp,
    ) -> (Self, Vec<RefereeEffect>) {
        Self::begin_dealt(id, setup, None, present, now)
    }

    /// Begins a match. `dealt` contains the rows to which the setup is committed, or is `None` if no rows are dealt.
    /// `present` marks the seats whose bots are connected.
    ///
    /// # Panics
    /// If [`MatchSetup::validate`] rejects the setup, or the dealt rows do not match its commitments.
    pub fn begin_dealt(
        id: MatchId,
        setup: MatchSetup,
        dealt: Option<Box<DealtRows>>,
        present: BySeat<bool>,
        now: Timestamp,
    ) -> (Self, Vec<RefereeEffect>) {
        assert_eq!(setup.deal.is_some(), dealt.is_some(), "a setup with a deal comes with the dealt rows");
        let present = SeatSet::from(present);
        let assigned = setup.assigned.is_some();
        let seats = setup.seats();
        let left_at = no_departures(&setup);
        let created = TimedEvent { at: now, event: Event::Created(Box::new(setup)) };
        let mut effects = vec![RefereeEffect::EventOccurred(created.clone())];
        let mut referee = Self {
            record: Record::begin(id, created).expect("the first event is `created` with a valid setup"),
            now,
            ahead: Duration::ZERO,
            waiting_since: None,
            announced_turn: None,
            present,
            ever_connected: present,
            left_at,
            lag_us: BySeat::filled(seats, &0),
            talk_secret: TalkSecret::default(),
            stops: None,
            solution: None,
        };
        if let Some(dealt) = dealt {
            referee.record_event(Event::Dealt(dealt), &mut effects);
        }
        if assigned {
            referee.reveal_rows(&mut effects);
        }
        (referee, effects)
    }

    /// Returns the record so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Consumes the referee and returns the record.
    pub fn into_record(self) -> Record {
        self.record
    }

    /// Returns when the next [`RefereeInput::Tick`] is due, because a clock runs out or a hold for an absent bot ends.
    /// `None` if no clock is running or held.
    pub fn deadline(&self) -> Option<Timestamp> {
        Some(self.to_clock_time(self.timeout_at().or_else(|| self.held_until())?))
    }

    /// Returns the running clock; `None` if no clock is running.
    pub fn running_clock(&self) -> Option<RunningClock> {
        let (since, until) = (self.waiting_since?, self.timeout_at()?);
        Some(RunningClock { since: self.to_clock_time(since), until: self.to_clock_time(until) })
    }

    /// Converts a time of the system clock to a match time.
    fn to_match_time(&self, at: Timestamp) -> Timestamp {
        at + self.ahead
    }

    /// Converts a match time to a time of the system clock.
    fn to_clock_time(&self, at: Timestamp) -> Timestamp {
        at.minus(self.ahead)
    }

    fn timeout_at(&self) -> Option<Timestamp> {
        let since = self.waiting_since?;
        let state = self.state();
        let allowed = match state.phase() {
            MatchPhase::Talking => whole_micros(state.setup().terms.talk?.round_time),
            MatchPhase::Declaring => whole_micros(state.setup().clock().declaration),
            MatchPhase::Playing => {
                let seat = state.position().to_move();
                let bank = &state.banks()[seat];
                bank.left_us().saturating_add(bank.lag_credit_us(self.lag_us[seat], state.allowance()))
            }
            MatchPhase::Ended => return None,
        };
        let runs_out = self.add_excused(since, since.plus_micros(allowed));
        Some(self.return_deadline(since).map_or(runs_out, |back_by| back_by.min(runs_out)))
    }

    /// Adds to a deadline the time in which the running clock is stopped between `since` and the deadline.
    fn add_excused(&self, since: Timestamp, deadline: Timestamp) -> Timestamp {
        let stopped = |deadline, &(from, until): &(Timestamp, Timestamp)| {
            let from = from.max(since);
            if from < deadline { deadline + until.since(from) } else { deadline }
        };
        self.excused_spans().iter().fold(deadline, stopped)
    }

    /// Returns how many microseconds the running clock has run by the time `at`; 0 if no clock is running.
    fn micros_waited(&self, at: Timestamp) -> u64 {
        let Some(since) = self.waiting_since else { return 0 };
        let spans = self.excused_spans().iter();
        let excused: u64 = spans.map(|&(from, until)| at.min(until).micros_since(from)).sum();
        at.micros_since(since).saturating_sub(excused)
    }

    fn excused_spans(&self) -> &[(Timestamp, Timestamp)] {
        self.stops.as_ref().map_or(&[], |stops| &stops.excused)
    }

    /// Tells the referee that all effects so far have been stored and sent. Only then does the next clock start, unless
    /// it is held, so that bots are not charged for the server's work.
    pub fn mark_effects_announced(&mut self, now: Timestamp) {
        self.advance_time(self.to_match_time(now));
        let ended = self.state().phase() == MatchPhase::Ended;
        if self.waiting_since.is_none() && !ended && self.held_until().is_none() {
            self.waiting_since = Some(self.now);
            if let Some(stops) = &mut self.stops {
                stops.excused.clear();
            }
            self.clear_stopped_clock();
        }
    }

    /// Tells the referee that the server was busy storing data from `from` to `until`. A running clock counts as
    /// stopped during this span, and a hold lasts that much longer. Spans must be reported in order.
    pub fn excuse_span(&mut self, from: Timestamp, until: Timestamp) {
        let (from, until) = (self.to_match_time(from), self.to_match_time(until));
        if self.prolong_hold(from, until) {
            return;
        }
        if let Some(since) = self.waiting_since
            && from.max(since) < until
        {
            self.stops.get_or_insert_default().excused.push((from.max(since), until));
        }
    }

    /// Sets the round-trip lag of a seat's stream. Its whole microseconds are credited within the clock's quotas.
    pub fn set_lag(&mut self, seat: Seat, lag: Duration) {
        self.lag_us[seat] = whole_micros(lag);
    }

    /// Handles an input that arrived at `at`.
    ///
    /// Inputs may wait in a queue before they are handled. A seat's clock stops when its take arrives, but the record
    /// shows when the referee handled the take; recorded times never decrease.
    ///
    /// Cancelling a match does not forfeit any seat.
    ///
    /// # Panics
    /// If the match has no such seat.
    #[must_use = "an event that is not stored and announced is lost"]
    pub fn handle_input(&mut self, input: RefereeInput, at: Timestamp) -> Vec<RefereeEffect> {
        let mut effects = Vec::with_capacity(2);
        self.handle_input_into(input, at, &mut effects);
        effects
    }

    /// Like [`handle_input`](Self::handle_input), but appends to `effects`, so that one list can be reused for many
    /// inputs and matches.
    ///
    /// # Panics
    /// If the match has no such seat.
    pub fn handle_input_into(
        &mut self,
        input: RefereeInput,
        at: Timestamp,
        effects: &mut Vec<RefereeEffect>,
    ) {
        let at = self.to_match_time(at);
        self.advance_time(at);
        // A bot that acts must have been connected. A referee that resumes from the record draws the same conclusion.
        if let RefereeInput::Act { seat, .. } = &input {
            self.ever_connected.insert(*seat);
        }
        if !matches!(input, RefereeInput::Cancel) {
            self.apply_timeouts(at, effects);
        }
        match input {
            RefereeInput::Joined { seat } => {
                self.present.insert(seat);
                self.ever_connected.insert(seat);
                self.release_hold_for(seat);
                let message = SeatMessage::Snapshot(Box::new(self.snapshot_for_seat(seat)));
                effects.push(RefereeEffect::SendToSeat { seat, message });
            }
            RefereeInput::Left { seat } => self.note_departure(seat),
            RefereeInput::Act { seat, action } => match action {
                SeatAction::Declare { note_hash: Err(error), .. }
                | SeatAction::Take { note_hash: Err(error), .. } => {
                    self.refuse_message(seat, RefusalReason::Malformed, error.to_string(), effects);
                }
                SeatAction::Declare { offsets, note_hash: Ok(note_hash) } => {
                    self.handle_declaration(seat, &offsets, note_hash, effects);
                }
                SeatAction::Take { ply, take, note_hash: Ok(note_hash) } => {
                    self.handle_take(seat, SubmittedTake { ply, take, note_hash }, at, effects);
                }
                SeatAction::Resign => self.handle_resignation(seat, effects),
                SeatAction::Say(message) => self.handle_message(seat, &message, effects),
                SeatAction::EndTalk { round } => self.handle_end_of_talk(seat, round, effects),
            },
            RefereeInput::Disqualify { seat } => {
                if self.state().phase() != MatchPhase::Ended && !self.state().is_forfeited(seat) {
                    self.forfeit_seat(seat, ForfeitReason::Disqualified, effects);
                }
            }
            RefereeInput::Tick => {}
            RefereeInput::Cancel => {
                if self.state().phase() != MatchPhase::Ended {
                    self.end_match(EndReason::Cancelled, effects);
                }
            }
        }
    }

    fn state(&self) -> &MatchState {
        self.record.state()
    }

    fn advance_time(&mut self, now: Timestamp) {
        self.now = self.now.max(now);
        if let Some(stops) = &mut self.stops {
            stops.hold.take_if(|hold| hold.until <= self.now);
        }
    }

    fn record_event(&mut self, event: Event, effects: &mut Vec<RefereeEffect>) {
        let timed = TimedEvent { at: self.now, event };
        self.record.push_event(timed.clone()).expect("the referee's own events are valid");
        effects.push(RefereeEffect::EventOccurred(timed));
    }

    /// Records a take that was decided from the match's state and so needs no further check.
    fn record_take(
        &mut self,
        decided: DecidedTake,
        note_hash: Option<NoteHash>,
        effects: &mut Vec<RefereeEffect>,
    ) {
        let (at, ply) = (self.now, self.state().ply());
        let DecidedTake { seat, take, mover, charged_us, credited_us } = decided;
        let (charged, credited) = (Duration::from_micros(charged_us), Duration::from_micros(credited_us));
        // The event is built twice, because that is cheaper than cloning it.
        let timed_take = |note_hash| {
            let event = Event::Took { ply, seat, take, mover, charged, credited, note_hash };
            TimedEvent { at, event }
        };
        effects.push(RefereeEffect::EventOccurred(timed_take(note_hash.clone())));
        self.record.push_decided_take(decided, timed_take(note_hash));
    }

    fn apply_timeouts(&mut self, at: Timestamp, effects: &mut Vec<RefereeEffect>) {
        if self.timeout_at().is_none_or(|deadline| at < deadline) {
            return;
        }
        if self.state().phase() == MatchPhase::Playing {
            let seat = self.state().position().to_move();
            let reason = match (self.ever_connected.contains(seat), self.present.contains(seat)) {
                (false, _) => ForfeitReason::NoShow,
                (true, false) => ForfeitReason::Disconnected,
                (true, true) => ForfeitReason::TimedOut,
            };
            self.forfeit_seat(seat, reason, effects);
            return;
        }
        if self.state().phase() == MatchPhase::Talking {
            self.end_round(effects);
            return self.end_rounds_if_due(effects);
        }
        for seat in self.state().setup().seats().iter() {
            if self.state().row_of_seat(seat).is_none() {
                self.declare_default_row(seat, RowDefault::Late, effects);
                if !self.ever_connected.contains(seat) && !self.state().is_forfeited(seat) {
                    self.record_event(Event::Forfeited { seat, reason: ForfeitReason::NoShow }, effects);
                }
            }
        }
        self.reveal_rows(effects);
    }

    fn handle_declaration(
        &mut self,
        seat: Seat,
        offsets: &[u64],
        note_hash: Option<NoteHash>,
        effects: &mut Vec<RefereeEffect>,
    ) {
        match self.state().phase() {
            MatchPhase::Ended => return self.refuse_after_end(seat, effects),
            _ if self.state().game().is_none() && self.state().row_of_seat(seat).is_none() => {}
            MatchPhase::Talking | MatchPhase::Declaring | MatchPhase::Playing => {
                return self.handle_repeated_declaration(seat, offsets, effects);
            }
        }
        match Row::parse(offsets, self.state().setup().seats()) {
            Ok(row) => {
                let declared = Event::Declared { seat, row: row.clone(), defaulted: None, note_hash };
                self.record_event(declared, effects);
                effects.push(RefereeEffect::SendToSeat { seat, message: SeatMessage::Declared { row } });
            }
            Err(error) => {
                self.declare_default_row(seat, RowDefault::Invalid, effects);
                let message = format!("{error}; the standard row is used instead");
                self.refuse_message(seat, RefusalReason::InvalidRow, message, effects);
            }
        }
        self.end_rounds_if_due(effects);
        self.reveal_if_settled(effects);
    }

    /// Answers a row for a seat whose row is settled or assigned: acknowledges a repetition of the settled row, and
    /// refuses anything else.
    fn handle_repeated_declaration(&mut self, seat: Seat, offsets: &[u64], effects: &mut Vec<RefereeEffect>) {
        let message = match self.state().row_of_seat(seat) {
            Some(settled) if settled.offsets().iter().copied().map(u64::from).eq(offsets.iter().copied()) => {
                let message = SeatMessage::Declared { row: settled.clone() };
                return effects.push(RefereeEffect::SendToSeat { seat, message });
            }
            Some(settled) => {
                format!("the row of seat {seat} is already {settled}: a row is declared only once")
            }
            None => "the rows of this match are assigned: there is nothing to declare".to_owned(),
        };
        self.refuse_message(seat, RefusalReason::AlreadyDeclared, message, effects);
    }

    fn declare_default_row(&mut self, seat: Seat, why: RowDefault, effects: &mut Vec<RefereeEffect>) {
        let row = Row::standard(self.state().setup().seats());
        self.record_event(Event::Declared { seat, row, defaulted: Some(why), note_hash: None }, effects);
    }

    fn reveal_if_settled(&mut self, effects: &mut Vec<RefereeEffect>) {
        if self.state().phase() == MatchPhase::Declaring && self.state().settled_matrix().is_some() {
            self.reveal_rows(effects);
        }
    }

    fn reveal_rows(&mut self, effects: &mut Vec<RefereeEffect>) {
        let matrix = self.state().settled_matrix().expect("every row is settled");
        self.record_event(Event::Revealed { matrix }, effects);
        self.advance_to_next_turn(effects);
    }

    fn handle_take(
        &mut self,
        seat: Seat,
        submitted: SubmittedTake,
        at: Timestamp,
        effects: &mut Vec<RefereeEffect>,
    ) {
        let SubmittedTake { ply, take, .. } = submitted;
        let state = self.state();
        let reached = state.ply();
        let (reason, message) = match state.phase() {
            MatchPhase::Ended => return self.refuse_after_end(seat, effects),
            MatchPhase::Playing if ply < reached => {
                return self.handle_repeated_take(seat, ply, take, effects);
            }
            MatchPhase::Talking | MatchPhase::Declaring | MatchPhase::Playing if state.is_forfeited(seat) => {
                (RefusalReason::Forfeited, format!("seat {seat} is forfeited: the steward now plays for it"))
            }
            MatchPhase::Talking => {
                (RefusalReason::NotStarted, "the seats are still talking: wait for your turn".to_owned())
            }
            MatchPhase::Declaring => {
                (RefusalReason::NotStarted, "rows are still being declared: wait for your turn".to_owned())
            }
            MatchPhase::Playing if ply > reached => (
                RefusalReason::FuturePly,
                format!("ply {ply} is in the future: the match has reached ply {reached}"),
            ),
            MatchPhase::Playing if state.position().to_move() != seat => {
                let to_move = state.position().to_move();
                (
                    RefusalReason::NotYourTurn,
                    format!("ply {ply} is seat {to_move}'s turn: you are seat {seat}"),
                )
            }
            MatchPhase::Playing => match state.position().check_take(take) {
                Ok(()) => return self.accept_take(seat, submitted, at, effects),
                Err(illegal) => (RefusalReason::IllegalTake, illegal.to_string()),
            },
        };
        self.refuse_message(seat, reason, message, effects);
    }

    fn accept_take(
        &mut self,
        seat: Seat,
        submitted: SubmittedTake,
        at: Timestamp,
        effects: &mut Vec<RefereeEffect>,
    ) {
        let SubmittedTake { take, note_hash, .. } = submitted;
        let elapsed = self.micros_waited(at);
        let state = self.state();
        let credit = state.banks()[seat].lag_credit_us(self.lag_us[seat], state.allowance());
        let credited_us = credit.min(elapsed);
        let charged_us = elapsed - credited_us;
        let decided = DecidedTake { seat, take, mover: Mover::Bot, charged_us, credited_us };
        self.record_take(decided, note_hash, effects);
        self.advance_to_next_turn(effects);
    }

    /// Answers a take for a past ply: acknowledges a repetition of the take that the seat's bot made there, and refuses
    /// anything else.
    fn handle_repeated_take(&mut self, seat: Seat, ply: u32, take: u64, effects: &mut Vec<RefereeEffect>) {
        let state = self.state();
        let mover = state.setup().seats().seat_at_offset(state.setup().first, ply as usize);
        let made = state.takes()[ply as usize];
        if mover == seat && made.take == take && made.mover == Mover::Bot {
            effects
                .push(RefereeEffect::SendToSeat { seat, message: SeatMessage::TakeRepeated { ply, take } });
            return;
        }
        let reached = state.ply();
        let message = format!(
            "ply {ply} is over: seat {mover} took {} there; the match has reached ply {reached}",
            made.take
        );
        self.refuse_message(seat, RefusalReason::Stale, message, effects);
    }

    fn handle_resignation(&mut self, seat: Seat, effects: &mut Vec<RefereeEffect>) {
        if self.state().phase() == MatchPhase::Ended {
            self.refuse_after_end(seat, effects);
        } else if self.state().is_forfeited(seat) {
            let message = format!("seat {seat} is already forfeited");
            self.refuse_message(seat, RefusalReason::Forfeited, message, effects);
        } else {
            self.forfeit_seat(seat, ForfeitReason::Resigned, effects);
        }
    }

    fn forfeit_seat(&mut self, seat: Seat, reason: ForfeitReason, effects: &mut Vec<RefereeEffect>) {
        self.record_event(Event::Forfeited { seat, reason }, effects);
        if self.state().phase() == MatchPhase::Playing {
            self.advance_to_next_turn(effects);
        } else if self.state().row_of_seat(seat).is_none() {
            self.declare_default_row(seat, RowDefault::Forfeited, effects);
            self.reveal_if_settled(effects);
        }
        self.end_rounds_if_due(effects);
    }

    fn refuse_after_end(&mut self, seat: Seat, effects: &mut Vec<RefereeEffect>) {
        self.refuse_message(seat, RefusalReason::MatchEnded, "the match has ended".to_owned(), effects);
    }

    fn refuse_message(
        &mut self,
        seat: Seat,
        reason: RefusalReason,
        message: String,
        effects: &mut Vec<RefereeEffect>,
    ) {
        let ply = self.state().ply();
        if reason.is_strike() && !self.state().is_forfeited(seat) {
            self.record_event(Event::Struck { seat, ply, reason }, effects);
        }
        let strikes = self.state().strikes()[seat];
        let strikes_left = self.state().setup().terms.strikes.saturating_sub(strikes);
        let refusal = Refusal { reason, message, ply, strikes, strikes_left };
        effects.push(RefereeEffect::SendToSeat { seat, message: SeatMessage::Refused(refusal) });
        if strikes_left == 0 && !self.state().is_forfeited(seat) {
            self.forfeit_seat(seat, ForfeitReason::Strikes, effects);
        } else {
            self.repeat_request(seat, effects);
        }
    }

    /// Sends a seat its turn again, or a snapshot if the talk is over and it has yet to declare its row, so that its
    /// bot can recover from a mistake. Otherwise sends nothing. The seat's clock keeps running.
    fn repeat_request(&self, seat: Seat, effects: &mut Vec<RefereeEffect>) {
        let state = self.state();
        let message = match state.phase() {
            _ if state.is_forfeited(seat) => return,
            MatchPhase::Declaring if state.row_of_seat(seat).is_none() => {
                SeatMessage::Snapshot(Box::new(self.snapshot_for_seat(seat)))
            }
            MatchPhase::Playing if state.position().to_move() == seat => {
                SeatMessage::Turn(self.current_turn())
            }
            _ => return,
        };
        effects.push(RefereeEffect::SendToSeat { seat, message });
    }

    /// Advances the match until it waits for a bot: makes the moves of forfeited seats, and ends the match if its end
    /// is due.
    fn advance_to_next_turn(&mut self, effects: &mut Vec<RefereeEffect>) {
        loop {
            if let Some(reason) = self.state().due_end() {
                return self.end_match(reason, effects);
            }
            let seat = self.state().position().to_move();
            if !self.state().is_forfeited(seat) {
                break;
            }
            self.move_for_forfeited(seat, effects);
        }
        let ply = self.state().ply();
        if self.announced_turn != Some(ply) {
            self.announced_turn = Some(ply);
            self.waiting_since = None;
            let seat = self.state().position().to_move();
            let message = SeatMessage::Turn(self.current_turn());
            effects.push(RefereeEffect::SendToSeat { seat, message });
        }
    }

    /// Makes the steward's move: the smallest optimal take, which does not change the predicted winner.
    fn move_for_forfeited(&mut self, seat: Seat, effects: &mut Vec<RefereeEffect>) {
        let position = self.record.state().position();
        let optimal = match_solution(&mut self.solution, self.record.state()).optimal_takes(position);
        let take = optimal.smallest().expect("a counter is left");
        let decided = DecidedTake { seat, take, mover: Mover::Steward, charged_us: 0, credited_us: 0 };
        self.record_take(decided, None, effects);
    }

    fn end_match(&mut self, reason: EndReason, effects: &mut Vec<RefereeEffect>) {
        let winner = match reason {
            EndReason::Cancelled => None,
            EndReason::Finished => {
                let state = self.state();
                Some(state.setup().ending.winner(state.position().to_move(), state.setup().seats()))
            }
            EndReason::PlyLimit | EndReason::AllForfeited => {
                let position = self.record.state().position();
                Some(match_solution(&mut self.solution, self.record.state()).winner(position))
            }
        };
        self.waiting_since = None;
        self.record_event(Event::Ended { reason, winner }, effects);
    }

    fn current_turn(&self) -> Turn {
        let state = self.state();
        let position = state.position();
        let bank = self.time_left_now(position.to_move());
        Turn { ply: state.ply(), pile: position.pile_index(), counters: position.counters(), bank }
    }

    fn time_left_now(&self, seat: Seat) -> Duration {
        let left = self.state().banks()[seat].left_us();
        let running =
            self.state().phase() == MatchPhase::Playing && self.state().position().to_move() == seat;
        Duration::from_micros(if running { left.saturating_sub(self.micros_waited(self.now)) } else { left })
    }

    fn snapshot_for_seat(&self, seat: Seat) -> MatchSnapshot {
        let state = self.state();
        let setup = state.setup();
        let position = state.position();
        let phase = state.phase();
        let is_talking = phase == MatchPhase::Talking;
        let must_declare =
            (is_talking || phase == MatchPhase::Declaring) && state.row_of_seat(seat).is_none();
        let to_move = phase == MatchPhase::Playing && position.to_move() == seat;
        let waited = Duration::from_micros(self.micros_waited(self.now));
        MatchSnapshot {
            seat,
            setup: setup.clone(),
            dealt_row: state.dealt_rows().map(|matrix| matrix.rows()[seat].clone()),
            phase,
            talk: self.talk_view(seat),
            declaration_left: must_declare.then(|| {
                let waited = if is_talking { Duration::ZERO } else { waited };
                setup.clock().declaration.saturating_sub(waited)
            }),
            matrix: state.game().map(|game| game.matrix.clone()),
            ply: state.ply(),
            pile: position.pile_index(),
            counters: position.counters(),
            to_move: position.to_move(),
            banks: BySeat::from_fn(setup.seats(), |seat| self.time_left_now(seat)),
            strikes: state.strikes().clone(),
            forfeited: state.forfeits().clone(),
            turn: to_move.then(|| self.current_turn()),
        }
    }
}

/// Returns the solution of the match's game, computed on first use.
fn match_solution<'a>(kept: &'a mut Option<Box<Solution>>, state: &MatchState) -> &'a Solution {
    kept.get_or_insert_with(|| Box::new(Solution::new(state.game().expect("the rows are revealed"))))
}
