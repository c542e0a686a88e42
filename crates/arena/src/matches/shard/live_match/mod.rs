//! A running match, which passes inputs to the referee and decides what to store and what to send.

mod announcing;
mod pending;
mod storing;

use self::storing::MatchEnding;
use super::effect::{MatchExit, ShardEffect};
use super::freeze::MatchFreeze;
use super::input::{MatchInput, SeatSession};
use super::live_seat::LiveSeat;
use super::tally::ShardTally;
use super::view::{AnnouncedMatch, AnnouncedState, AwaitedSeats};
use crate::durability::Durability;
use lastnim_core::game::{BySeat, MatchId, Seat, SeatVersions};
use lastnim_core::oracle::Audit;
use lastnim_core::referee::{
    DealtRows, MatchPhase, MatchSetup, Record, Referee, RefereeEffect, RefereeInput, SeatAction, SeatMessage,
    SigningKey, TalkSecret, TimedEvent, Timestamp,
};
use lastnim_store::{StoreError, StoredRequest};
use lastnim_tournament::OracleAccess;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of callers that may wait at barriers while the match waits for its start or a commit.
const MAX_WAITERS: usize = 16;

/// The terms of all matches of a shard.
#[derive(Debug, Clone)]
pub struct MatchTerms {
    /// Signs the records of finished matches.
    pub key: SigningKey,
    /// When matches become durable.
    pub durability: Durability,
    /// How long a clock waits for a bot whose stream was lost because the server stalled.
    pub return_grace: Duration,
    /// The maximum number of messages from one seat that wait for the match.
    pub unread_per_seat: usize,
}

/// A match that is ready to start.
#[derive(Debug)]
pub struct PreparedMatch<S> {
    pub id: MatchId,
    /// The starting point of the match.
    pub beginning: Beginning,
    /// By seat: the number of the bot, and its session if it has one.
    pub seats: BySeat<(u64, Option<SeatSession<S>>)>,
    pub oracle: OracleAccess,
    /// How long clocks wait at the start for absent bots to reconnect.
    pub hold: Duration,
}

/// The starting point of a match.
#[derive(Debug)]
pub enum Beginning {
    /// A new match.
    New {
        setup: Box<MatchSetup>,
        /// The dealt rows, if the setup is committed to some.
        dealt: Option<Box<DealtRows>>,
        /// The request that created the match, if its caller may repeat it. It is stored with the first events.
        request: Option<Box<StoredRequest>>,
    },
    /// An unfinished match that an earlier server began.
    Stored {
        record: Box<Record>,
        /// By seat: the versions that have played; empty if none was reported.
        versions: Vec<SeatVersions>,
    },
}

/// A running match. `S` is the address of a session.
#[derive(Debug)]
pub(super) struct LiveMatch<S> {
    id: MatchId,
    referee: Referee,
    seats: BySeat<LiveSeat<S>>,
    stage: MatchStage,
    /// Decisions that are announced once they are stored. The empty buffer is kept to reuse its memory.
    held: Vec<RefereeEffect>,
    /// Inputs that arrived before the start or during a commit.
    pending: VecDeque<MatchInput<S>>,
    freeze: MatchFreeze<S>,
    /// The number of stored events.
    stored: usize,
    /// The request that created the match, until it is passed to the store.
    request: Option<Box<StoredRequest>>,
    /// The number of announced events.
    announced: usize,
    has_begun: bool,
    /// By seat: the versions of all sessions so far.
    versions: BySeat<SeatVersions>,
    /// Whether the versions at the seats differ from those in the store.
    has_new_versions: bool,
    oracle: OracleAccess,
    pub(super) is_watched: bool,
    shown: Option<AnnouncedState>,
    /// The next time at which the shard checks the clocks of the match.
    pub(super) alarm: Option<Timestamp>,
}

/// The stage of a match, which determines whether the match can handle inputs now.
#[derive(Debug)]
enum MatchStage {
    /// The match is waiting for its start.
    Prepared {
        opening: Vec<RefereeEffect>,
    },
    Running,
    /// The match has been waiting for the store since this time.
    Committing {
        since: Timestamp,
        ending: Option<MatchEnding>,
    },
    /// The match is over, or was interrupted.
    Over,
}

/// A seat has too many messages waiting for its match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatBacklogFull {
    pub seat: Seat,
    /// A description of the rejected message.
    pub example: String,
}

/// The inputs of one decision, and the buffers for its effects.
pub(super) struct DecisionContext<'a, S> {
    pub(super) terms: &'a MatchTerms,
    pub(super) now: Timestamp,
    pub(super) effects: &'a mut Vec<ShardEffect<S>>,
    /// A buffer for the referee's effects.
    pub(super) decisions: &'a mut Vec<RefereeEffect>,
    /// The counts of announced events.
    pub(super) tally: &'a mut ShardTally,
}

impl<S: Clone> LiveMatch<S> {
    /// Prepares a match. Nothing is stored or sent before the match starts.
    pub(super) fn new(new: PreparedMatch<S>, terms: &MatchTerms, now: Timestamp) -> Self {
        let PreparedMatch { id, beginning, seats, oracle, hold } = new;
        let present = seats.map(|(_, session)| session.is_some());
        let (mut referee, opening, stored, stored_versions, request) = match beginning {
            Beginning::New { setup, dealt, request } => {
                let (mut referee, opening) = Referee::begin_dealt(id, *setup, dealt, present, now);
                referee.hold_for_absent(hold);
                (referee, opening, 0, Vec::new(), request)
            }
            Beginning::Stored { record, versions } => {
                let stored = record.events().len();
                let (referee, opening) = Referee::resume(*record, present, now, hold);
                (referee, opening, stored, versions, None)
            }
        };
        referee.set_talk_secret(TalkSecret::of_match(&terms.key, id));
        let versions = BySeat::from_fn(seats.seats(), |seat| {
            let mut versions = stored_versions.get(seat.index()).cloned().unwrap_or_default();
            if let (_, Some(session)) = &seats[seat] {
                versions.add(&session.version);
            }
            versions
        });
        let seats = seats.map(|(bot, session)| LiveSeat {
            bot: *bot,
            session: session.clone(),
            unread: 0,
            has_declared: false,
        });
        Self {
            id,
            referee,
            seats,
            stage: MatchStage::Prepared { opening },
            held: Vec::new(),
            pending: VecDeque::new(),
            freeze: MatchFreeze::default(),
            stored,
            request,
            announced: stored,
            has_begun: false,
            versions,
            has_new_versions: true,
            oracle,
            is_watched: false,
            shown: None,
            alarm: None,
        }
    }

    pub(super) fn start(&mut self, context: &mut DecisionContext<'_, S>) {
        if let MatchStage::Prepared { opening } = &mut self.stage {
            *context.decisions = std::mem::take(opening);
            self.stage = MatchStage::Running;
            self.apply_decisions(context);
            self.handle_pending(context);
        }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, MatchStage::Over)
    }

    /// Returns when the clocks must be checked next; `None` if no clock runs, or the match is paused or waiting.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        match self.stage {
            MatchStage::Running if !self.freeze.is_frozen() => self.referee.deadline(),
            _ => None,
        }
    }

    pub(super) fn tick(&mut self, context: &mut DecisionContext<'_, S>) {
        if matches!(self.stage, MatchStage::Running) {
            self.excuse_freeze(context.now);
            self.referee.handle_input_into(RefereeInput::Tick, context.now, context.decisions);
            self.apply_decisions(context);
            self.handle_pending(context);
        }
    }

    /// Receives a bot's message for its seat.
    ///
    /// # Errors
    /// If the seat's queue is full; the message is then dropped.
    pub(super) fn receive_action(
        &mut self,
        seat: Seat,
        action: SeatAction,
        at: Timestamp,
        context: &mut DecisionContext<'_, S>,
    ) -> Result<(), SeatBacklogFull> {
        let limit = context.terms.unread_per_seat;
        let live = &mut self.seats[seat];
        if live.unread as usize >= limit {
            let id = self.id;
            let example = format!(
                "{} for seat {seat} of match {id} arrived while {limit} messages were waiting",
                action.describe()
            );
            return Err(SeatBacklogFull { seat, example });
        }
        if matches!(action, SeatAction::Declare { .. })
            && std::mem::replace(&mut live.has_declared, true)
            && let Some(session) = &live.session
        {
            let wrong = format!("match {}: a row was declared again", self.id);
            context.effects.push(ShardEffect::CountIdleMessage { to: session.address.clone(), wrong });
        }
        self.receive(MatchInput::Seat { seat, action, at }, context);
        Ok(())
    }

    pub(super) fn seat_of_bot(&self, bot: u64) -> Option<Seat> {
        self.seats.enumerate().find(|(_, live)| live.bot == bot).map(|(seat, _)| seat)
    }

    /// Handles an input now, or queues it while the match waits for its start or a commit.
    pub(super) fn receive(&mut self, input: MatchInput<S>, context: &mut DecisionContext<'_, S>) {
        if let MatchInput::Seat { seat, .. } = &input {
            self.seats[*seat].unread += 1;
        }
        match self.stage {
            MatchStage::Running => {
                self.handle_input(input, context);
                self.handle_pending(context);
            }
            MatchStage::Prepared { .. } if matches!(input, MatchInput::Interrupt) => {
                self.leave(MatchExit::Interrupted, context);
            }
            MatchStage::Prepared { .. } | MatchStage::Committing { .. } => {
                let waiters =
                    self.pending.iter().filter(|waiting| matches!(waiting, MatchInput::Barrier { .. }));
                match input {
                    // The number of waiters is limited, because bots may reconnect repeatedly while the match waits.
                    MatchInput::Barrier { waiter } if waiters.count() >= MAX_WAITERS => {
                        context.effects.push(ShardEffect::BarrierReached { waiter });
                    }
                    input => self.add_pending(input),
                }
            }
            MatchStage::Over => {}
        }
    }

    fn handle_input(&mut self, input: MatchInput<S>, context: &mut DecisionContext<'_, S>) {
        if matches!(input, MatchInput::Interrupt) {
            return self.leave(MatchExit::Interrupted, context);
        }
        if let MatchInput::Joined { at, .. } = &input
            && self.deadline().is_some_and(|due| due <= *at)
        {
            // The tick comes first: the snapshot for the joining session includes everything that is due by now, so the
            // session must not be sent those events separately.
            self.referee.handle_input_into(RefereeInput::Tick, *at, context.decisions);
            self.apply_decisions(context);
            if !matches!(self.stage, MatchStage::Running) {
                return self.pending.push_front(input);
            }
        }
        if self.decide(input, context) {
            self.apply_decisions(context);
        }
    }

    /// Lets the referee handle an input as of the time when it arrived. If the current time were used instead, a clock
    /// could run out although an input that is still queued arrived in time. Messages to a frozen match are held back.
    /// Returns whether the referee handled the input.
    fn decide(&mut self, input: MatchInput<S>, context: &mut DecisionContext<'_, S>) -> bool {
        self.excuse_freeze(context.now);
        let Some(input) = self.freeze.queue_if_frozen(input) else { return false };
        let (input, at) = match input {
            MatchInput::Seat { seat, action, at } => {
                self.seats[seat].unread -= 1;
                (RefereeInput::Act { seat, action }, at)
            }
            MatchInput::Joined { seat, session, at } => {
                let live = &mut self.seats[seat];
                if live.session.as_ref().is_some_and(|current| current.id > session.id) {
                    return false;
                }
                self.has_new_versions |= self.versions[seat].add(&session.version);
                live.session = Some(session);
                (RefereeInput::Joined { seat }, at)
            }
            MatchInput::Left { seat, session, at, is_excused } => {
                if self.seats[seat].session_with_id(session).is_none() {
                    return false;
                }
                self.seats[seat].session = None;
                if is_excused {
                    self.referee.hold_for_seat(seat, at, context.terms.return_grace);
                }
                (RefereeInput::Left { seat }, at)
            }
            MatchInput::Lag { .. } | MatchInput::Feed { .. } => {
                self.update_session(&input);
                return false;
            }
            MatchInput::Barrier { waiter } => {
                context.effects.push(ShardEffect::BarrierReached { waiter });
                return false;
            }
            MatchInput::Disqualify { seat } => (RefereeInput::Disqualify { seat }, context.now),
            MatchInput::Freeze => {
                self.freeze.begin(context.now);
                self.update_announced_state();
                return false;
            }
            MatchInput::Thaw => {
                self.freeze.end();
                self.update_announced_state();
                return false;
            }
            MatchInput::Cancel => (RefereeInput::Cancel, context.now),
            MatchInput::Interrupt => return false,
        };
        self.referee.handle_input_into(input, at, context.decisions);
        true
    }

    /// Excludes the time of the current pause so far from the clocks.
    fn excuse_freeze(&mut self, now: Timestamp) {
        if self.freeze.is_frozen()
            && let Some((from, until)) = self.freeze.take_unexcused_span(now)
        {
            self.referee.excuse_span(from, until);
        }
    }

    /// Stores decisions that must be stored before they are announced, and announces all others at once.
    fn apply_decisions(&mut self, context: &mut DecisionContext<'_, S>) {
        let happened = self.referee.record().events().len();
        let has_ended = self.referee.record().state().phase() == MatchPhase::Ended;
        let is_due = self.stored < happened && context.terms.durability == Durability::Ply;
        if !(is_due || has_ended) {
            let decisions = std::mem::take(context.decisions);
            *context.decisions = self.announce(decisions, None, context);
            return;
        }
        let ending = has_ended.then(|| self.compute_ending());
        let changes = self.changes_to_store(ending.as_ref(), context.terms);
        context.effects.push(ShardEffect::Commit { id: self.id, changes });
        std::mem::swap(context.decisions, &mut self.held);
        self.stage = MatchStage::Committing { since: context.now, ending };
    }

    /// Announces stored events, or ends the match if the store has failed.
    pub(super) fn note_committed(
        &mut self,
        result: Result<(), StoreError>,
        context: &mut DecisionContext<'_, S>,
    ) {
        let MatchStage::Committing { since, ending } =
            std::mem::replace(&mut self.stage, MatchStage::Running)
        else {
            return;
        };
        if let Err(error) = result {
            // A transient error means that the server is stopping and no longer waits for an unusable store.
            let end = if error.is_transient() { MatchExit::Interrupted } else { MatchExit::Refused(error) };
            return self.leave(end, context);
        }
        self.referee.excuse_span(since, context.now);
        self.freeze.note_excused_until(context.now);
        self.stored = self.referee.record().events().len();
        let audit = ending.as_ref().and_then(|ending| ending.audit.clone());
        let held = std::mem::take(&mut self.held);
        self.held = self.announce(held, audit.as_ref(), context);
        match ending {
            None => self.handle_pending(context),
            Some(ending) => {
                self.answer_late_inputs(audit.as_ref(), context);
                self.leave(MatchExit::Stored(ending.outcome), context);
            }
        }
    }

    fn leave(&mut self, end: MatchExit, context: &mut DecisionContext<'_, S>) {
        self.stage = MatchStage::Over;
        for input in self.pending.drain(..) {
            if let MatchInput::Barrier { waiter } = input {
                context.effects.push(ShardEffect::BarrierReached { waiter });
            }
        }
        context.effects.push(ShardEffect::Over { id: self.id, end });
    }

    /// Answers inputs that arrived too late: sends the end to a bot that has reconnected, and refuses takes.
    fn answer_late_inputs(&mut self, audit: Option<&Arc<Audit>>, context: &mut DecisionContext<'_, S>) {
        self.freeze.end();
        while let Some(input) = self.freeze.next_thawed().or_else(|| self.pending.pop_front()) {
            let joined = match &input {
                MatchInput::Joined { seat, .. } => Some(*seat),
                _ => None,
            };
            if !self.decide(input, context) {
                continue;
            }
            for effect in std::mem::take(context.decisions) {
                if let RefereeEffect::SendToSeat { seat, message } = effect {
                    self.send_seat_message(seat, message, context.effects);
                }
            }
            if let (Some(seat), Some((reason, winner))) = (joined, self.referee.record().state().end()) {
                self.send_to_seat(seat, self.ended_event(reason, winner, audit), context.effects);
                context.effects.push(self.end_sent(seat));
            }
        }
    }

    /// Announces decisions and starts the clock of the seat to move. Returns the emptied buffer.
    fn announce(
        &mut self,
        mut decisions: Vec<RefereeEffect>,
        audit: Option<&Arc<Audit>>,
        context: &mut DecisionContext<'_, S>,
    ) -> Vec<RefereeEffect> {
        for effect in decisions.drain(..) {
            match effect {
                RefereeEffect::EventOccurred(event) => {
                    context.tally.note_event(&event.event);
                    self.announce_event(event, audit, context.effects);
                }
                RefereeEffect::SendToSeat { seat, message } => {
                    if let SeatMessage::Refused(refusal) = &message {
                        context.tally.note_refusal(refusal.reason);
                    }
                    if let (SeatMessage::Turn(_) | SeatMessage::Snapshot(_), Some(session)) =
                        (&message, &self.seats[seat].session)
                    {
                        self.referee.set_lag(seat, session.lag);
                    }
                    self.send_seat_message(seat, message, context.effects);
                }
            }
        }
        self.announced = self.referee.record().events().len();
        self.referee.mark_effects_announced(context.now);
        self.update_announced_state();
        if !std::mem::replace(&mut self.has_begun, true) {
            context.effects.push(ShardEffect::Begun { id: self.id });
        }
        decisions
    }

    fn update_announced_state(&mut self) {
        let state = self.referee.record().state();
        self.shown = Some(AnnouncedState {
            phase: state.phase(),
            plies: state.ply(),
            awaited: AwaitedSeats::of_referee(&self.referee, self.freeze.excused_until()),
        });
    }

    /// Returns the announced state; `None` before the beginning is announced.
    pub(super) fn view(&self) -> Option<AnnouncedMatch> {
        let AnnouncedState { phase, plies, awaited } = self.shown.filter(|_| self.has_begun)?;
        Some(AnnouncedMatch { phase, plies, awaited, versions: self.seat_versions() })
    }

    pub(super) fn announced_events(&self) -> &[TimedEvent] {
        &self.referee.record().events()[..self.announced]
    }

    /// Returns the versions of the bots by seat; empty if no version was reported.
    pub(super) fn seat_versions(&self) -> Vec<SeatVersions> {
        if !self.versions.iter().any(SeatVersions::is_declared) {
            return Vec::new();
        }
        let declared_versions =
            self.versions.iter().map(|versions| Some(versions).filter(|versions| versions.is_declared()));
        declared_versions.map(|versions| versions.cloned().unwrap_or_default()).collect()
    }
}
