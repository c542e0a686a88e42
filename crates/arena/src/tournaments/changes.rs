//! Changes to tournaments: creation, start and end.

use crate::arena::{Arena, HeldLock};
use crate::environment::Environment;
use crate::error::ArenaError;
use crate::matches::shard::MatchInput;
use crate::requests::CreationRequest;
use crate::tournaments::cpu_times::CpuTask;
use crate::tournaments::director::Director;
use crate::tournaments::tournament_handle::TournamentHandle;
use crate::tournaments::tournament_view::TournamentView;
use futures_core::future::BoxFuture;
use lastnim_core::game::{BotName, TournamentId};
use lastnim_core::referee::Terms;
use lastnim_proto::record_text::Utc;
use lastnim_store::{Change, Creation, StoredTournament, TournamentResult};
use lastnim_tournament::{
    FormatVerdict, Rulings, Schedule, Settings, TournamentEnd, TournamentState, plan_schedule,
};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;

/// The definition of a new tournament.
#[derive(Debug, Clone)]
pub struct NewTournament {
    /// The tournament's settings.
    pub settings: Settings,
    /// The terms of the tournament's matches.
    pub terms: Terms,
}

/// The error message for an attempt to cancel a tournament that is already over.
const CANCEL_CONDITION: &str = "there is nothing to cancel";

/// Returns whether enough bots have joined for the tournament to start automatically.
pub(crate) fn is_ready_to_start(stored: &StoredTournament) -> bool {
    stored.settings.start_when.is_some_and(|field| stored.field.len() >= field)
}

/// Plans a tournament on a blocking thread, because planning a large balanced sample can take a second.
pub(crate) async fn plan_in_background(
    environment: &Environment,
    handle: &TournamentHandle,
    stored: &StoredTournament,
) -> Result<Box<dyn Schedule>, ArenaError> {
    let (settings, field) = (Arc::clone(&stored.settings), Arc::clone(&stored.field));
    let began = Instant::now();
    let planned = match environment.spawn_computation(move || plan_schedule(&settings, &field)).await {
        Ok(planned) => planned.map_err(|error| ArenaError::Field { id: stored.id, error }),
        Err(broken) if broken.is_panic() => resume_unwind(broken.into_panic()),
        Err(_) => Err(ArenaError::Stopping),
    };
    handle.cpu_times.add_time(CpuTask::Planning, began.elapsed());
    planned
}

impl Arena {
    /// Creates a tournament that bots may join.
    ///
    /// # Errors
    /// If the limit on unfinished tournaments is reached, or entries would have closed already.
    pub fn create_tournament(
        &self,
        new: NewTournament,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        self.create_tournament_once(new, None)
    }

    /// Creates a tournament, or returns the one that the same request has created before.
    ///
    /// # Errors
    /// As [`create_tournament`](Self::create_tournament), and if the request's id was used for a different request.
    pub fn create_tournament_once(
        &self,
        new: NewTournament,
        request: Option<CreationRequest>,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        self.run_locked(self.inner.tournaments.creating(), move |arena, held| async move {
            arena.create_tournament_locked(held, new, request).await
        })
    }

    async fn create_tournament_locked(
        &self,
        _guard: HeldLock,
        new: NewTournament,
        request: Option<CreationRequest>,
    ) -> Result<TournamentView, ArenaError> {
        if let Some(Creation::Tournament(id)) = self.earlier_creation(request.as_ref()).await? {
            return self.tournament(id).await;
        }
        self.check_not_stopping()?;
        let limit = self.inner.limits.tournaments;
        if self.open_tournament_count() >= limit {
            return Err(ArenaError::Full { what: "unfinished tournaments", limit });
        }
        let now = self.inner.environment.date();
        if let Some(close) = new.settings.entries_close_at.filter(|&close| close <= now) {
            let [closes_at, now] = [close, now].map(|time| Utc(time.as_micros()));
            return Err(ArenaError::EntriesInPast { closes_at, now });
        }
        let deals_rows = new.settings.alliance.deal_rule().is_some();
        let stored = StoredTournament {
            deal_secret: deals_rows.then(|| self.new_deal_secret()),
            id: self.inner.ids.next_tournament(),
            created_at: self.inner.clock.now(),
            settings: Arc::new(new.settings),
            terms: new.terms,
            field: Arc::default(),
            state: TournamentState::Open,
            over: None,
            entry_code: None,
        };
        let done = request.map(|request| request.done(Creation::Tournament(stored.id), stored.created_at));
        let changes = [Change::TournamentCreated(stored.clone())].into_iter();
        self.commit(changes.chain(done.clone().map(Change::RequestDone)).collect()).await?;
        if let Some(done) = done {
            self.inner.requests.insert(done);
        }
        tracing::info!(tournament = %stored.id, title = %stored.settings.title, "tournament created");
        let handle = Arc::new(TournamentHandle::new(&stored));
        let view = handle.view();
        self.inner.tournaments.insert(view.stored.id, Arc::clone(&handle));
        self.start_on_time(&handle);
        Ok(view)
    }

    /// Starts a tournament.
    ///
    /// # Errors
    /// If no tournament has this id, the tournament has already started, or its bots cannot be paired.
    pub fn start_tournament(
        &self,
        id: TournamentId,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.start_tournament_locked(held, id).await
        })
    }

    async fn start_tournament_locked(
        &self,
        _guard: HeldLock,
        id: TournamentId,
    ) -> Result<TournamentView, ArenaError> {
        self.check_not_stopping()?;
        let handle = self.require_unfinished_tournament(id, "a tournament can start only once").await?;
        let stored = handle.view().stored;
        Self::check_tournament_state(&stored, "a tournament can start only once")?;
        self.plan_and_start_tournament(&handle, stored).await?;
        Ok(handle.view())
    }

    pub(crate) async fn plan_and_start_tournament(
        &self,
        handle: &Arc<TournamentHandle>,
        stored: StoredTournament,
    ) -> Result<(), ArenaError> {
        let schedule = plan_in_background(&self.inner.environment, handle, &stored).await?;
        self.commit(vec![Change::TournamentState { id: stored.id, state: TournamentState::Running }]).await?;
        self.spawn_director(handle, stored, schedule);
        Ok(())
    }

    /// Spawns the director of a tournament whose start is committed.
    pub(super) fn spawn_director(
        &self,
        handle: &Arc<TournamentHandle>,
        mut stored: StoredTournament,
        schedule: Box<dyn Schedule>,
    ) {
        stored.state = TournamentState::Running;
        tracing::info!(tournament = %stored.id, bots = stored.field.len(), matches = %schedule.total_matches(), "tournament starts");
        if let Some(director) =
            Director::new(self.clone(), Arc::clone(handle), stored, schedule, &[], Rulings::default())
        {
            self.inner.tasks.spawn(director.run());
        }
    }

    /// Cancels a tournament: its open matches end without a winner.
    ///
    /// # Errors
    /// If no tournament has this id, the tournament is over, or its last match ends before the cancellation takes
    /// effect.
    pub fn cancel_tournament(
        &self,
        id: TournamentId,
    ) -> BoxFuture<'static, Result<TournamentView, ArenaError>> {
        self.run_locked(&self.tournament_lock(id), move |arena, held| async move {
            arena.cancel_tournament_locked(held, id).await
        })
    }

    async fn cancel_tournament_locked(
        &self,
        held: HeldLock,
        id: TournamentId,
    ) -> Result<TournamentView, ArenaError> {
        let handle = self.require_live_tournament(id, CANCEL_CONDITION).await?;
        let mut watch = handle.subscribe();
        let TournamentView { stored, played, total, damage, .. } = handle.view();
        self.check_store()?;
        match stored.state {
            // A quarantined tournament has no director that could end it.
            TournamentState::Running if damage.is_some() => {
                let (at, verdict) = (self.inner.clock.now(), Arc::new(handle.format_verdict()));
                let result = TournamentResult { at, played, total, verdict };
                self.end_tournament(&handle, stored, TournamentState::Cancelled, result).await?;
                self.cancel_matches_of(id);
            }
            TournamentState::Open => {
                let (at, verdict) = (self.inner.clock.now(), Arc::new(FormatVerdict::Standings));
                let result = TournamentResult { at, played: 0, total: 0, verdict };
                self.end_tournament(&handle, stored, TournamentState::Cancelled, result).await?;
            }
            TournamentState::Running => handle.request_cancellation(),
            TournamentState::Finished | TournamentState::Cancelled => {}
        }
        drop(held);
        tokio::select! {
            biased;
            over = watch.wait_for(|view| view.stored.state.is_over()) => {
                let view = over.map_err(|_| ArenaError::NoSuchTournament(id))?.clone();
                match view.stored.state {
                    TournamentState::Cancelled => Ok(view),
                    state => Err(ArenaError::WrongState { id, state, needed: CANCEL_CONDITION }),
                }
            }
            () = self.wait_until_stopped() => Err(ArenaError::Stopping),
        }
    }

    /// Cancels the open matches of a tournament.
    fn cancel_matches_of(&self, id: TournamentId) {
        for open in self.inner.matches.read().values() {
            if open.setup.origin.as_ref().is_some_and(|origin| origin.tournament == id) {
                open.handle.send(MatchInput::Cancel);
            }
        }
    }

    /// Stores and announces the end of a tournament, and removes it from the table of unfinished tournaments.
    pub(crate) async fn end_tournament(
        &self,
        handle: &Arc<TournamentHandle>,
        stored: StoredTournament,
        state: TournamentState,
        over: TournamentResult,
    ) -> Result<(), ArenaError> {
        let (id, standings) = (stored.id, handle.standings_at_end(state));
        let mut changes =
            vec![Change::TournamentOver { id, state, over: over.clone(), standings: Arc::clone(&standings) }];
        changes.extend(self.final_comparison(handle, id).await);
        // This waits for the store for as long as it takes, because the tournament is already ending.
        self.inner.context.commits.commit(changes).await?;
        tracing::info!(tournament = %id, %state, cpu_times = %handle.cpu_times, "tournament over");
        let title = stored.settings.title.to_string();
        handle.set_final_standings(&standings);
        handle.set_tournament(StoredTournament { state, over: Some(over), ..stored });
        self.inner.tournaments.remove(id);
        for standing in standings.iter() {
            // A bot without a session learns of the end from the store when it reconnects.
            if let Some(presence) = self.inner.roster.existing_presence(&standing.bot) {
                let (title, standing, bots) = (title.clone(), standing.clone(), standings.len() as u64);
                presence.send_tournament_end(TournamentEnd { id, title, state, standing, bots });
            }
        }
        Ok(())
    }

    /// Returns the number of unfinished tournaments.
    pub fn open_tournament_count(&self) -> usize {
        self.inner.tournaments.read().len()
    }

    /// Returns the lock that must be held while the state or the field of a tournament is checked and changed. For a
    /// finished tournament, this is a new lock, because such a tournament never changes.
    pub(crate) fn tournament_lock(&self, id: TournamentId) -> Arc<Mutex<()>> {
        self.live_tournament(id).map(|handle| Arc::clone(&handle.change_lock)).unwrap_or_default()
    }

    /// Returns the handle of an unfinished tournament.
    pub(crate) fn live_tournament(&self, id: TournamentId) -> Option<Arc<TournamentHandle>> {
        self.inner.tournaments.read().get(&id).cloned()
    }

    /// Returns an unfinished tournament that has the bot in its field or its standings, if there is one.
    pub(crate) fn unfinished_tournament_of_bot(&self, bot: &BotName) -> Option<TournamentId> {
        let tournaments = self.inner.tournaments.read();
        let has_bot = |handle: &TournamentHandle| {
            handle.view().stored.field.contains(bot) || handle.standings().iter().any(|line| line.bot == *bot)
        };
        tournaments.iter().find(|(_, handle)| has_bot(handle)).map(|(id, _)| *id)
    }

    pub(crate) async fn tournament_from_store(
        &self,
        id: TournamentId,
    ) -> Result<StoredTournament, ArenaError> {
        self.inner.store.tournament(id).await?.ok_or(ArenaError::NoSuchTournament(id))
    }

    /// Returns the handle of a tournament, or an error if the tournament is finished or quarantined.
    pub(crate) async fn require_unfinished_tournament(
        &self,
        id: TournamentId,
        needed: &'static str,
    ) -> Result<Arc<TournamentHandle>, ArenaError> {
        let handle = self.require_live_tournament(id, needed).await?;
        handle.check_not_quarantined()?;
        Ok(handle)
    }

    /// Returns the handle of a tournament, or an error if the tournament is finished.
    async fn require_live_tournament(
        &self,
        id: TournamentId,
        needed: &'static str,
    ) -> Result<Arc<TournamentHandle>, ArenaError> {
        if let Some(handle) = self.live_tournament(id) {
            return Ok(handle);
        }
        let state = self.tournament_from_store(id).await?.state;
        Err(ArenaError::WrongState { id, state, needed })
    }

    pub(super) fn check_tournament_state(
        stored: &StoredTournament,
        needed: &'static str,
    ) -> Result<(), ArenaError> {
        match stored.state {
            TournamentState::Open => Ok(()),
            state => Err(ArenaError::WrongState { id: stored.id, state, needed }),
        }
    }
}
