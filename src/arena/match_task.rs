//! One match, live: carries inputs to the referee, and what it decides to the store, the seats and the watchers.

use super::error::ArenaError;
use super::outbox::{Closing, Outbox};
use super::roster::{Desk, SeatLink, SessionLink};
use super::wall_clock::WallClock;
use crate::game::{BySeat, MatchId, Row, RowError, Seat, SeatCount};
use crate::oracle::{Audit, Mover};
use crate::referee::{
    Effect, Event, Input, MatchSetup, Phase, Record, RecordError, Referee, Tell, TimedEvent, Timestamp,
};
use crate::store::{Change, Store, StoreError};
use crate::wire::{MatchEvent, Revelation, ServerEvent};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

/// Inputs that may wait for a match, besides those counted for each seat.
const MATCH_QUEUE: usize = 64;

/// Sends inputs to one match. Cheap to clone; a match that is over takes no more.
#[derive(Debug, Clone)]
pub struct MatchHandle {
    seats: SeatCount,
    inputs: mpsc::Sender<MatchInput>,
}

/// What a match is told. A plain value, but for the links, which name a session.
#[derive(Debug)]
pub enum MatchInput {
    /// A seat's bot sent something.
    Seat {
        /// The seat.
        seat: Seat,
        /// What it sent.
        action: SeatAction,
        /// When it arrived: a seat does not pay for the time that its message waits in a queue of the server.
        at: Timestamp,
    },
    /// A session of a seat's bot has opened.
    Joined {
        /// The seat.
        seat: Seat,
        /// The session.
        session: SessionLink,
    },
    /// A session of a seat's bot is over.
    Left {
        /// The seat.
        seat: Seat,
        /// The number of the session; it may have been replaced by now.
        session: u64,
    },
    /// Somebody wants to watch: send what happened so far, then each further event.
    Watch {
        /// Where the answer goes.
        admission: oneshot::Sender<Admission>,
        /// Where further ones go.
        outbox: Outbox<Watched>,
        /// The most watchers that this match may have.
        most: usize,
    },
    /// The organiser calls the match off.
    Cancel,
    /// The server stops: the match is left as it is.
    Cut,
}

/// What a match answers to somebody who wants to watch it.
#[derive(Debug)]
pub enum Admission {
    /// Further events follow.
    Admitted {
        /// The events so far that may be seen.
        so_far: Vec<TimedEvent>,
    },
    /// There are as many watchers as there may be.
    Full,
    /// The match is over: the store has all of it.
    Over,
}

/// What a bot sends for one of its seats.
#[derive(Debug)]
pub enum SeatAction {
    /// A row, or why it is none.
    Declare(Result<Row, RowError>),
    /// A take.
    Take {
        /// The ply that it is for.
        ply: u32,
        /// Counters.
        take: u64,
    },
    /// A resignation.
    Resign,
}

/// What a watcher is sent.
#[derive(Debug, Clone)]
pub struct Watched {
    /// What happened.
    pub event: TimedEvent,
    /// With the end of a match that has a winner: the audit.
    pub audit: Option<Arc<Audit>>,
}

/// What is left of a match that is over.
#[derive(Debug, Clone)]
pub struct MatchReport {
    /// Everything that happened.
    pub record: Arc<Record>,
    /// The audit, unless the match was cancelled.
    pub audit: Option<Arc<Audit>>,
}

impl MatchHandle {
    /// Returns how many seats the match has.
    pub fn seats(&self) -> SeatCount {
        self.seats
    }

    /// Sends an input, waiting while the match's queue is full. A match never waits for a bot, so that this is short.
    ///
    /// Returns whether the match is still open to take it.
    pub async fn send(&self, input: MatchInput) -> bool {
        self.inputs.send(input).await.is_ok()
    }

    /// Sends an input from where nobody can wait: while the match's queue is full, a task of its own does. Without a
    /// runtime, whose matches would be at a standstill, it is dropped.
    pub fn post(&self, input: MatchInput) {
        if let Err(TrySendError::Full(input)) = self.inputs.try_send(input)
            && let Ok(runtime) = Handle::try_current()
        {
            let inputs = self.inputs.clone();
            runtime.spawn(async move { inputs.send(input).await });
        }
    }
}

/// A match that runs.
pub struct MatchTask {
    id: MatchId,
    referee: Referee,
    seats: BySeat<LiveSeat>,
    watchers: Vec<Outbox<Watched>>,
    inputs: mpsc::Receiver<MatchInput>,
    clock: WallClock,
    store: Arc<Store>,
    /// What the referee decided at the beginning and nobody has heard of yet.
    opening: Vec<Effect>,
    /// Says that the beginning is stored.
    stored: Option<oneshot::Sender<()>>,
}

#[derive(Debug)]
struct LiveSeat {
    match_id: MatchId,
    desk: Arc<Desk>,
    session: Option<SessionLink>,
    link: Arc<SeatLink>,
}

impl Drop for LiveSeat {
    /// Stands up, however the match has come to its end.
    fn drop(&mut self) {
        self.stand_up();
    }
}

impl LiveSeat {
    /// Leaves the desk; again does no harm.
    fn stand_up(&self) {
        self.desk.stand_up(self.match_id);
    }
}

impl MatchTask {
    /// Seats the bots and begins the match. Nothing is stored or sent before [`run`](Self::run); the receiver says when
    /// the beginning is.
    pub fn begin(
        id: MatchId,
        setup: MatchSetup,
        desks: &BySeat<Arc<Desk>>,
        clock: WallClock,
        store: Arc<Store>,
    ) -> (MatchHandle, oneshot::Receiver<()>, Self) {
        let seats = setup.seats();
        let (sender, inputs) = mpsc::channel(MATCH_QUEUE);
        let handle = MatchHandle { seats, inputs: sender };
        let live = BySeat::from_fn(seats, |seat| {
            let link = Arc::new(SeatLink::new(seat, handle.clone()));
            let desk = Arc::clone(&desks[seat]);
            LiveSeat { match_id: id, session: desk.sit_down(id, Arc::clone(&link)), desk, link }
        });
        let present = live.map(|seat| seat.session.is_some());
        let (referee, opening) = Referee::begin(id, setup, present, clock.now());
        let (stored, beginning_stored) = oneshot::channel();
        let watchers = Vec::new();
        let stored = Some(stored);
        let task = Self { id, referee, seats: live, watchers, inputs, clock, store, opening, stored };
        (handle, beginning_stored, task)
    }

    /// Runs the match to its end. A task that is given up on the way, or never run, leaves no seat taken and no watcher
    /// waiting either.
    ///
    /// # Errors
    /// If the store fails for good, or the server stops before the end.
    pub async fn run(mut self) -> Result<MatchReport, ArenaError> {
        let played = self.play().await;
        for seat in &self.seats {
            seat.stand_up();
        }
        let audit = played?;
        if self.referee.record().state().phase() != Phase::Ended {
            for watcher in &self.watchers {
                watcher.close(Closing::ShuttingDown);
            }
            return Err(ArenaError::Stopping);
        }
        self.answer_latecomers(audit.as_ref()).await;
        for watcher in &self.watchers {
            watcher.close(Closing::Done);
        }
        Ok(MatchReport { record: Arc::new(self.referee.into_record()), audit })
    }

    async fn play(&mut self) -> Result<Option<Arc<Audit>>, StoreError> {
        let opening = std::mem::take(&mut self.opening);
        let mut audit = self.carry_out(opening).await?;
        let alarm = tokio::time::sleep(Duration::ZERO);
        tokio::pin!(alarm);
        let mut alarm_at: Option<Timestamp> = None;
        while self.referee.record().state().phase() != Phase::Ended {
            // The alarm is moved only when it would ring too late; one that rings early finds nothing due.
            let deadline = self.referee.deadline();
            if let Some(due) = deadline
                && alarm_at.is_none_or(|set| due < set)
            {
                alarm.as_mut().reset(self.clock.instant(due));
                alarm_at = Some(due);
            }
            let effects = tokio::select! {
                biased;
                input = self.inputs.recv() => {
                    let Some(input) = input.filter(|input| !matches!(input, MatchInput::Cut)) else { break };
                    self.take_in(input)
                }
                () = alarm.as_mut(), if alarm_at.is_some() => {
                    alarm_at = None;
                    self.referee.handle(Input::Tick, self.clock.now())
                }
            };
            audit = self.carry_out(effects).await?;
        }
        Ok(audit)
    }

    /// Answers what came too late: a bot that has just come back is told of the end, a take is refused.
    async fn answer_latecomers(&mut self, audit: Option<&Arc<Audit>>) {
        loop {
            // A session that was welcomed while this match was open has been promised a snapshot of it.
            if self.seats.iter().all(|seat| seat.link.awaited.load(Ordering::Relaxed) == 0) {
                self.inputs.close();
            }
            let Some(input) = self.inputs.recv().await else { break };
            let joined = match &input {
                MatchInput::Joined { seat, .. } => Some(*seat),
                _ => None,
            };
            for effect in self.take_in(input) {
                if let Effect::Tell { seat, tell } = effect {
                    self.tell(seat, tell);
                }
            }
            if let (Some(seat), Some((reason, winner))) = (joined, self.referee.record().state().end()) {
                self.send(seat, MatchEvent::Ended { reason, winner, audit: audit.cloned() });
            }
        }
    }

    fn take_in(&mut self, input: MatchInput) -> Vec<Effect> {
        let input = match input {
            MatchInput::Seat { seat, action, at } => {
                self.seats[seat].link.unread.fetch_sub(1, Ordering::Relaxed);
                let input = match action {
                    SeatAction::Declare(row) => Input::Declare { seat, row },
                    SeatAction::Take { ply, take } => Input::Take { seat, ply, take },
                    SeatAction::Resign => Input::Resign { seat },
                };
                return self.referee.handle(input, at);
            }
            MatchInput::Joined { seat, session } => {
                self.seats[seat].link.awaited.fetch_sub(1, Ordering::Relaxed);
                let current = self.seats[seat].session.as_ref();
                if current.is_some_and(|current| current.id > session.id) {
                    return Vec::new();
                }
                self.seats[seat].session = Some(session);
                Input::Joined { seat }
            }
            MatchInput::Left { seat, session } => {
                let current = self.seats[seat].session.as_ref();
                if current.is_none_or(|current| current.id != session) {
                    return Vec::new();
                }
                self.seats[seat].session = None;
                Input::Left { seat }
            }
            MatchInput::Cancel => Input::Cancel,
            MatchInput::Cut => return Vec::new(),
            MatchInput::Watch { admission, outbox, most } => {
                // Somebody who does not wait for the answer any more needs none.
                let _ = admission.send(self.admit_watcher(outbox, most));
                return Vec::new();
            }
        };
        self.referee.handle(input, self.clock.now())
    }

    fn admit_watcher(&mut self, outbox: Outbox<Watched>, most: usize) -> Admission {
        self.watchers.retain(|watcher| !watcher.is_over());
        if self.referee.record().state().phase() == Phase::Ended {
            return Admission::Over;
        }
        if self.watchers.len() >= most {
            return Admission::Full;
        }
        self.watchers.push(outbox);
        Admission::Admitted { so_far: self.referee.record().open_events().cloned().collect() }
    }

    /// Stores what happened, then tells everybody, then lets the clock of the seat to move run. Returns the audit if the
    /// match has ended with a winner.
    async fn carry_out(&mut self, effects: Vec<Effect>) -> Result<Option<Arc<Audit>>, StoreError> {
        let events: Vec<TimedEvent> = effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Happened(event) => Some(event.clone()),
                Effect::Tell { .. } => None,
            })
            .collect();
        let mut audit = None;
        if !events.is_empty() {
            let ended = self.referee.record().state().phase() == Phase::Ended;
            let mut changes = vec![Change::MatchEvents { id: self.id, events }];
            if ended {
                audit = match self.referee.record().audit() {
                    Ok(audit) => Some(Arc::new(audit)),
                    Err(RecordError::Cancelled { .. }) => None,
                    Err(error) => {
                        tracing::error!(%error, id = %self.id, "a match that is over cannot be audited");
                        None
                    }
                };
                let audited = audit.iter().cloned();
                changes.extend(audited.map(|audit| Change::MatchAudited { id: self.id, audit }));
            }
            self.store.commit(changes).await?;
            if let Some(stored) = self.stored.take() {
                // A director does not wait for it.
                let _ = stored.send(());
            }
        }
        for effect in effects {
            match effect {
                Effect::Happened(event) => self.announce(event, audit.as_ref()),
                Effect::Tell { seat, tell } => {
                    if let (Tell::Turn(_), Some(session)) = (&tell, &self.seats[seat].session) {
                        self.referee.measured_lag(seat, session.lag());
                    }
                    self.tell(seat, tell);
                }
            }
        }
        self.referee.announced(self.clock.now());
        Ok(audit)
    }

    fn tell(&self, seat: Seat, tell: Tell) {
        if matches!(tell, Tell::Refused(_) | Tell::TookAgain { .. })
            && let Some(session) = &self.seats[seat].session
        {
            session.count_noise();
        }
        let event = match tell {
            Tell::Declared { row } => MatchEvent::Declared { row },
            Tell::Turn(turn) => MatchEvent::Turn(turn),
            Tell::TookAgain { ply, take } => MatchEvent::Took { ply, seat, take, mover: Mover::Bot },
            Tell::Refused(refusal) => MatchEvent::Refused(Box::new(refusal)),
            Tell::Snapshot(snapshot) => MatchEvent::Snapshot(snapshot),
        };
        self.send(seat, event);
    }

    fn send(&self, seat: Seat, event: MatchEvent) {
        if let Some(session) = &self.seats[seat].session {
            session.send(ServerEvent::InMatch { match_id: self.id, event });
        }
    }

    fn send_all(&self, event: &MatchEvent) {
        for seat in self.seats.seats().iter() {
            self.send(seat, event.clone());
        }
    }

    fn announce(&mut self, timed: TimedEvent, audit: Option<&Arc<Audit>>) {
        match &timed.event {
            Event::Created(setup) => {
                let setup = Arc::new(MatchSetup::clone(setup));
                for seat in self.seats.seats().iter() {
                    self.send(seat, MatchEvent::Started { seat, setup: Arc::clone(&setup) });
                }
            }
            Event::Declared { .. } => return,
            Event::Revealed { matrix } => {
                let revelation = Revelation { matrix: matrix.clone(), defaulted: self.defaulted_seats() };
                self.send_all(&MatchEvent::Revealed(Arc::new(revelation)));
                self.show_declarations();
            }
            &Event::Took { ply, seat: mover_seat, take, mover, .. } => {
                for (seat, live) in self.seats.enumerate() {
                    let hears = live.session.as_ref().is_some_and(SessionLink::hears_all);
                    if hears || seat == mover_seat {
                        self.send(seat, MatchEvent::Took { ply, seat: mover_seat, take, mover });
                    }
                }
            }
            Event::Struck { .. } => {}
            &Event::Forfeited { seat, reason } => self.send_all(&MatchEvent::Forfeited { seat, reason }),
            &Event::Ended { reason, winner } => {
                self.send_all(&MatchEvent::Ended { reason, winner, audit: audit.cloned() });
            }
        }
        let audit = match timed.event {
            Event::Ended { .. } => audit.cloned(),
            _ => None,
        };
        self.show(&Watched { event: timed, audit });
    }

    fn show(&self, watched: &Watched) {
        for watcher in &self.watchers {
            watcher.push(watched.clone());
        }
    }

    /// Shows watchers the declarations that were kept from them, though what happened since was shown already.
    fn show_declarations(&self) {
        if self.watchers.is_empty() {
            return;
        }
        for event in self.referee.record().events() {
            if matches!(event.event, Event::Declared { .. }) {
                self.show(&Watched { event: event.clone(), audit: None });
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
