//! The director of a tournament, which takes pairings from the schedule, starts matches and counts results.

mod checkpoints;
mod field;
mod interventions;
mod lost_matches;
mod progress;
mod snapshot;

use self::checkpoints::CheckpointTimer;
use self::field::FieldProgress;
use self::progress::{
    DirectorEvent, DirectorResponse, DirectorStage, MAX_STARTS_AT_ONCE, MatchFailure, PauseReason,
    respond_to_event,
};
use crate::arena::Arena;
use crate::error::ArenaError;
use crate::matches::match_handle::MatchHandle;
use crate::matches::open_matches::{MatchFuture, StartedMatch};
use crate::matches::shard::MatchInput;
use crate::tournaments::cpu_times::CpuTask;
use crate::tournaments::tournament_handle::{DirectorInbox, SharedSchedule, TournamentHandle};
use lastnim_core::game::MatchId;
use lastnim_core::referee::{MatchSetup, Origin};
use lastnim_core::shown_number::shown_number;
use lastnim_store::{Change, StoreError, StoredTournament, TournamentResult};
use lastnim_tournament::{
    FieldChange, MatchLimiter, MatchOutcome, MatchResult, Pairing, ReportedResults, Rulings, Schedule,
    ScheduleStep, TotalMatches, TournamentState, assigned_matrix,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::task::{Id, JoinSet};

/// Runs a started tournament: starts its matches and counts their results.
#[derive(Debug)]
pub(crate) struct Director {
    arena: Arena,
    handle: Arc<TournamentHandle>,
    stored: StoredTournament,
    stage: DirectorStage,
    schedule: SharedSchedule,
    match_limiter: MatchLimiter,
    reported: ReportedResults,
    checkpoints: CheckpointTimer,
    field: FieldProgress,
    /// Whether the tournament cannot continue until another bot joins.
    awaits_bots: bool,
    /// The next match to start, if the server had no room for it at the last attempt.
    delayed_pairing: Option<Pairing>,
    inbox: DirectorInbox,
    running: JoinSet<Result<Option<MatchOutcome>, ArenaError>>,
    /// The pairing of each task in `running`.
    open: BTreeMap<Id, OpenPairing>,
    rulings: Rulings,
    /// Pairings that must be played again, because their matches were voided while they were open.
    replays: Vec<Pairing>,
}

/// A pairing whose match is open.
#[derive(Debug)]
struct OpenPairing {
    pairing: Pairing,
    handle: MatchHandle,
    id: MatchId,
    setup: Arc<MatchSetup>,
}

impl Director {
    /// Creates the director of a tournament whose start is stored; returns `None` if the tournament already has a
    /// director. The schedule must already know the stored changes to the field.
    pub(crate) fn new(
        arena: Arena,
        handle: Arc<TournamentHandle>,
        stored: StoredTournament,
        schedule: Box<dyn Schedule>,
        changes: &[FieldChange],
        rulings: Rulings,
    ) -> Option<Self> {
        let schedule = SharedSchedule::new(schedule);
        let field = FieldProgress::new(changes);
        handle.add_departing(field.newest_leavers());
        let inbox = handle.attach_director(&stored, &schedule)?;
        handle.set_rulings(&rulings, arena.now());
        let match_limiter = MatchLimiter::new(stored.settings.bot_concurrency);
        let is_off = !arena.inner.store.is_durable();
        let checkpoints = CheckpointTimer::new(arena.limits().checkpoint_results, 0, is_off);
        Some(Self {
            arena,
            handle,
            stage: if stored.state == TournamentState::Cancelled {
                DirectorStage::Cancelling
            } else {
                DirectorStage::Playing
            },
            stored,
            schedule,
            match_limiter,
            reported: ReportedResults::default(),
            checkpoints,
            field,
            awaits_bots: false,
            delayed_pairing: None,
            inbox,
            running: JoinSet::new(),
            open: BTreeMap::new(),
            rulings,
            replays: Vec::new(),
        })
    }

    /// Takes over the results that have been counted from the store, and the number of those after the last checkpoint.
    pub(crate) fn restore_counted_results(&mut self, reported: ReportedResults, since_checkpoint: u64) {
        self.reported = reported;
        let is_off = !self.arena.inner.store.is_durable();
        let interval = self.arena.limits().checkpoint_results;
        self.checkpoints = CheckpointTimer::new(interval, since_checkpoint, is_off);
    }

    /// Plays all pairings of the tournament, and stores its end. Stops early if the tournament is cancelled or the
    /// server cannot continue.
    pub(crate) async fn run(mut self) {
        if self.stage == DirectorStage::Cancelling {
            self.cancel_open_matches(0);
        }
        self.apply_rulings();
        self.update_after_results().await;
        self.handle.start_measuring_pace(self.arena.now());
        loop {
            let ControlFlow::Continue(pause) = self.start_matches() else {
                return self.stop_unfinished().await;
            };
            self.handle.set_awaits_bots(pause == PauseReason::AwaitingBots);
            if pause == PauseReason::Over {
                break;
            }
            let event = self.next_event(pause).await;
            if self.handle_event(event).await.is_break() {
                return self.stop_unfinished().await;
            }
        }
        self.refuse_commands();
        self.withdraw_suspensions();
        if self.arena.rate_finished_tournament(&self.handle).await.is_break() {
            return self.stop_unfinished().await;
        }
        let (view, verdict) = (self.handle.view(), Arc::new(self.handle.format_verdict()));
        let result =
            TournamentResult { at: self.arena.now(), played: view.played, total: view.total, verdict };
        let id = self.stored.id;
        if let Err(error) =
            self.arena.end_tournament(&self.handle, self.stored, self.stage.final_state(), result).await
        {
            tracing::error!(%error, tournament = %id, "could not store that a tournament has ended");
        }
    }

    /// Starts matches up to a limit, and returns why it starts no more for now. Returns `Break` if the tournament
    /// cannot continue.
    fn start_matches(&mut self) -> ControlFlow<(), PauseReason> {
        let mut started = 0;
        let is_paused = self.rulings.pause().is_some();
        while self.stage == DirectorStage::Playing
            && !is_paused
            && started < MAX_STARTS_AT_ONCE
            && self.running.len() < self.stored.settings.concurrency.get()
            && let Some(pairing) = self.delayed_pairing.take().or_else(|| self.next_pairing())
        {
            self.delayed_pairing = self.start_match(pairing)?;
            if self.delayed_pairing.is_some() {
                break;
            }
            started += 1;
        }
        let lacks = (is_paused, self.delayed_pairing.is_some(), self.awaits_bots);
        ControlFlow::Continue(PauseReason::determine(self.stage, started, self.running.len(), lacks))
    }

    async fn next_event(&mut self, pause: PauseReason) -> DirectorEvent {
        tokio::select! {
            biased;
            () = self.arena.wait_until_stopped() => DirectorEvent::ServerStopping,
            Some(command) = self.inbox.commands.recv() => DirectorEvent::CommandReceived(command),
            Some(request) = self.inbox.snapshots.recv() => DirectorEvent::SnapshotRequested(request),
            Some(ended) = self.running.join_next_with_id() => match ended {
                Ok((task, outcome)) => DirectorEvent::MatchEnded(task, outcome.map_err(MatchFailure::Failed)),
                Err(error) => DirectorEvent::MatchEnded(error.id(), Err(MatchFailure::Panicked(error))),
            },
            () = tokio::task::yield_now(), if pause == PauseReason::Yielding => DirectorEvent::StartAllowed,
            () = self.arena.wait_for_match_room(), if pause == PauseReason::AwaitingRoom => DirectorEvent::StartAllowed,
        }
    }

    /// Handles an event. Returns `Break` if this server cannot continue.
    async fn handle_event(&mut self, event: DirectorEvent) -> ControlFlow<()> {
        match respond_to_event(event, self.stage) {
            DirectorResponse::Leave => return ControlFlow::Break(()),
            DirectorResponse::StartMatches => {}
            DirectorResponse::Cancel => {
                // The cancellation is stored first, so that the next server continues it after a crash.
                self.store_cancellation().await?;
                self.stage = DirectorStage::Cancelling;
                self.cancel_open_matches(0);
            }
            DirectorResponse::ChangeField(request) => self.change_field(request).await?,
            DirectorResponse::TakeSnapshot(request) => self.answer_snapshot(request),
            DirectorResponse::Intervene(request) => {
                self.intervene(request).await?;
                self.update_after_results().await;
            }
            DirectorResponse::Settle(task, outcome) => {
                self.handle_match_end(task, outcome).await?;
                self.update_after_results().await;
            }
        }
        ControlFlow::Continue(())
    }

    /// Does everything that new results or rulings make necessary, apart from starting matches.
    async fn update_after_results(&mut self) {
        self.cancel_surplus_matches();
        self.notify_suspended_bots();
        self.write_checkpoint_if_due().await;
    }

    /// Refuses further commands, and waits until the tournament's matches have stopped. The tournament remains
    /// unfinished in the store.
    async fn stop_unfinished(mut self) {
        self.refuse_commands();
        while self.running.join_next().await.is_some() {}
    }

    /// Closes the inbox, so that callers get an error at once.
    fn refuse_commands(&mut self) {
        let DirectorInbox { commands, snapshots } = &mut self.inbox;
        commands.close();
        while commands.try_recv().is_ok() {}
        snapshots.close();
        while snapshots.try_recv().is_ok() {}
    }

    /// Stores that the tournament is being cancelled, waiting for the store for as long as it takes. Returns `Break` if
    /// this server can never store it.
    async fn store_cancellation(&self) -> ControlFlow<()> {
        let change = Change::TournamentState { id: self.stored.id, state: TournamentState::Cancelled };
        let committed = tokio::select! {
            biased;
            committed = self.arena.inner.context.commits.commit(vec![change]) => committed,
            () = self.arena.wait_until_stopped() => return ControlFlow::Break(()),
        };
        let Err(error) = committed else { return ControlFlow::Continue(()) };
        tracing::error!(%error, tournament = %self.stored.id, "could not store that a tournament was cancelled");
        // If the store rejected only this change, the tournament can be cancelled anyway.
        if matches!(error, StoreError::Refused(_)) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn next_pairing(&mut self) -> Option<Pairing> {
        self.awaits_bots = false;
        let Self { handle, match_limiter, schedule, .. } = self;
        if let TotalMatches::Exactly(total) = schedule.lock().total_matches() {
            self.replays.retain(|pairing| pairing.number < total);
        }
        if let Some(pairing) = self.replays.pop() {
            match_limiter.note_begun(&pairing);
            return Some(pairing);
        }
        let step = handle.cpu_times.measure(CpuTask::Pairing, || match_limiter.next(&mut **schedule.lock()));
        let closed_before = self.rulings.closed_before().unwrap_or(u64::MAX);
        match step {
            ScheduleStep::Match(pairing) if pairing.number < closed_before => return Some(pairing),
            // The organiser has closed the ladder before this match's round, so the match is not played.
            ScheduleStep::Match(pairing) => match_limiter.note_ended(&pairing),
            ScheduleStep::AwaitBots => self.awaits_bots = closed_before == u64::MAX,
            ScheduleStep::AwaitResults | ScheduleStep::Over => {}
        }
        None
    }

    /// Returns the pairing of the match with this number, if the schedule knows it yet.
    pub(crate) fn pairing_of_number(&self, number: u64) -> Option<Pairing> {
        self.schedule.lock().pairing_of_number(number)
    }

    /// Reports a result to the schedule, and counts all reported results that are now certain to count.
    fn report_result(&mut self, result: MatchResult) {
        let Self { handle, schedule, reported, checkpoints, rulings, .. } = self;
        handle.cpu_times.measure(CpuTask::Counting, || {
            let counting = reported.report_result(result, &mut **schedule.lock());
            for result in counting {
                handle.count_result(&rulings.counted(&result));
            }
            handle.update_from_schedule();
        });
        checkpoints.note_result();
    }

    /// Starts a match; returns the pairing if the server has no room for the match now. Returns `Break` if the match
    /// cannot be played.
    fn start_match(&mut self, pairing: Pairing) -> ControlFlow<(), Option<Pairing>> {
        if self.is_left_out(&pairing) {
            self.match_limiter.note_ended(&pairing);
            self.checkpoints.disable();
            self.report_result(MatchResult::cancelled(&pairing));
            return ControlFlow::Continue(None);
        }
        let setup = self.handle.cpu_times.measure(CpuTask::Pairing, || self.match_setup(&pairing));
        let StoredTournament { settings, deal_secret, .. } = &self.stored;
        let deal = settings.alliance.deal_rule().cloned().zip(deal_secret.clone());
        let StartedMatch { id, handle, setup, play, .. } =
            match self.arena.begin_match(setup, deal, settings.oracle, None) {
                Ok(begun) => begun,
                Err(ArenaError::Full { .. } | ArenaError::Stopping) => {
                    return ControlFlow::Continue(Some(pairing));
                }
                Err(error) => {
                    return self.give_up(&format!("match {}: {error}", shown_number(pairing.number)));
                }
            };
        for seat in self.rulings.disqualified_seats(&pairing) {
            handle.send(MatchInput::Disqualify { seat });
        }
        self.spawn_match(OpenPairing { pairing, handle, id, setup }, play);
        ControlFlow::Continue(None)
    }

    /// Takes over a match that an earlier server began.
    pub(crate) fn resume_match(&mut self, pairing: Pairing, begun: StartedMatch<impl MatchFuture>) {
        let StartedMatch { id, handle, setup, play, .. } = begun;
        self.schedule.lock().skip_open_match(pairing.number);
        self.match_limiter.note_begun(&pairing);
        self.spawn_match(OpenPairing { pairing, handle, id, setup }, play);
    }

    /// Spawns the task of a match that has begun, and lists the match as open.
    fn spawn_match(&mut self, open: OpenPairing, play: impl MatchFuture) {
        let task = self.running.spawn(play).id();
        self.open.insert(task, open);
    }

    fn match_setup(&self, pairing: &Pairing) -> MatchSetup {
        let settings = &self.stored.settings;
        let piles =
            settings.piles(pairing.position).expect("a pairing has one of the tournament's positions");
        let mut setup = MatchSetup::new(pairing.bots.clone(), piles);
        setup.ending = settings.ending;
        setup.terms = self.stored.terms.clone();
        setup.assigned = assigned_matrix(settings, pairing);
        setup.origin =
            Some(Origin { tournament: self.stored.id, number: pairing.number, group: pairing.group });
        setup
    }

    /// Counts a match that ended or failed. If the server cannot continue, returns `Break` without counting the match,
    /// which the next server process then finishes.
    async fn handle_match_end(
        &mut self,
        task: Id,
        outcome: Result<Option<MatchOutcome>, MatchFailure>,
    ) -> ControlFlow<()> {
        let Some(ended) = self.open.remove(&task) else {
            return ControlFlow::Continue(());
        };
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(failure) => self.settle_lost_match(&ended, &failure).await?,
        };
        let OpenPairing { pairing, id, .. } = ended;
        self.match_limiter.note_ended(&pairing);
        if let Some(reason) = self.rulings.void_reason(id).cloned() {
            return self.replay(pairing, id, reason).await;
        }
        self.report_result(MatchResult::from_outcome(&pairing, outcome));
        ControlFlow::Continue(())
    }

    /// Cancels the open matches that are not needed any more because a sequential test has been decided.
    fn cancel_surplus_matches(&self) {
        let (settled, total) = {
            let schedule = self.schedule.lock();
            (schedule.settled_below(), schedule.total_matches())
        };
        if let (true, TotalMatches::Exactly(total)) = (settled < u64::MAX, total) {
            self.cancel_open_matches(total);
        }
    }

    /// Cancels the open matches with the number `first` or a higher one.
    fn cancel_open_matches(&self, first: u64) {
        for open in self.open.values().filter(|open| open.pairing.number >= first) {
            open.handle.send(MatchInput::Cancel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewTournament;
    use crate::tests::fixture::{arena, name, shaky_arena, with_timeout};
    use crate::tests::shaky_store::StoreBehaviour;
    use lastnim_core::referee::Terms;
    use lastnim_tournament::{AllianceSource, plan_schedule, testing};

    /// Creates the director of a tournament with two bots and 40 matches.
    async fn director(arena: &Arena) -> Director {
        let settings = testing::settings(2, 20, AllianceSource::Standard);
        let created = arena.create_tournament(NewTournament { settings, terms: Terms::default() });
        let id = created.await.unwrap().stored.id;
        for bot in ["first", "second"] {
            arena.join_tournament(id, &name(bot)).await.unwrap();
        }
        let handle = arena.live_tournament(id).unwrap();
        let mut stored = handle.view().stored;
        stored.state = TournamentState::Running;
        let schedule = plan_schedule(&stored.settings, &stored.field).unwrap();
        Director::new(arena.clone(), handle, stored, schedule, &[], Rulings::default()).unwrap()
    }

    #[tokio::test]
    async fn aborted_matches_count_for_no_bot() {
        let arena = arena().await;
        let mut director = director(&arena).await;
        let handle = Arc::clone(&director.handle);
        while let Some(pairing) = director.next_pairing() {
            assert_eq!(director.start_match(pairing), ControlFlow::Continue(None), "there is room");
        }
        assert_eq!(arena.open_match_count(), 40);
        director.running.abort_all();
        with_timeout("the end of the tournament", director.run()).await;
        let view = handle.view();
        let stored = arena.tournament(view.stored.id).await.unwrap().stored;
        assert_eq!(stored, view.stored, "the stored state equals the shown state");
        assert_eq!((view.played, view.total, view.stored.state), (40, 40, TournamentState::Finished));
        assert_eq!(arena.open_match_count(), 0);
        assert!(handle.standings().iter().all(|line| line.matches == 0));
    }

    #[tokio::test]
    async fn matches_taken_over_by_another_server_do_not_count_here() {
        let (store, arena) = shaky_arena().await;
        let director = director(&arena).await;
        let handle = Arc::clone(&director.handle);
        store.set(StoreBehaviour::Taken);
        with_timeout("the end of the director", director.run()).await;
        let view = handle.view();
        assert_eq!((view.played, view.total, view.stored.state), (0, 40, TournamentState::Running));
        assert_eq!(arena.open_match_count(), 0);
    }

    #[tokio::test]
    async fn a_cancellation_during_an_outage_takes_effect_later() {
        let (store, arena) = shaky_arena().await;
        let director = director(&arena).await;
        let handle = Arc::clone(&director.handle);
        let mut watch = handle.subscribe();
        let running = tokio::spawn(director.run());
        while arena.open_match_count() == 0 {
            tokio::task::yield_now().await;
        }
        store.set(StoreBehaviour::OutOfOrder);
        // Either this request is the first to notice the outage, or a match that is just starting has noticed it
        // already.
        let failed = with_timeout("an answer", arena.register_bot(name("third"))).await;
        let is_known =
            matches!(failed, Err(ArenaError::Delayed(_) | ArenaError::Store(StoreError::Unavailable(_))));
        assert!(is_known, "{failed:?}");
        handle.request_cancellation();
        // The director gets time to receive the command.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        store.set(StoreBehaviour::Fine);
        let over = watch.wait_for(|view| view.stored.state.is_over());
        let state = with_timeout("the end of the tournament", over).await.unwrap().stored.state;
        assert_eq!(state, TournamentState::Cancelled);
        with_timeout("the end of the director", running).await.unwrap();
    }
}
