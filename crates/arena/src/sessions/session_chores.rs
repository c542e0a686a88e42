//! The background work of a session.

use crate::sessions::join_queue::{JoinAnswer, JoinQueue};
use crate::sessions::wake_gate::WakeGate;
use lastnim_core::game::TournamentId;
use lastnim_proto::JoinRefused;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior};

/// A background task that ends with the session.
pub(crate) type BackgroundTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The background work of a session. The session waits for this work and for its bot's messages at the same time. Most
/// of the time, a session has no such work.
pub(crate) struct SessionChores {
    /// Resolves when the session's stream is closed.
    over: BackgroundTask,
    joining: JoinQueue,
    /// Sends the bot the ends that it missed; `None` when done.
    catching_up: Option<BackgroundTask>,
    /// Writes acknowledged ends; `None` while no such write is running.
    writing: Option<BackgroundTask>,
    /// Writes the version that the bot reported; `None` when done, or if there was none.
    writing_version: Option<BackgroundTask>,
    pings: Option<Interval>,
    ping_interval: Duration,
    gate: WakeGate,
}

/// An event of the background work that the session must handle.
pub(crate) enum SessionChore {
    /// A join request was answered.
    JoinAnswered(JoinAnswer),
    /// The acknowledged ends were written.
    AcknowledgedEndsWritten,
    /// A ping must be sent.
    PingDue,
}

impl SessionChores {
    /// Creates the background work of a new session.
    pub(crate) fn new(
        over: BackgroundTask,
        joining: JoinQueue,
        catching_up: BackgroundTask,
        writing_version: Option<BackgroundTask>,
        ping_interval: Duration,
    ) -> Self {
        Self {
            over,
            joining,
            catching_up: Some(catching_up),
            writing: None,
            writing_version,
            pings: None,
            ping_interval,
            gate: WakeGate::new(),
        }
    }

    /// Queues a request to join a tournament.
    ///
    /// # Errors
    /// If too many requests are waiting for answers.
    pub(crate) fn request_join(&mut self, id: TournamentId) -> Result<(), JoinRefused> {
        self.gate.open();
        self.joining.request(id)
    }

    /// Returns whether acknowledged ends are being written.
    pub(crate) fn is_writing_acknowledged_ends(&self) -> bool {
        self.writing.is_some()
    }

    /// Starts writing acknowledged ends.
    pub(crate) fn write_acknowledged_ends(&mut self, writing: BackgroundTask) {
        self.gate.open();
        self.writing = Some(writing);
    }

    /// Polls for the next chore; it is always `None` once the session's stream is closed.
    pub(crate) fn poll_next(&mut self, context: &Context<'_>) -> Poll<Option<SessionChore>> {
        let Self { over, joining, catching_up, writing, writing_version, pings, ping_interval, gate } = self;
        gate.poll_woken(context, |context| {
            if over.as_mut().poll(context).is_ready() {
                return Poll::Ready(None);
            }
            if let Poll::Ready(answer) = joining.poll_next_answer(context) {
                return Poll::Ready(Some(SessionChore::JoinAnswered(answer)));
            }
            poll_background(catching_up, context);
            poll_background(writing_version, context);
            if poll_background(writing, context) {
                return Poll::Ready(Some(SessionChore::AcknowledgedEndsWritten));
            }
            let pings = pings.get_or_insert_with(|| {
                let mut pings = tokio::time::interval(*ping_interval);
                pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
                pings
            });
            pings.poll_tick(context).map(|_| Some(SessionChore::PingDue))
        })
    }
}

/// Polls a background task; returns whether it has just finished.
fn poll_background(background: &mut Option<BackgroundTask>, context: &mut Context<'_>) -> bool {
    let is_done = background.as_mut().is_some_and(|going_on| going_on.as_mut().poll(context).is_ready());
    if is_done {
        *background = None;
    }
    is_done
}
