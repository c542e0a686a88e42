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
/// After this time without events and matches, the owner checks whether the session is still needed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// The session of a person in a browser: like a bot's, but in the server process.
#[derive(Debug, Clone)]
pub(super) struct GameSession {
    actions: mpsc::Sender<Result<IncomingAction, Infallible>>,
    /// The link to the session, which shows whether it is over. Later actions are dropped.
    link: SessionLink,
    /// The status of its games.
    pub games: watch::Receiver<GameStatuses>,
}

/// Receives the events of a session.
#[derive(Debug)]
pub(super) struct SessionListener {
    events: OutboxStream<ServerEvent>,
    games: watch::Sender<GameStatuses>,
    /// Sends pongs to the session. Nobody listens to an unused session, so it sends none.
    actions: mpsc::Sender<Result<IncomingAction, Infallible>>,
    running: JoinHandle<()>,
}

impl GameSession {
    /// Opens a session for a name, ending an earlier one.
    ///
    /// # Errors
    /// If the session limit is reached, or the server is stopping.
    pub(super) fn open(arena: &Arena, bot: &BotName) -> Result<(Self, SessionListener), ArenaError> {
        let (session, events) = arena.open_session(bot.clone(), BotVersion::default())?;
        let link = session.link().clone();
        let (actions, inbound) = mpsc::channel(MAX_WAITING_ACTIONS);
        let running = tokio::spawn(session.run(ReceiverStream::new(inbound)));
        // A page may have a revision from an older session or server, so revisions must never repeat.
        let (sender, games) = watch::channel(GameStatuses::begin_at(arena.micros_now()));
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

    /// Waits until there are newer events than `revision`, or the session is over.
    pub(super) async fn wait_for_more(&mut self, revision: u64) {
        // This fails once the session is over, which also ends the wait.
        let _ = self.games.wait_for(|games| games.revision() != revision).await;
    }

    /// Passes an action to the session; returns whether it is open.
    pub(super) async fn act(&self, match_id: MatchId, action: SeatAction) -> bool {
        self.is_open() && self.actions.send(Ok(Ok(BotAction::Act { match_id, action }))).await.is_ok()
    }

    pub(super) fn is_open(&self) -> bool {
        !self.link.is_over() && !self.actions.is_closed()
    }
}

impl SessionListener {
    /// Listens until the session ends, or until nothing has arrived for a while and no match is open. Returns whether the
    /// session is still open.
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
                Some(Ok(event)) => self.hear(event),
                Some(Err(_)) | None => return false,
            }
        }
    }

    /// Returns whether it knows an unfinished match.
    pub(super) fn has_open_game(&self) -> bool {
        self.games.borrow().has_open_game()
    }

    fn hear(&self, event: ServerEvent) {
        match event {
            ServerEvent::Ping { id } => {
                // If the queue is full, the next ping asks again.
                let _ = self.actions.try_send(Ok(Ok(BotAction::Pong { id })));
            }
            ServerEvent::InMatch { match_id, event } => {
                self.games.send_modify(|games| games.apply(match_id, &event));
            }
            // Other events are ignored: the session joins no tournaments, and it knows its own actions.
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

    /// Closes the session, and waits until it has left.
    pub(super) async fn close(self) {
        let Self { events, games, actions, running, .. } = self;
        drop((events, games, actions));
        running.abort();
        // An error is ignored: the task may have been aborted.
        let _ = running.await;
    }
}
