//! One match, live: carries inputs to the referee, and what it decides to the store, the seats and the watchers.

use super::durability::Durability;
use super::error::ArenaError;
use super::match_freeze::MatchFreeze;
use super::match_handle::{
    MatchHandle, MatchInbox, MatchInput, MatchQuery, SeatAction, WatchEvent, WatchRequest, WatchResponse,
};
use super::match_overview::{AwaitedSeats, MatchOverview};
use super::outbox::{CloseReason, Outbox};
use super::roster::{Presence, SeatLink};
use super::session_link::{SessionLink, describe_refusal};
use super::wall_clock::WallClock;
use crate::game::{BySeat, MatchId, Seat, SeatVersions};
use crate::oracle::{Audit, Mover};
use crate::referee::{
    Event, MatchPhase, MatchSetup, Record, RecordError, Referee, RefereeEffect, RefereeInput, SeatMessage,
    SigningKey, TimedEvent, Timestamp,
};
use crate::store::{ChainedEvent, Change, FinishedMatch, GroupCommit, StoreError, StoredMatch};
use crate::tournament::{MatchOutcome, OracleAccess};
use crate::wire::{MatchEvent, RevealedRows, ServerEvent, record::seat_loss_of_forfeit};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::oneshot;

/// What every match of an arena works with.
#[derive(Debug)]
pub struct MatchContext {
    /// Tells the time.
    pub clock: WallClock,
    /// Makes what happens last.
    pub commits: GroupCommit,
    /// Signs the records of matches that are over.
    pub key: SigningKey,
    /// How soon a match lasts.
    pub durability: Durability,
    /// How long a clock waits for a bot whose stream was lost because the server stood still.
    pub return_grace: Duration,
}

/// A match that runs.
pub struct MatchTask {
    id: MatchId,
    referee: Referee,
    seats: BySeat<LiveSeat>,
    watchers: Vec<Outbox<WatchEvent>>,
    inbox: MatchInbox,
    context: Arc<MatchContext>,
    overview: Arc<MatchOverview>,
    /// What the referee decided at the beginning and nobody has heard of yet.
    opening: Vec<RefereeEffect>,
    /// Says that the beginning is announced.
    begun: Option<oneshot::Sender<()>>,
    /// Events of the record that are stored.
    stored: usize,
    /// Whether other versions sit at the seats than the store knows of.
    has_new_versions: bool,
    /// Events of the record that are announced.
    announced: usize,
    /// Whether the bots at the seats see the audit.
    oracle: OracleAccess,
    freeze: MatchFreeze,
}

/// A match that is about to run.
pub struct NewMatch {
    /// The task that plays it.
    pub task: MatchTask,
    /// Takes inputs for it.
    pub handle: MatchHandle,
    /// What is always known of it.
    pub overview: Arc<MatchOverview>,
    /// Says when its beginning is announced; dropped if it never is.
    pub begun: oneshot::Receiver<()>,
}

impl NewMatch {
    /// Lets the bots at the seats see the audit at the end, or keeps it from them.
    pub fn with_oracle(mut self, oracle: OracleAccess) -> Self {
        self.task.oracle = oracle;
        self
    }
}

/// What a match has come to.
#[derive(Debug)]
struct MatchEnding {
    /// None where it was cancelled.
    audit: Option<Arc<Audit>>,
    /// What it means for the standings; none where it was cancelled.
    outcome: Option<MatchOutcome>,
}

#[derive(Debug)]
struct LiveSeat {
    match_id: MatchId,
    presence: Arc<Presence>,
    session: Option<SessionLink>,
    link: Arc<SeatLink>,
    /// Those of all sessions that the bot has had here.
    versions: SeatVersions,
}

impl Drop for LiveSeat {
    /// Leaves a match that has come to no end here.
    fn drop(&mut self) {
        self.presence.leave_match(self.match_id);
    }
}

impl LiveSeat {
    /// Takes note of the end of the match, of which its session has been told, if it has one.
    fn note_match_ended(&self) {
        self.presence.note_match_ended(self.match_id, self.session.as_ref());
    }
}

impl MatchTask {
    /// Seats the bots and begins the match. For as long as `hold`, no bot pays for the time that it needs to come back.
    /// Nothing is stored or sent before [`run`](Self::run).
    pub fn begin(
        id: MatchId,
        setup: MatchSetup,
        presences: &BySeat<Arc<Presence>>,
        context: Arc<MatchContext>,
        hold: Duration,
    ) -> NewMatch {
        let overview = Arc::new(MatchOverview::new(setup.clone()));
        Self::seat_bots(id, presences, context, overview, &[], 0, |present, now| {
            let (mut referee, opening) = Referee::begin(id, setup, present, now);
            referee.hold_for_absent(hold);
            (referee, opening)
        })
    }

    /// Seats the bots and carries on a match whose record is stored. For as long as `hold`, no bot pays for the time
    /// that it needs to come back.
    pub fn resume(
        stored: StoredMatch,
        presences: &BySeat<Arc<Presence>>,
        context: Arc<MatchContext>,
        hold: Duration,
    ) -> NewMatch {
        let StoredMatch { record, versions, .. } = stored;
        let overview = Arc::new(MatchOverview::new(record.state().setup().clone()));
        overview.show_state(record.state());
        let (id, stored) = (record.id(), record.events().len());
        Self::seat_bots(id, presences, context, overview, &versions, stored, |present, now| {
            Referee::resume(record, present, now, hold)
        })
    }

    fn seat_bots(
        id: MatchId,
        presences: &BySeat<Arc<Presence>>,
        context: Arc<MatchContext>,
        overview: Arc<MatchOverview>,
        versions: &[SeatVersions],
        stored: usize,
        referee: impl FnOnce(BySeat<bool>, Timestamp) -> (Referee, Vec<RefereeEffect>),
    ) -> NewMatch {
        let seats = presences.seats();
        let (handle, inbox) = MatchHandle::new(seats);
        let live = BySeat::from_fn(seats, |seat| {
            let link = Arc::new(SeatLink::new(seat, handle.clone()));
            let presence = Arc::clone(&presences[seat]);
            let session = presence.take_seat(id, Arc::clone(&link));
            let mut versions = versions.get(seat.index()).cloned().unwrap_or_default();
            if let Some(session) = &session {
                versions.add(&session.version);
            }
            LiveSeat { match_id: id, session, presence, link, versions }
        });
        let present = live.map(|seat| seat.session.is_some());
        let (referee, opening) = referee(present, context.clock.now());
        let (begun, hears_of_it) = oneshot::channel();
        let task = Self {
            id,
            referee,
            seats: live,
            watchers: Vec::new(),
            inbox,
            context,
            overview: Arc::clone(&overview),
            opening,
            begun: Some(begun),
            stored,
            has_new_versions: true,
            announced: stored,
            oracle: OracleAccess::Open,
            freeze: MatchFreeze::default(),
        };
        overview.show_versions(task.seat_versions());
        NewMatch { task, handle, overview, begun: hears_of_it }
    }

    /// Runs the match to its end, and returns what it means for the standings; nothing if it was cancelled. A task that
    /// is given up on the way, or never run, leaves no seat taken and no watcher waiting either.
    ///
    /// # Errors
    /// If the store refuses it, or the server stops before the end.
    pub async fn run(mut self) -> Result<Option<MatchOutcome>, ArenaError> {
        let played = self.play_to_end().await;
        for seat in &self.seats {
            match &played {
                Ok(Some(_)) => seat.presence.leave_seat(self.id),
                Ok(None) | Err(_) => seat.presence.leave_match(self.id),
            }
        }
        let ending = match played {
            Ok(Some(ending)) => ending,
            Err(error) if !error.is_transient() => return Err(error.into()),
            // Nobody waits for a store that cannot be used any longer, for the server stops.
            Ok(None) | Err(_) => {
                for watcher in &self.watchers {
                    watcher.close(CloseReason::ShuttingDown);
                }
                return Err(ArenaError::Stopping);
            }
        };
        // The store has all of it: whoever asks from now on is answered from there.
        self.inbox.questions.close();
        while self.inbox.questions.try_recv().is_ok() {}
        self.answer_late_inputs(ending.audit.as_ref()).await;
        for watcher in &self.watchers {
            watcher.close(CloseReason::Done);
        }
        Ok(ending.outcome)
    }

    /// Plays to the end; returns nothing if the match is cut before.
    async fn play_to_end(&mut self) -> Result<Option<MatchEnding>, StoreError> {
        let opening = std::mem::take(&mut self.opening);
        let mut ending = self.apply_effects(opening).await?;
        let alarm = tokio::time::sleep(Duration::ZERO);
        tokio::pin!(alarm);
        let mut alarm_at: Option<Timestamp> = None;
        while ending.is_none() {
            // The alarm is moved only when it would ring too late; one that rings early finds nothing due.
            let deadline = self.referee.deadline().filter(|_| !self.freeze.is_frozen());
            if let Some(due) = deadline
                && alarm_at.is_none_or(|set| due < set)
            {
                alarm.as_mut().reset(self.context.clock.instant(due));
                alarm_at = Some(due);
            }
            let effects = tokio::select! {
                biased;
                input = self.inbox.inputs.recv() => {
                    let Some(input) = input.filter(|input| !matches!(input, MatchInput::Cut)) else { break };
                    self.handle_input(input)
                }
                Some(question) = self.inbox.questions.recv() => {
                    self.answer_query(question);
                    continue;
                }
                () = alarm.as_mut(), if alarm_at.is_some() => {
                    alarm_at = None;
                    self.excuse_freeze();
                    self.referee.handle_input(RefereeInput::Tick, self.context.clock.now())
                }
            };
            ending = self.apply_effects(effects).await?;
            while ending.is_none()
                && let Some(input) = self.freeze.next_thawed()
            {
                let effects = self.handle_input(input);
                ending = self.apply_effects(effects).await?;
            }
        }
        Ok(ending)
    }

    /// Answers what came too late: a bot that has just come back is told of the end, a take is refused.
    async fn answer_late_inputs(&mut self, audit: Option<&Arc<Audit>>) {
        // What came while it waited came before the end, and too late all the same.
        self.freeze.end();
        while let Some(input) = self.freeze.next_thawed() {
            self.answer_late(input);
        }
        loop {
            // A session that was welcomed while this match was open has been promised a snapshot of it.
            if self.seats.iter().all(|seat| seat.link.awaited.load(Ordering::Relaxed) == 0) {
                self.inbox.inputs.close();
            }
            let Some(input) = self.inbox.inputs.recv().await else { break };
            let joined = match &input {
                MatchInput::Joined { seat, .. } => Some(*seat),
                _ => None,
            };
            self.answer_late(input);
            if let (Some(seat), Some((reason, winner))) = (joined, self.referee.record().state().end()) {
                let audit = self.audit_for_seats(audit);
                self.send_to_seat(seat, MatchEvent::Ended { reason, winner, audit });
                self.seats[seat].note_match_ended();
            }
        }
    }

    fn answer_late(&mut self, input: MatchInput) {
        for effect in self.handle_input(input) {
            if let RefereeEffect::Tell { seat, tell } = effect {
                self.tell_seat(seat, tell);
            }
        }
    }

    /// Lets the clocks of a match that waits stand still up to now.
    fn excuse_freeze(&mut self) {
        if self.freeze.is_frozen()
            && let Some((from, until)) = self.freeze.take_span_until(self.context.clock.now())
        {
            self.referee.excuse_span(from, until);
        }
    }

    /// Handles an input at the time of its arrival: what waits behind it may have arrived in time. What seats send to a match
    /// that waits is kept.
    fn handle_input(&mut self, input: MatchInput) -> Vec<RefereeEffect> {
        self.excuse_freeze();
        let Some(input) = self.freeze.hold_back(input) else { return Vec::new() };
        let (input, at) = match input {
            MatchInput::Seat { seat, action, at } => {
                self.seats[seat].link.unread.fetch_sub(1, Ordering::Relaxed);
                let input = match action {
                    SeatAction::Declare { row, note_hash } => RefereeInput::Declare { seat, row, note_hash },
                    SeatAction::Take { ply, take, note_hash } => {
                        RefereeInput::Take { seat, ply, take, note_hash }
                    }
                    SeatAction::Resign => RefereeInput::Resign { seat },
                };
                (input, at)
            }
            MatchInput::Joined { seat, session, at } => {
                self.seats[seat].link.awaited.fetch_sub(1, Ordering::Relaxed);
                let current = self.seats[seat].session.as_ref();
                if current.is_some_and(|current| current.id > session.id) {
                    return Vec::new();
                }
                if self.seats[seat].versions.add(&session.version) {
                    self.has_new_versions = true;
                    self.overview.show_versions(self.seat_versions());
                }
                self.seats[seat].session = Some(session);
                (RefereeInput::Joined { seat }, at)
            }
            MatchInput::Left { seat, session, at } => {
                let current = self.seats[seat].session.as_ref();
                if current.is_none_or(|current| current.id != session) {
                    return Vec::new();
                }
                self.seats[seat].session = None;
                if self.context.clock.may_lose_streams() {
                    self.referee.hold_for_seat(seat, at, self.context.return_grace);
                }
                (RefereeInput::Left { seat }, at)
            }
            MatchInput::Barrier { answered } => {
                // Who asked may have gone.
                let _ = answered.send(());
                return Vec::new();
            }
            MatchInput::Disqualify { seat } => (RefereeInput::Disqualify { seat }, self.context.clock.now()),
            MatchInput::Freeze => {
                self.freeze.begin(self.context.clock.now());
                return Vec::new();
            }
            MatchInput::Thaw => {
                self.freeze.end();
                return Vec::new();
            }
            MatchInput::Cancel => (RefereeInput::Cancel, self.context.clock.now()),
            MatchInput::Cut => return Vec::new(),
        };
        self.referee.handle_input(input, at)
    }

    fn answer_query(&mut self, question: MatchQuery) {
        // Somebody who does not wait for an answer any more needs none.
        match question {
            MatchQuery::Record { answer } => {
                if let Some(record) = self.announced_record() {
                    let _ = answer.send(record);
                }
            }
            MatchQuery::Watch(request) => {
                let WatchRequest { admission, outbox, most } = *request;
                let _ = admission.send(self.admit_watcher(outbox, most));
            }
        }
    }

    /// Returns the record as far as it is announced; nothing before the beginning is.
    fn announced_record(&self) -> Option<Record> {
        let record = self.referee.record();
        match self.announced {
            0 => None,
            all if all == record.events().len() => Some(record.clone()),
            part => {
                let announced = record.events()[..part].iter().cloned();
                Some(Record::replay(self.id, announced).expect("what begins a record is one"))
            }
        }
    }

    fn admit_watcher(&mut self, outbox: Outbox<WatchEvent>, most: usize) -> WatchResponse {
        self.watchers.retain(|watcher| !watcher.is_over());
        if self.watchers.len() >= most {
            return WatchResponse::Full;
        }
        self.watchers.push(outbox);
        let record = self.referee.record();
        let announced = &record.events()[..self.announced];
        let shows_rows = |timed: &TimedEvent| matches!(timed.event, Event::Revealed { .. });
        let is_revealed = announced.iter().any(shows_rows);
        let seen = announced.iter().filter(|timed| is_revealed || timed.event.is_public());
        WatchResponse::Admitted { so_far: seen.cloned().collect() }
    }

    /// Stores what happened, then tells everybody, then lets the clock of the seat to move run. One that ran already
    /// stands still while it is stored. Returns how the match ended, once it has.
    async fn apply_effects(
        &mut self,
        effects: Vec<RefereeEffect>,
    ) -> Result<Option<MatchEnding>, StoreError> {
        let happened = self.referee.record().events().len();
        let ending =
            (self.referee.record().state().phase() == MatchPhase::Ended).then(|| self.compute_ending());
        let audit = ending.as_ref().and_then(|ending| ending.audit.clone());
        let is_due = self.stored < happened && self.context.durability == Durability::Ply;
        if is_due || ending.is_some() {
            let from = self.context.clock.now();
            self.store_events(ending.as_ref()).await?;
            let until = self.context.clock.now();
            self.referee.excuse_span(from, until);
            self.freeze.note_excused_until(until);
            self.stored = happened;
        }
        if ending.is_some() {
            self.overview.mark_over();
        }
        for effect in effects {
            match effect {
                RefereeEffect::Happened(event) => self.announce_event(event, audit.as_ref()),
                RefereeEffect::Tell { seat, tell } => {
                    if let (SeatMessage::Turn(_) | SeatMessage::Snapshot(_), Some(session)) =
                        (&tell, &self.seats[seat].session)
                    {
                        self.referee.set_lag(seat, session.lag());
                    }
                    self.tell_seat(seat, tell);
                }
            }
        }
        self.announced = happened;
        self.overview.show_state(self.referee.record().state());
        self.referee.effects_announced(self.context.clock.now());
        let awaited = AwaitedSeats::of_referee(&self.referee, self.freeze.excused_until());
        self.overview.show_awaited(awaited);
        if let Some(begun) = self.begun.take() {
            // A director does not wait for it.
            let _ = begun.send(());
        }
        Ok(ending)
    }

    /// Writes the events that are not stored yet, and waits until they last. Questions are answered meanwhile.
    async fn store_events(&mut self, ending: Option<&MatchEnding>) -> Result<(), StoreError> {
        let record = self.referee.record();
        let new = self.stored..record.events().len();
        let chained = record.events()[new.clone()].iter().zip(&record.hashes()[new]);
        let events =
            chained.map(|(event, hash)| ChainedEvent { event: event.clone(), hash: *hash }).collect();
        let mut changes = vec![Change::MatchEvents { id: self.id, first: self.stored, events }];
        if std::mem::take(&mut self.has_new_versions) {
            let versions = self.seat_versions();
            if !versions.is_empty() {
                changes.push(Change::SeatVersions { id: self.id, versions });
            }
        }
        if let Some(MatchEnding { outcome, .. }) = ending {
            let seal = self.context.key.seal(record.last_hash());
            let over = FinishedMatch { id: self.id, seal, outcome: outcome.clone() };
            changes.push(Change::MatchOver(Box::new(over)));
        }
        let context = Arc::clone(&self.context);
        let committed = context.commits.commit(changes);
        tokio::pin!(committed);
        loop {
            tokio::select! {
                biased;
                committed = &mut committed => return committed,
                Some(question) = self.inbox.questions.recv() => self.answer_query(question),
            }
        }
    }

    /// Works out what the match has come to.
    fn compute_ending(&self) -> MatchEnding {
        let record = self.referee.record();
        let audit = match record.audit() {
            Ok(audit) => Some(Arc::new(audit)),
            Err(RecordError::Cancelled { .. }) => None,
            Err(error) => {
                tracing::error!(%error, id = %self.id, "a match that is over cannot be audited");
                None
            }
        };
        let forfeits = record.state().forfeits();
        let outcome = audit.as_deref();
        let mut outcome = outcome
            .map(|audit| MatchOutcome::of_audit(audit, |seat| forfeits[seat].map(seat_loss_of_forfeit)));
        if let Some(outcome) = &mut outcome {
            for (seat, versions) in self.seats.seats().iter().zip(self.seat_versions()) {
                outcome.seats[seat].versions = versions;
            }
        }
        MatchEnding { audit, outcome }
    }

    /// Returns by seat the versions of the bots; nothing if no bot said any.
    fn seat_versions(&self) -> Vec<SeatVersions> {
        if !self.seats.iter().any(|seat| seat.versions.is_declared()) {
            return Vec::new();
        }
        let said =
            self.seats.iter().map(|seat| Some(&seat.versions).filter(|versions| versions.is_declared()));
        said.map(|versions| versions.cloned().unwrap_or_default()).collect()
    }

    fn tell_seat(&self, seat: Seat, tell: SeatMessage) {
        let wrong = match &tell {
            SeatMessage::Refused(refusal) => {
                Some(describe_refusal(refusal.reason, &refusal.message, Some(self.id)))
            }
            SeatMessage::TookAgain { ply, take } => {
                Some(format!("match {}: the take of {take} at ply {ply} was repeated", self.id))
            }
            SeatMessage::Declared { .. } | SeatMessage::Turn(_) | SeatMessage::Snapshot(_) => None,
        };
        if let (Some(wrong), Some(session)) = (wrong, &self.seats[seat].session) {
            session.count_unproductive(wrong);
        }
        let event = match tell {
            SeatMessage::Declared { row } => MatchEvent::Declared { row },
            SeatMessage::Turn(turn) => MatchEvent::Turn(turn),
            SeatMessage::TookAgain { ply, take } => MatchEvent::Took { ply, seat, take, mover: Mover::Bot },
            SeatMessage::Refused(refusal) => MatchEvent::Refused(Box::new(refusal)),
            SeatMessage::Snapshot(snapshot) => MatchEvent::Snapshot(snapshot),
        };
        self.send_to_seat(seat, event);
    }

    fn send_to_seat(&self, seat: Seat, event: MatchEvent) {
        if let Some(session) = &self.seats[seat].session {
            session.send(ServerEvent::InMatch { match_id: self.id, event });
        }
    }

    fn send_to_all_seats(&self, event: &MatchEvent) {
        for seat in self.seats.seats().iter() {
            self.send_to_seat(seat, event.clone());
        }
    }

    fn announce_event(&mut self, timed: TimedEvent, audit: Option<&Arc<Audit>>) {
        match &timed.event {
            Event::Created(_) => {
                let setup = self.overview.setup();
                for seat in self.seats.seats().iter() {
                    self.send_to_seat(seat, MatchEvent::Started { seat, setup: Arc::clone(setup) });
                }
            }
            Event::Declared { .. } => return,
            Event::Revealed { matrix } => {
                let revelation = RevealedRows { matrix: matrix.clone(), defaulted: self.defaulted_seats() };
                self.send_to_all_seats(&MatchEvent::Revealed(Arc::new(revelation)));
                self.send_declarations_to_watchers();
            }
            &Event::Took { ply, seat: mover_seat, take, mover, .. } => {
                for (seat, live) in self.seats.enumerate() {
                    let hears = live.session.as_ref().is_some_and(SessionLink::hears_all_takes);
                    if hears || seat == mover_seat {
                        self.send_to_seat(seat, MatchEvent::Took { ply, seat: mover_seat, take, mover });
                    }
                }
            }
            Event::Struck { .. } => {}
            &Event::Forfeited { seat, reason } => {
                self.send_to_all_seats(&MatchEvent::Forfeited { seat, reason });
            }
            &Event::Ended { reason, winner } => {
                let audit = self.audit_for_seats(audit);
                self.send_to_all_seats(&MatchEvent::Ended { reason, winner, audit });
                self.seats.iter().for_each(LiveSeat::note_match_ended);
            }
        }
        let audit = match timed.event {
            Event::Ended { .. } => audit.cloned(),
            _ => None,
        };
        self.send_to_watchers(&WatchEvent { event: timed, audit });
    }

    /// Returns the audit, if the bots at the seats may see it.
    fn audit_for_seats(&self, audit: Option<&Arc<Audit>>) -> Option<Arc<Audit>> {
        audit.filter(|_| self.oracle == OracleAccess::Open).cloned()
    }

    fn send_to_watchers(&self, watched: &WatchEvent) {
        for watcher in &self.watchers {
            watcher.push(watched.clone());
        }
    }

    /// Shows watchers the declarations that were kept from them, though what happened since was shown already.
    fn send_declarations_to_watchers(&self) {
        if self.watchers.is_empty() {
            return;
        }
        for event in self.referee.record().events() {
            if matches!(event.event, Event::Declared { .. }) {
                self.send_to_watchers(&WatchEvent { event: event.clone(), audit: None });
            }
        }
    }

    fn defaulted_seats(&self) -> Vec<Seat> {
        let defaulted = |timed: &TimedEvent| match timed.event {
            Event::Declared { seat, defaulted: Some(_), .. } => Some(seat),
            _ => None,
        };
        self.referee.record().events().iter().filter_map(defaulted).collect()
    }
}
