//! Everything that is live, behind one handle.

use super::director::{Director, TournamentHandle, TournamentView};
use super::error::ArenaError;
use super::ids::Ids;
use super::keyring::{Keyring, Principal};
use super::limits::Limits;
use super::match_task::{Admission, MatchHandle, MatchInput, MatchReport, MatchTask, Watched};
use super::outbox::{Closing, OutboxStream, outbox};
use super::roster::Roster;
use super::session::Session;
use super::wall_clock::WallClock;
use crate::game::{BotName, MatchId, TournamentId};
use crate::oracle::Audit;
use crate::referee::{MatchSetup, Terms, TimedEvent};
use crate::store::{
    Change, MatchFilter, MatchSummary, Room, Store, StoredBot, StoredMatch, StoredTournament, Token,
};
use crate::tournament::{RoundRobin, RoundRobinError, Settings, Standing, State};
use crate::wire::ServerEvent;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::{Notify, oneshot, watch};

/// How long a tournament without a single open match waits before it looks for room again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The live server without its network: bots, sessions, matches, tournaments. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Arena {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    limits: Arc<Limits>,
    clock: WallClock,
    ids: Ids,
    keyring: Keyring,
    roster: Arc<Roster>,
    store: Arc<Store>,
    matches: RwLock<HashMap<MatchId, MatchHandle>>,
    /// Signalled whenever a match ends.
    match_ended: Notify,
    tournaments: RwLock<HashMap<TournamentId, Arc<TournamentHandle>>>,
    /// Held while the register of bots or the state of a tournament is checked and changed, so that two requests at
    /// once do not both pass the check.
    registering: tokio::sync::Mutex<()>,
    /// Whether everything has been stopped.
    stopped: watch::Sender<bool>,
}

/// A bot and what it is doing.
#[derive(Debug, Clone)]
pub struct BotView {
    /// What is kept of it.
    pub stored: StoredBot,
    /// Whether it has an open session.
    pub connected: bool,
    /// How many matches it is playing.
    pub open_matches: usize,
}

/// What a tournament is made of.
#[derive(Debug, Clone)]
pub struct NewTournament {
    /// What it is.
    pub settings: Settings,
    /// The terms of its matches.
    pub terms: Terms,
}

/// A match that has begun.
pub(super) struct BegunMatch<P> {
    /// Its id.
    pub(super) id: MatchId,
    /// Takes inputs for it.
    pub(super) handle: MatchHandle,
    /// Says when its beginning is stored.
    pub(super) stored: oneshot::Receiver<()>,
    /// Plays it to its end; it stands still until this is polled.
    pub(super) play: P,
}

/// A match as a watcher sees it: what happened so far, and the stream of what happens next.
#[derive(Debug)]
pub struct MatchWatch {
    /// The events so far that may be seen.
    pub so_far: Vec<TimedEvent>,
    /// The audit, if the match is over.
    pub audit: Option<Arc<Audit>>,
    /// Further events; `None` if the match is over.
    pub next: Option<OutboxStream<Watched>>,
}

/// The place of a match among the open ones. It is given back when the match is over, has broken down or is never
/// played.
#[derive(Debug)]
struct Entry {
    inner: Arc<Inner>,
    id: MatchId,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.inner.matches.write().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        self.inner.match_ended.notify_waiters();
    }
}

impl Arena {
    /// Opens an arena. The tokens are let in besides those of the bots.
    pub fn open(limits: Limits, tokens: impl IntoIterator<Item = (Token, Principal)>) -> Self {
        let clock = WallClock::start();
        let keyring = Keyring::default();
        for (token, principal) in tokens {
            keyring.insert(token.hash(), principal);
        }
        let inner = Inner {
            store: Arc::new(Store::new(Room { matches: limits.kept_matches, events: limits.kept_events })),
            limits: Arc::new(limits),
            clock,
            ids: Ids::new(clock),
            keyring,
            roster: Arc::default(),
            matches: RwLock::default(),
            match_ended: Notify::new(),
            tournaments: RwLock::default(),
            registering: tokio::sync::Mutex::default(),
            stopped: watch::Sender::new(false),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Returns the limits.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// Returns whom a token stands for.
    pub fn principal(&self, token: &str) -> Option<Principal> {
        self.inner.keyring.principal(token)
    }

    /// Makes changes last.
    pub(super) async fn commit(&self, changes: Vec<Change>) -> Result<(), ArenaError> {
        Ok(self.inner.store.commit(changes).await?)
    }
}

/// Bots and their sessions.
impl Arena {
    /// Registers a bot and returns its token.
    ///
    /// # Errors
    /// If the name is taken, or the register full.
    pub async fn register_bot(&self, name: BotName) -> Result<(BotView, Token), ArenaError> {
        let _held = self.inner.registering.lock().await;
        if self.inner.store.bot(&name).is_some() {
            return Err(ArenaError::NameTaken(name));
        }
        let limit = self.inner.limits.bots;
        if self.inner.store.bot_count() >= limit {
            return Err(ArenaError::Full { what: "bots", limit });
        }
        let token = Token::draw();
        let bot = StoredBot { name, registered_at: self.inner.clock.now(), token: token.hash() };
        self.commit(vec![Change::Bot(bot.clone())]).await?;
        self.inner.keyring.insert(token.hash(), Principal::Bot(bot.name.clone()));
        tracing::info!(bot = %bot.name, "bot registered");
        Ok((self.bot_view(bot), token))
    }

    /// Replaces a bot's token and ends its session.
    ///
    /// # Errors
    /// If there is no such bot.
    pub async fn rotate_token(&self, name: &BotName) -> Result<Token, ArenaError> {
        let _held = self.inner.registering.lock().await;
        let old = self.stored_bot(name)?;
        let token = Token::draw();
        self.commit(vec![Change::Bot(StoredBot { token: token.hash(), ..old.clone() })]).await?;
        self.inner.keyring.remove(old.token);
        self.inner.keyring.insert(token.hash(), Principal::Bot(name.clone()));
        self.inner.roster.desk(name).close_session(Closing::TokenRotated);
        tracing::info!(bot = %name, "token rotated");
        Ok(token)
    }

    /// Returns a bot.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn bot(&self, name: &BotName) -> Result<BotView, ArenaError> {
        Ok(self.bot_view(self.stored_bot(name)?))
    }

    /// Returns up to `most` bots in the order of their names, those behind `after`.
    pub fn bots(&self, after: Option<&BotName>, most: usize) -> Vec<BotView> {
        self.inner.store.bots(after, most).into_iter().map(|bot| self.bot_view(bot)).collect()
    }

    fn stored_bot(&self, name: &BotName) -> Result<StoredBot, ArenaError> {
        self.inner.store.bot(name).ok_or_else(|| ArenaError::NoSuchBot(name.clone()))
    }

    fn bot_view(&self, stored: StoredBot) -> BotView {
        let desk = self.inner.roster.desk(&stored.name);
        BotView { connected: desk.is_connected(), open_matches: desk.open_matches(), stored }
    }

    /// Admits a session of a bot. The stream is what the bot is sent; the session, which opens in place of an older one
    /// once it runs, reads what the bot sends.
    ///
    /// # Errors
    /// If there are as many sessions as there may be, or the server is stopping.
    pub fn open_session(&self, bot: BotName) -> Result<(Session, OutboxStream<ServerEvent>), ArenaError> {
        let inner = &self.inner;
        self.check_running()?;
        let (sender, stream) = outbox(inner.limits.session_room());
        let (roster, limits) = (Arc::clone(&inner.roster), Arc::clone(&inner.limits));
        let session = Session::open(bot, sender, roster, limits, inner.clock)?;
        Ok((session, stream))
    }

    /// Returns how many sessions are open.
    pub fn session_count(&self) -> usize {
        self.inner.roster.session_count()
    }
}

/// Matches.
impl Arena {
    /// Starts an exhibition match.
    ///
    /// # Errors
    /// If a bot is not registered, the setup cannot be played, or there is no room.
    pub async fn create_match(&self, setup: MatchSetup) -> Result<MatchSummary, ArenaError> {
        for bot in &setup.bots {
            self.stored_bot(bot)?;
        }
        let BegunMatch { id, stored, play, .. } = self.begin_match(setup)?;
        tokio::spawn(async move {
            match play.await {
                Ok(_) => {}
                Err(ArenaError::Stopping) => tracing::info!(%id, "a match was cut"),
                Err(error) => tracing::error!(%error, %id, "a match was lost"),
            }
        });
        // Nobody is told of a match that is not stored. One that cannot be stored drops its end of this.
        let _stored_or_lost = stored.await;
        self.match_summary(id).map(|(summary, _)| summary)
    }

    /// Begins a match and returns the task that plays it.
    pub(super) fn begin_match(
        &self,
        setup: MatchSetup,
    ) -> Result<BegunMatch<impl Future<Output = Result<MatchReport, ArenaError>> + Send + use<>>, ArenaError>
    {
        let setup = setup.check().map_err(ArenaError::Setup)?;
        let inner = Arc::clone(&self.inner);
        let limit = inner.limits.open_matches;
        let id = inner.ids.next_match();
        let desks = setup.bots.map(|bot| inner.roster.desk(bot));
        let mut matches = self.matches_mut();
        // Under the lock, so that who stops the arena and then looks for open matches misses none.
        self.check_running()?;
        if matches.len() >= limit {
            return Err(ArenaError::Full { what: "open matches", limit });
        }
        let (handle, stored, task) =
            MatchTask::begin(id, setup, &desks, inner.clock, Arc::clone(&inner.store));
        matches.insert(id, handle.clone());
        drop(matches);
        let entry = Entry { inner, id };
        let play = async move {
            let _entry = entry;
            task.run().await
        };
        Ok(BegunMatch { id, handle, stored, play })
    }

    /// Waits until a match has ended, so that there may be room for another, or until it is time to look again.
    pub(super) async fn room_for_matches(&self) {
        let _looks_again = tokio::time::timeout(LOOK_AGAIN, self.inner.match_ended.notified()).await;
    }

    fn matches_mut(&self) -> std::sync::RwLockWriteGuard<'_, HashMap<MatchId, MatchHandle>> {
        self.inner.matches.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_match(&self, id: MatchId) -> Option<MatchHandle> {
        self.inner.matches.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// Returns how many matches are open.
    pub fn open_matches(&self) -> usize {
        self.inner.matches.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns a match in brief and, if it is over, its audit.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn match_summary(&self, id: MatchId) -> Result<(MatchSummary, Option<Arc<Audit>>), ArenaError> {
        self.inner.store.summary(id).ok_or(ArenaError::NoSuchMatch(id))
    }

    /// Returns up to `most` matches that the filter admits, the newest first, those before `before`.
    pub fn matches(&self, filter: &MatchFilter, before: Option<MatchId>, most: usize) -> Vec<MatchSummary> {
        self.inner.store.summaries(filter, before, most)
    }

    /// Returns all that is kept of a match.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn stored_match(&self, id: MatchId) -> Result<StoredMatch, ArenaError> {
        self.inner.store.record(id)?.ok_or(ArenaError::NoSuchMatch(id))
    }

    /// Begins to watch a match.
    ///
    /// # Errors
    /// If there is none of that id.
    pub async fn watch_match(&self, id: MatchId) -> Result<MatchWatch, ArenaError> {
        if let Some(handle) = self.open_match(id) {
            let (sender, stream) = outbox(self.inner.limits.watcher_queue);
            let (admission, answer) = oneshot::channel();
            let most = self.inner.limits.watchers;
            if handle.send(MatchInput::Watch { admission, outbox: sender, most }).await {
                match answer.await {
                    Ok(Admission::Admitted { so_far }) => {
                        return Ok(MatchWatch { so_far, audit: None, next: Some(stream) });
                    }
                    Ok(Admission::Full) => {
                        return Err(ArenaError::Full { what: "watchers of this match", limit: most });
                    }
                    Ok(Admission::Over) | Err(_) => {}
                }
            }
        }
        let StoredMatch { record, audit } = self.stored_match(id)?;
        Ok(MatchWatch { so_far: record.open_events().cloned().collect(), audit, next: None })
    }
}

/// Tournaments.
impl Arena {
    /// Creates a tournament that bots may join.
    ///
    /// # Errors
    /// If there are as many as there may be, and none of them is over.
    pub async fn create_tournament(&self, new: NewTournament) -> Result<TournamentView, ArenaError> {
        self.check_running()?;
        let _held = self.inner.registering.lock().await;
        let limit = self.inner.limits.tournaments;
        if self.inner.store.tournament_count() >= limit {
            self.forget_oldest_tournament().await?;
        }
        let stored = StoredTournament {
            id: self.inner.ids.next_tournament(),
            created_at: self.inner.clock.now(),
            settings: Arc::new(new.settings),
            terms: new.terms,
            field: Arc::default(),
            state: State::Open,
        };
        self.commit(vec![Change::Tournament(stored.clone())]).await?;
        tracing::info!(tournament = %stored.id, title = %stored.settings.title, "tournament created");
        let handle = Arc::new(TournamentHandle::new(stored));
        let view = handle.view();
        self.inner.tournaments.write().unwrap_or_else(PoisonError::into_inner).insert(view.stored.id, handle);
        Ok(view)
    }

    /// Makes room for a new tournament.
    async fn forget_oldest_tournament(&self) -> Result<(), ArenaError> {
        let limit = self.inner.limits.tournaments;
        let oldest = self.inner.store.oldest_ended_tournament();
        let id = oldest.ok_or(ArenaError::Full { what: "tournaments that are not over", limit })?;
        self.commit(vec![Change::TournamentForgotten(id)]).await?;
        self.inner.tournaments.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
        Ok(())
    }

    /// Enters a bot. Joining twice does no harm. The tournament starts if it was waiting for this bot only.
    ///
    /// # Errors
    /// If there is no such tournament or bot, the tournament has started, or with one bot more it could not be played
    /// through.
    pub async fn join_tournament(
        &self,
        id: TournamentId,
        bot: &BotName,
    ) -> Result<TournamentView, ArenaError> {
        let _held = self.inner.registering.lock().await;
        self.stored_bot(bot)?;
        let handle = self.tournament_handle(id)?;
        let mut view = handle.view();
        let stored = &mut view.stored;
        if stored.field.contains(bot) {
            return Ok(view);
        }
        Self::check_state(stored, "bots join before the start")?;
        Self::check_room(stored)?;
        Arc::make_mut(&mut stored.field).push(bot.clone());
        self.commit(vec![Change::Tournament(stored.clone())]).await?;
        handle.show_joined(bot, stored.clone());
        if stored.settings.start_at.is_some_and(|field| stored.field.len() >= field) {
            self.start(&handle, view.stored).await?;
        }
        Ok(handle.view())
    }

    /// Starts a tournament.
    ///
    /// # Errors
    /// If there is none of that id, it has started, or the field cannot be paired.
    pub async fn start_tournament(&self, id: TournamentId) -> Result<TournamentView, ArenaError> {
        self.check_running()?;
        let _held = self.inner.registering.lock().await;
        let handle = self.tournament_handle(id)?;
        let stored = handle.view().stored;
        Self::check_state(&stored, "a tournament starts once")?;
        self.start(&handle, stored).await?;
        Ok(handle.view())
    }

    async fn start(
        &self,
        handle: &Arc<TournamentHandle>,
        mut stored: StoredTournament,
    ) -> Result<(), ArenaError> {
        let id = stored.id;
        let field = stored.field.as_slice();
        let rounds =
            RoundRobin::new(&stored.settings, field).map_err(|error| ArenaError::Field { id, error })?;
        stored.state = State::Running;
        self.commit(vec![Change::Tournament(stored.clone())]).await?;
        tracing::info!(tournament = %id, bots = stored.field.len(), matches = rounds.total(), "tournament starts");
        if let Some(director) = Director::new(self.clone(), Arc::clone(handle), stored, rounds) {
            tokio::spawn(director.run());
        }
        Ok(())
    }

    /// Cancels a tournament: its open matches end without a winner.
    ///
    /// # Errors
    /// If there is none of that id, or it is over, or its last match ends before it is called off.
    pub async fn cancel_tournament(&self, id: TournamentId) -> Result<TournamentView, ArenaError> {
        let handle = self.tournament_handle(id)?;
        let mut watch = handle.subscribe();
        let held = self.inner.registering.lock().await;
        let mut stored = handle.view().stored;
        match stored.state {
            State::Open => {
                stored.state = State::Cancelled;
                self.commit(vec![Change::Tournament(stored.clone())]).await?;
                handle.show(stored);
            }
            State::Running => handle.cancel(),
            state => return Err(Self::nothing_to_cancel(id, state)),
        }
        drop(held);
        tokio::select! {
            over = watch.wait_for(|view| view.stored.state.is_over()) => {
                let view = over.map_err(|_| ArenaError::NoSuchTournament(id))?.clone();
                match view.stored.state {
                    State::Cancelled => Ok(view),
                    state => Err(Self::nothing_to_cancel(id, state)),
                }
            }
            () = self.stopped() => Err(ArenaError::Stopping),
        }
    }

    /// Returns a tournament as it is now.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn tournament(&self, id: TournamentId) -> Result<TournamentView, ArenaError> {
        Ok(self.tournament_handle(id)?.view())
    }

    /// Returns up to `most` tournaments, the newest first, those before `before`.
    pub fn tournaments(&self, before: Option<TournamentId>, most: usize) -> Vec<TournamentView> {
        let stored = self.inner.store.tournaments(before, most);
        stored.iter().filter_map(|stored| self.tournament(stored.id).ok()).collect()
    }

    /// Returns the standings of a tournament as they are now, by place.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn standings(&self, id: TournamentId) -> Result<Arc<Vec<Standing>>, ArenaError> {
        Ok(self.tournament_handle(id)?.standings())
    }

    /// Begins to watch a tournament: the receiver sees its newest state.
    ///
    /// # Errors
    /// If there is none of that id, or it has as many watchers as it may.
    pub fn watch_tournament(&self, id: TournamentId) -> Result<watch::Receiver<TournamentView>, ArenaError> {
        let handle = self.tournament_handle(id)?;
        let limit = self.inner.limits.watchers;
        if handle.watchers() >= limit {
            return Err(ArenaError::Full { what: "watchers of this tournament", limit });
        }
        Ok(handle.subscribe())
    }

    pub(super) fn tournament_handle(&self, id: TournamentId) -> Result<Arc<TournamentHandle>, ArenaError> {
        let tournaments = self.inner.tournaments.read().unwrap_or_else(PoisonError::into_inner);
        tournaments.get(&id).cloned().ok_or(ArenaError::NoSuchTournament(id))
    }

    fn nothing_to_cancel(id: TournamentId, state: State) -> ArenaError {
        ArenaError::WrongState { id, state, needed: "there is nothing to cancel" }
    }

    /// Checks that a tournament can be played with one bot more. Whether it has enough of them shows when it starts.
    fn check_room(stored: &StoredTournament) -> Result<(), ArenaError> {
        let (settings, field) = (&stored.settings, stored.field.len() + 1);
        match RoundRobin::matches(field, settings.seats, settings.positions.len()) {
            Err(error @ RoundRobinError::TooManyMatches { .. }) => {
                Err(ArenaError::Field { id: stored.id, error })
            }
            _ => Ok(()),
        }
    }

    fn check_state(stored: &StoredTournament, needed: &'static str) -> Result<(), ArenaError> {
        match stored.state {
            State::Open => Ok(()),
            state => Err(ArenaError::WrongState { id: stored.id, state, needed }),
        }
    }
}

/// Stopping.
impl Arena {
    /// Begins to stop: nothing new is started, sessions are told how long they have, and when no match is open or the
    /// time is over, every match that is still open is cut, and every session ended.
    pub async fn stop(&self, within: Duration) {
        self.inner.roster.close();
        self.inner.roster.for_each_session(|session| session.send(ServerEvent::Draining { within }));
        let no_match_open = async {
            loop {
                let ended = self.inner.match_ended.notified();
                tokio::pin!(ended);
                ended.as_mut().enable();
                if self.open_matches() == 0 {
                    break;
                }
                ended.await;
            }
        };
        let in_time = tokio::time::timeout(within, no_match_open).await.is_ok();
        self.inner.stopped.send_replace(true);
        if !in_time {
            let open: Vec<MatchHandle> = self.matches_mut().values().cloned().collect();
            for handle in open {
                handle.send(MatchInput::Cut).await;
            }
        }
        self.inner.roster.for_each_session(|session| session.close(Closing::ShuttingDown));
    }

    /// Waits until everything has been stopped.
    pub async fn stopped(&self) {
        let mut stopped = self.inner.stopped.subscribe();
        // The sender is held here, so that there is nothing else to hear.
        let _stopped = stopped.wait_for(|&stopped| stopped).await;
    }

    fn check_running(&self) -> Result<(), ArenaError> {
        if self.inner.roster.is_closed() { Err(ArenaError::Stopping) } else { Ok(()) }
    }
}
