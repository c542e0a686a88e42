//! The session of a guest, which the server keeps.

use super::hand_news::HandNews;
use crate::arena::{Arena, ArenaError, OutboxStream};
use crate::game::{BotName, BotVersion, MatchId};
use crate::wire::{BotAction, IncomingAction, MatchEvent, ServerEvent};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;

/// Actions that may wait to be read by the session.
const MAX_WAITING_ACTIONS: usize = 8;
/// How long a session stays open that has no match any more: the guest may begin another.
const IDLE_TIME: Duration = Duration::from_secs(5);

/// What the session of a guest has heard, by match.
pub(super) type NewsOfHands = BTreeMap<MatchId, HandNews>;

/// The session of a guest: like a bot's, but in the process.
#[derive(Debug, Clone)]
pub(super) struct GuestSession {
    actions: mpsc::Sender<Result<IncomingAction, Infallible>>,
    /// What it has heard.
    pub news: watch::Receiver<NewsOfHands>,
    /// The revision of a match of which it has heard nothing.
    first_revision: u64,
}

/// The side of a session that hears what happens.
#[derive(Debug)]
pub(super) struct SessionEars {
    events: OutboxStream<ServerEvent>,
    news: watch::Sender<NewsOfHands>,
    /// For answers to pings, for as long as somebody plays.
    actions: mpsc::Sender<Result<IncomingAction, Infallible>>,
    running: JoinHandle<()>,
    first_revision: u64,
}

impl GuestSession {
    /// Opens a session of a guest.
    ///
    /// # Errors
    /// If there are as many sessions as there may be, or the server is stopping.
    pub(super) fn open(arena: &Arena, guest: &BotName) -> Result<(Self, SessionEars), ArenaError> {
        let (session, events) = arena.open_session(guest.clone(), BotVersion::default())?;
        let (actions, inbound) = mpsc::channel(MAX_WAITING_ACTIONS);
        let running = tokio::spawn(session.run(ReceiverStream::new(inbound)));
        let (sender, news) = watch::channel(NewsOfHands::new());
        // A page may show a revision of an older session, also of an older server: none comes twice.
        let first_revision = arena.micros_now();
        let ears = SessionEars { events, news: sender, actions: actions.clone(), running, first_revision };
        Ok((Self { actions, news, first_revision }, ears))
    }

    /// Returns what it has heard of a match.
    pub(super) fn news_of(&self, id: MatchId) -> HandNews {
        let heard = self.news.borrow().get(&id).cloned();
        heard.unwrap_or_else(|| HandNews::since(self.first_revision))
    }

    /// Hands an action to the session; returns whether it is open.
    pub(super) async fn act(&self, action: BotAction) -> bool {
        self.actions.send(Ok(Ok(action))).await.is_ok()
    }

    /// Returns whether it is still open.
    pub(super) fn is_open(&self) -> bool {
        !self.actions.is_closed()
    }
}

impl SessionEars {
    /// Hears what happens until the session is over, or the guest has played no match for a while; returns whether it may hear more.
    pub(super) async fn listen(&mut self) -> bool {
        loop {
            let heard = if self.has_open_hand() {
                self.events.next().await
            } else {
                // Its time begins anew with whatever is heard.
                let Ok(heard) = tokio::time::timeout(IDLE_TIME, self.events.next()).await else {
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
        self.news.borrow().values().any(|hand| !hand.is_over)
    }

    fn hear(&self, event: ServerEvent) {
        match event {
            ServerEvent::Ping { id } => {
                // A session that has no room for it now is asked again.
                let _ = self.actions.try_send(Ok(Ok(BotAction::Pong { id })));
            }
            ServerEvent::InMatch { match_id, event } => self.note(match_id, &event),
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

    fn note(&self, match_id: MatchId, event: &MatchEvent) {
        let unheard = || HandNews::since(self.first_revision);
        self.news.send_modify(|hands| hands.entry(match_id).or_insert_with(unheard).note(event));
    }

    /// Ends the session, and waits until it has left.
    pub(super) async fn close(self) {
        let Self { events, news, actions, running, .. } = self;
        drop((events, news, actions));
        running.abort();
        // It was cut.
        let _ = running.await;
    }
}
