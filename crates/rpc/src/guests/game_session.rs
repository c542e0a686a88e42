//! Sessions of people who play in a browser, kept by the server.

use super::game_status::GameStatus;
use super::game_statuses::GameStatuses;
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

/// The maximum number of actions that wait for the session.
const MAX_WAITING_ACTIONS: usize = 8;
/// After this time without events or open matches, the owner checks whether the session is still needed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// The session of a person in a browser: like a bot's, but in the server process.
#[derive(Debug, Clone)]
pub(super) struct GameSession {
    actions: mpsc::Sender<Result<IncomingAction, Infallible>>,
    /// The link to the session, which shows whether the session is over. Actions after its end are dropped.
    link: SessionLink,
    /// The statuses of the session's games.
    pub games: watch::Receiver<GameStatuses>,
}

/// Receives the events of a session.
#[derive(Debug)]
pub(super) struct SessionListener {
    events: OutboxStream<ServerEvent>,
    games: watch::Sender<GameStatuses>,
    /// Sends pongs to the session. If nobody listens to the session, no pongs are sent.
    actions: mpsc::Sender<Result<IncomingAction, Infallible>>,
    running: JoinHandle<()>,
}

impl GameSession {
    /// Opens a session for a bot or guest, which ends any earlier one.
    ///
    /// # Errors
    /// If the session limit is reached, or the server is stopping.
    pub(super) fn open(arena: &Arena, bot: &BotName) -> Result<(Self, SessionListener), ArenaError> {
        let (session, events) = arena.open_session(bot.clone(), BotVersion::default())?;
        let link = session.link().clone();
        let (actions, inbound) = mpsc::channel(MAX_WAITING_ACTIONS);
        let running = tokio::spawn(session.run(ReceiverStream::new(inbound)));
        // A page may still have a revision from an earlier session, or from before a restart, so revisions must never
        // repeat.
        let (sender, games) = watch::channel(GameStatuses::with_first_revision(arena.now_micros()));
        let listener = SessionListener { events, games: sender, actions: actions.clone(), running };
        Ok((Self { actions, link, games }, listener))
    }

    pub(super) fn status_of(&self, id: MatchId) -> GameStatus {
        self.games.borrow().status_of(id)
    }

    /// Returns a number that grows with each event.
    pub(super) fn revision(&self) -> u64 {
        self.games.borrow().revision()
    }

    /// Waits until there are events newer than `revision`, or the session is over.
    pub(super) async fn wait_for_newer_events(&mut self, revision: u64) {
        // This fails once the session is over, which also ends the wait.
        let _ = self.games.wait_for(|games| games.revision() != revision).await;
    }

    /// Passes an action to the session; returns whether the session was open and took it.
    pub(super) async fn act(&self, match_id: MatchId, action: SeatAction) -> bool {
        self.is_open() && self.actions.send(Ok(Ok(BotAction::Act { match_id, action }))).await.is_ok()
    }

    pub(super) fn is_open(&self) -> bool {
        !self.link.is_over() && !self.actions.is_closed()
    }
}

impl SessionListener {
    /// Listens until the session ends, or until no match is open and nothing has arrived for a while. Returns whether
    /// the session is still open.
    pub(super) async fn listen(&mut self) -> bool {
        loop {
            let heard = if self.has_open_game() {
                self.events.next().await
            } else {
                // The timeout starts again with each event.
                let Ok(heard) = tokio::time::timeout(IDLE_TIMEOUT, self.events.next()).await else {
                    return true;
                };
                heard
            };
            match heard {
                Some(Ok(event)) => self.handle_event(event),
                Some(Err(_)) | None => return false,
            }
        }
    }

    /// Returns whether the session knows of an unfinished match.
    pub(super) fn has_open_game(&self) -> bool {
        self.games.borrow().has_open_game()
    }

    fn handle_event(&self, event: ServerEvent) {
        match event {
            ServerEvent::Ping { id } => {
                // If the queue is full, the pong is dropped, and the next ping gets one.
                let _ = self.actions.try_send(Ok(Ok(BotAction::Pong { id })));
            }
            ServerEvent::InMatch { match_id, event } => {
                self.games.send_modify(|games| games.apply(match_id, &event));
            }
            // Other events are ignored, because they do not change the status of a game.
            ServerEvent::Welcome { .. }
            | ServerEvent::Draining { .. }
            | ServerEvent::Suspended { .. }
            | ServerEvent::InvalidAction(_)
            | ServerEvent::Joined(_)
            | ServerEvent::NotJoined(_)
            | ServerEvent::TournamentEnded(_)
            | ServerEvent::CaughtUp { .. } => {}
        }
    }

    /// Closes the session, and waits until its task has stopped.
    pub(super) async fn close(self) {
        let Self { events, games, actions, running, .. } = self;
        drop((events, games, actions));
        running.abort();
        // The error is ignored, because it only says that the task was aborted.
        let _ = running.await;
    }
}
