//! What a session does besides reading.

use crate::sessions::join_queue::{JoinAnswer, JoinQueue};
use crate::sessions::wake_gate::WakeGate;
use lastnim_core::game::TournamentId;
use lastnim_proto::JoinRefused;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior};

/// Something that goes on beside the conversation, and is given up with the session.
pub(crate) type BackgroundTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What a session waits for besides the messages of its bot. Nearly all messages find nothing of it to be done.
pub(crate) struct SessionChores {
    /// Is done when the session's stream is over.
    over: BackgroundTask,
    joining: JoinQueue,
    /// Tells the bot of the ends that it missed; none once it is told.
    catching_up: Option<BackgroundTask>,
    /// Writes of which ends the bot has heard; none while there is nothing to write.
    writing: Option<BackgroundTask>,
    /// Writes the version that the bot has said; none once it is written.
    writing_version: Option<BackgroundTask>,
    pings: Option<Interval>,
    ping_interval: Duration,
    gate: WakeGate,
}

/// Something that a session has to see to.
pub(crate) enum SessionChore {
    /// A request to join has its answer.
    JoinAnswered(JoinAnswer),
    /// It is written of which ends the bot has heard.
    HeardEndsWritten,
    /// The bot is to be asked whether it is there.
    PingDue,
}

impl SessionChores {
    /// Begins with what is done at the start of a session.
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

    /// Takes a request to enter the bot in a tournament.
    ///
    /// # Errors
    /// If as many wait for their answers as may.
    pub(crate) fn request_join(&mut self, id: TournamentId) -> Result<(), JoinRefused> {
        self.gate.open();
        self.joining.request(id)
    }

    /// Returns whether it is being written of which ends the bot has heard.
    pub(crate) fn is_writing_heard_ends(&self) -> bool {
        self.writing.is_some()
    }

    /// Begins to write of which ends the bot has heard.
    pub(crate) fn write_heard_ends(&mut self, writing: BackgroundTask) {
        self.gate.open();
        self.writing = Some(writing);
    }

    /// Returns what the session has to see to next; `None`, on which nothing follows, once its stream is over.
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
                return Poll::Ready(Some(SessionChore::HeardEndsWritten));
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

/// Goes on with something; returns whether it has just come to its end.
fn poll_background(background: &mut Option<BackgroundTask>, context: &mut Context<'_>) -> bool {
    let is_done = background.as_mut().is_some_and(|going_on| going_on.as_mut().poll(context).is_ready());
    if is_done {
        *background = None;
    }
    is_done
}
