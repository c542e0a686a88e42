//! The session of somebody who plays in a browser, which the server keeps.

use super::hand_status::HandStatus;
use super::hand_statuses::HandStatuses;
use lastnim_arena::{Arena, ArenaError, OutboxStream, SessionLink};
use lastnim_core::game::{BotName, BotVersion, MatchId};
use lastnim_core::referee::SeatAction;
use lastnim_proto::{BotAction, IncomingAction, ServerEvent};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

/// Actions that may wait to be read by the session.
const MAX_WAITING_ACTIONS: usize = 8;
/// How long nothing is heard in a session without a match before whoever keeps it looks whether it is still needed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// The session of somebody who plays in a browser: like a bot's, but in the process.
#[derive(Debug, Clone)]
pub(super) struct HandSession {
    actions: mpsc::Sender<Result<IncomingAction, Infallible>>,
    /// Says whether it is over. What is sent after that is read and dropped, until all is said.
    link: SessionLink,
    /// How its hands stand.
    pub hands: watch::Receiver<HandStatuses>,
}

/// Listens to what a session is told.
#[derive(Debug)]
pub(super) struct SessionListener {
    events: OutboxStream<ServerEvent>,
    hands: watch::Sender<HandStatuses>,
    /// For answers to pings, for as long as somebody plays.
    actions: mpsc::Sender<Result<IncomingAction, Infallible>>,
    running: JoinHandle<()>,
}

impl HandSession {
    /// Opens a session under a name. An earlier one of that name is over then.
    ///
    /// # Errors
    /// If there are as many sessions as there may be, or the server is stopping.
    pub(super) fn open(arena: &Arena, bot: &BotName) -> Result<(Self, SessionListener), ArenaError> {
        let (session, events) = arena.open_session(bot.clone(), BotVersion::default())?;
        let link = session.link().clone();
        let (actions, inbound) = mpsc::channel(MAX_WAITING_ACTIONS);
        let running = tokio::spawn(session.run(ReceiverStream::new(inbound)));
        // A page may show a revision of an older session, also of an older server: none comes twice.
        let (sender, hands) = watch::channel(HandStatuses::begin_at(arena.micros_now()));
        let listener = SessionListener { events, hands: sender, actions: actions.clone(), running };
        Ok((Self { actions, link, hands }, listener))
    }

    /// Returns how a hand stands.
    pub(super) fn status_of(&self, id: MatchId) -> HandStatus {
        self.hands.borrow().status_of(id)
    }

    /// Returns a number that grows with all that it hears.
    pub(super) fn revision(&self) -> u64 {
        self.hands.borrow().revision()
    }

    /// Waits until it has heard more than at a revision, or is over.
    pub(super) async fn wait_for_more(&mut self, revision: u64) {
        // It fails once the session is over.
        let _ = self.hands.wait_for(|hands| hands.revision() != revision).await;
    }

    /// Hands an action to the session; returns whether it is open.
    pub(super) async fn act(&self, match_id: MatchId, action: SeatAction) -> bool {
        self.is_open() && self.actions.send(Ok(Ok(BotAction::Act { match_id, action }))).await.is_ok()
    }

    /// Returns whether it is still open.
    pub(super) fn is_open(&self) -> bool {
        !self.link.is_over() && !self.actions.is_closed()
    }
}

impl SessionListener {
    /// Hears what happens until the session is over, or it has heard of no open match for a while; returns whether it may hear more.
    pub(super) async fn listen(&mut self) -> bool {
        loop {
            let heard = if self.has_open_hand() {
                self.events.next().await
            } else {
                // Its time begins anew with whatever is heard.
                let Ok(heard) = tokio::time::timeout(IDLE_TIMEOUT, self.events.next()).await else {
                    return true;
                };
                heard
            };
            match heard {
                Some(Ok(event)) => self.hear(event),
                Some(Err(_)) | None => return false,
            }
        }
    }

    /// Returns whether it has heard of a match that is not over.
    pub(super) fn has_open_hand(&self) -> bool {
        self.hands.borrow().has_open_hand()
    }

    fn hear(&self, event: ServerEvent) {
        match event {
            ServerEvent::Ping { id } => {
                // A session that has no room for it now is asked again.
                let _ = self.actions.try_send(Ok(Ok(BotAction::Pong { id })));
            }
            ServerEvent::InMatch { match_id, event } => {
                self.hands.send_modify(|hands| hands.apply(match_id, &event));
            }
            // It joins nothing; what it sends is read by the program that sends it.
            ServerEvent::Welcome { .. }
            | ServerEvent::Draining { .. }
            | ServerEvent::Suspended { .. }
            | ServerEvent::Unheard(_)
            | ServerEvent::Joined(_)
            | ServerEvent::NotJoined(_)
            | ServerEvent::TournamentEnded(_)
            | ServerEvent::CaughtUp { .. } => {}
        }
    }

    /// Ends the session, and waits until it has left.
    pub(super) async fn close(self) {
        let Self { events, hands, actions, running, .. } = self;
        drop((events, hands, actions));
        running.abort();
        // It was cut.
        let _ = running.await;
    }
}
