//! How others reach a match that runs.

use super::outbox::Outbox;
use super::session_link::SessionLink;
use crate::game::{Row, RowError, Seat, SeatCount};
use crate::oracle::Audit;
use crate::referee::{NoteHash, NoteHashError, Record, TimedEvent, Timestamp};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::mpsc::Permit;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

/// Inputs that may wait for a match, besides those counted for each seat.
const MATCH_QUEUE: usize = 64;

/// Questions that may wait for a match.
const MATCH_QUESTIONS: usize = 16;

/// Sends inputs and questions to one match. Cheap to clone; a match that is over takes no more.
#[derive(Debug, Clone)]
pub struct MatchHandle {
    seats: SeatCount,
    inputs: mpsc::Sender<MatchInput>,
    questions: mpsc::Sender<MatchQuery>,
}

/// The match's end of its handle.
#[derive(Debug)]
pub struct MatchInbox {
    /// What the match is told, in order.
    pub inputs: mpsc::Receiver<MatchInput>,
    /// What it is asked: answered also while it waits for the store.
    pub questions: mpsc::Receiver<MatchQuery>,
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
        /// When it was sent.
        at: Timestamp,
    },
    /// A session of a seat's bot is over.
    Left {
        /// The seat.
        seat: Seat,
        /// The number of the session; it may have been replaced by now.
        session: u64,
        /// When it was sent.
        at: Timestamp,
    },
    /// Somebody waits until everything that was sent before is answered.
    Barrier {
        /// Says so; dropped by a match that is over.
        answered: oneshot::Sender<()>,
    },
    /// The organiser has disqualified a seat's bot.
    Disqualify {
        /// The seat.
        seat: Seat,
    },
    /// The organiser lets the match wait: its clocks stand still, and what seats send waits.
    Freeze,
    /// The organiser lets it go on.
    Thaw,
    /// The organiser calls the match off.
    Cancel,
    /// The server stops: the match is left as it is.
    Cut,
}

/// What a match is asked. It answers with what is announced, and not with what waits to be stored.
#[derive(Debug)]
pub enum MatchQuery {
    /// What happened so far?
    Record {
        /// Where the answer goes; dropped if the beginning is not announced yet.
        answer: oneshot::Sender<Record>,
    },
    /// May somebody watch?
    Watch(Box<WatchRequest>),
}

/// Somebody wants to watch a match: send what happened so far, then each further event.
#[derive(Debug)]
pub struct WatchRequest {
    /// Where the answer goes.
    pub admission: oneshot::Sender<WatchResponse>,
    /// Where further events go.
    pub outbox: Outbox<WatchEvent>,
    /// The most watchers that this match may have.
    pub most: usize,
}

/// What a watcher is sent.
#[derive(Debug, Clone)]
pub struct WatchEvent {
    /// What happened.
    pub event: TimedEvent,
    /// With the end of a match that has a winner: the audit.
    pub audit: Option<Arc<Audit>>,
}

/// What a match answers to somebody who wants to watch it.
#[derive(Debug)]
pub enum WatchResponse {
    /// Further events follow.
    Admitted {
        /// The events so far that may be seen.
        so_far: Vec<TimedEvent>,
    },
    /// There are as many watchers as there may be.
    Full,
}

/// What a bot sends for one of its seats.
#[derive(Debug)]
pub enum SeatAction {
    /// A declaration.
    Declare {
        /// The row, or why it is none.
        row: Result<Row, RowError>,
        /// What is added to it, or why that is unusable.
        note_hash: Result<Option<NoteHash>, NoteHashError>,
    },
    /// A take.
    Take {
        /// The ply that it is for.
        ply: u32,
        /// Counters.
        take: u64,
        /// What is added to it, or why that is unusable.
        note_hash: Result<Option<NoteHash>, NoteHashError>,
    },
    /// A resignation.
    Resign,
}

impl SeatAction {
    /// Names it in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Declare { .. } => "a row".to_owned(),
            Self::Take { ply, take, .. } => format!("a take of {take} at ply {ply}"),
            Self::Resign => "a resignation".to_owned(),
        }
    }
}

impl MatchHandle {
    /// Makes a handle and what it leads to.
    pub fn new(seats: SeatCount) -> (Self, MatchInbox) {
        let (inputs, told) = mpsc::channel(MATCH_QUEUE);
        let (questions, asked) = mpsc::channel(MATCH_QUESTIONS);
        (Self { seats, inputs, questions }, MatchInbox { inputs: told, questions: asked })
    }

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

    /// Lets the match wait, or go on.
    pub(super) async fn set_frozen(&self, frozen: bool) {
        self.send(if frozen { MatchInput::Freeze } else { MatchInput::Thaw }).await;
    }

    /// Sends an input if there is room in the match's queue.
    ///
    /// # Errors
    /// Gives the input back if the queue is full, or the match takes no more.
    pub fn try_send(&self, input: MatchInput) -> Result<(), TrySendError<MatchInput>> {
        self.inputs.try_send(input)
    }

    /// Waits for room in the match's queue; returns none if the match takes no more.
    pub async fn reserve(&self) -> Option<Permit<'_, MatchInput>> {
        self.inputs.reserve().await.ok()
    }

    /// Asks something. A match that is over drops what it is asked, and its end of the answer with it.
    pub async fn send_query(&self, question: MatchQuery) {
        // The answer tells whether anybody was there.
        let _over = self.questions.send(question).await;
    }

    /// Sends an input from where nobody can wait: while the match's queue is full, a task of its own does. Without a
    /// runtime, whose matches would be at a standstill, it is dropped.
    pub fn send_detached(&self, input: MatchInput) {
        if let Err(TrySendError::Full(input)) = self.inputs.try_send(input)
            && let Ok(runtime) = Handle::try_current()
        {
            let inputs = self.inputs.clone();
            runtime.spawn(async move { inputs.send(input).await });
        }
    }
}
