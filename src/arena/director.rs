//! One tournament, live: pulls pairings, starts matches, counts results.

mod checkpoints;
mod field;
mod progress;

use self::checkpoints::Checkpoints;
use self::field::Field;
use self::progress::{Event, Lost, MAX_STARTS_AT_ONCE, Pause, Response, Stage, respond_to};
use super::arena::Arena;
use super::cpu_times::CpuTask;
use super::error::ArenaError;
use super::match_handle::{MatchHandle, MatchInput};
use super::matches::{BegunMatch, Play};
use super::tournament_handle::{Command, SharedSchedule, TournamentHandle};
use crate::referee::{MatchSetup, Origin};
use crate::store::{Change, StoreError, StoredTournament, TournamentOver};
use crate::tournament::{
    FieldChange, Lineup, MatchOutcome, MatchResult, Pairing, ReportedResults, Schedule, Step, Total,
    TournamentState, assigned_matrix,
};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::{Id, JoinSet};

/// Runs one tournament from its start to its end.
#[derive(Debug)]
pub(super) struct Director {
    arena: Arena,
    handle: Arc<TournamentHandle>,
    stored: StoredTournament,
    stage: Stage,
    schedule: SharedSchedule,
    lineup: Lineup,
    reported: ReportedResults,
    checkpoints: Checkpoints,
    field: Field,
    /// Whether nothing can begin before a bot enters.
    awaits_bots: bool,
    /// The next match, if the server had no room for it.
    delayed: Option<Pairing>,
    commands: mpsc::Receiver<Command>,
    running: JoinSet<Result<Option<MatchOutcome>, ArenaError>>,
    /// What each task of `running` plays.
    open: HashMap<Id, (Pairing, MatchHandle)>,
}

impl Director {
    /// Prepares to run a tournament whose start has been committed; `None` if another director has it. The schedule
    /// knows of the changes of the field that have been stored.
    pub(super) fn new(
        arena: Arena,
        handle: Arc<TournamentHandle>,
        stored: StoredTournament,
        schedule: Box<dyn Schedule>,
        changes: &[FieldChange],
    ) -> Option<Self> {
        let schedule = SharedSchedule::new(schedule);
        let commands = handle.begin(&stored, &schedule)?;
        let lineup = Lineup::new(stored.settings.bot_concurrency);
        let is_off = !arena.inner.store.is_durable();
        let checkpoints = Checkpoints::new(arena.limits().checkpoint_results, 0, is_off);
        Some(Self {
            arena,
            handle,
            stage: if stored.state == TournamentState::Cancelled {
                Stage::Cancelling
            } else {
                Stage::Playing
            },
            stored,
            schedule,
            lineup,
            reported: ReportedResults::default(),
            checkpoints,
            field: Field::new(changes),
            awaits_bots: false,
            delayed: None,
            commands,
            running: JoinSet::new(),
            open: HashMap::new(),
        })
    }

    /// Takes on what a server before this one has left: the results that were counted, and how many of them since the last
    /// checkpoint.
    pub(super) fn take_over(&mut self, reported: ReportedResults, since_checkpoint: u64) {
        self.reported = reported;
        let is_off = !self.arena.inner.store.is_durable();
        let interval = self.arena.limits().checkpoint_results;
        self.checkpoints = Checkpoints::new(interval, since_checkpoint, is_off);
    }

    /// Plays all pairings, or stops early when it is cancelled.
    pub(super) async fn run(mut self) {
        if self.stage == Stage::Cancelling {
            self.cancel_open_matches(0).await;
        }
        self.follow_results().await;
        loop {
            let pause = self.start_matches();
            self.handle.show_awaits_bots(pause == Pause::AwaitingBots);
            if pause == Pause::Over {
                break;
            }
            let event = self.next_event(pause).await;
            if self.handle_event(event).await.is_break() {
                return self.leave().await;
            }
        }
        self.refuse_commands();
        self.forget_suspension();
        if self.arena.rate_finally(&self.handle).await.is_break() {
            return self.leave().await;
        }
        let (view, verdict) = (self.handle.view(), Arc::new(self.handle.verdict()));
        let over = TournamentOver { at: self.arena.now(), played: view.played, total: view.total, verdict };
        let id = self.stored.id;
        if let Err(error) =
            self.arena.end_tournament(&self.handle, self.stored, self.stage.final_state(), over).await
        {
            tracing::error!(%error, tournament = %id, "the end of a tournament is not stored");
        }
    }

    /// Starts the matches that can begin, some in one go, and returns why no more do.
    fn start_matches(&mut self) -> Pause {
        let mut started = 0;
        while self.stage == Stage::Playing
            && started < MAX_STARTS_AT_ONCE
            && self.running.len() < self.stored.settings.concurrency.get()
            && let Some(pairing) = self.delayed.take().or_else(|| self.next_pairing())
        {
            self.delayed = self.start(pairing);
            if self.delayed.is_some() {
                break;
            }
            started += 1;
        }
        Pause::of(self.stage, started, self.running.len(), self.delayed.is_some(), self.awaits_bots)
    }

    /// Waits for what happens next.
    async fn next_event(&mut self, pause: Pause) -> Event {
        tokio::select! {
            biased;
            () = self.arena.stopped() => Event::ServerStops,
            Some(command) = self.commands.recv() => Event::Asked(command),
            Some(ended) = self.running.join_next_with_id() => match ended {
                Ok((task, outcome)) => Event::MatchEnded(task, outcome.map_err(Lost::Failed)),
                Err(error) => Event::MatchEnded(error.id(), Err(Lost::BrokeDown(error))),
            },
            () = tokio::task::yield_now(), if pause == Pause::Yielding => Event::MayStart,
            () = self.arena.room_for_matches(), if pause == Pause::AwaitingRoom => Event::MayStart,
        }
    }

    /// Carries out what follows from an event. Breaks if this server can go on no longer.
    async fn handle_event(&mut self, event: Event) -> ControlFlow<()> {
        match respond_to(event, self.stage) {
            Response::Leave => return ControlFlow::Break(()),
            Response::StartMatches => {}
            Response::Cancel => {
                // First of all, so that a server that dies on the way goes on cancelling.
                self.store_cancelled().await?;
                self.stage = Stage::Cancelling;
                self.cancel_open_matches(0).await;
            }
            Response::ChangeField(request) => self.change_field(request).await?,
            Response::Settle(task, outcome) => {
                self.settle(task, outcome)?;
                self.follow_results().await;
            }
        }
        ControlFlow::Continue(())
    }

    /// Does what results may lead to besides further matches.
    async fn follow_results(&mut self) {
        self.call_off_what_does_not_count().await;
        self.tell_suspended();
        self.write_checkpoint_if_due().await;
    }

    /// Leaves the tournament as it is in the store, where it is not over, once its matches have come to a stop.
    async fn leave(mut self) {
        self.refuse_commands();
        while self.running.join_next().await.is_some() {}
    }

    /// Hears nobody any more: who has asked for something, or asks now, is told at once that it is too late.
    fn refuse_commands(&mut self) {
        self.commands.close();
        while self.commands.try_recv().is_ok() {}
    }

    /// Writes that the tournament is being called off, however long the store takes. Breaks if it never will be written.
    async fn store_cancelled(&self) -> ControlFlow<()> {
        let change = Change::TournamentState { id: self.stored.id, state: TournamentState::Cancelled };
        let committed = tokio::select! {
            biased;
            committed = self.arena.inner.context.commits.commit(vec![change]) => committed,
            () = self.arena.stopped() => return ControlFlow::Break(()),
        };
        let Err(error) = committed else { return ControlFlow::Continue(()) };
        tracing::error!(%error, tournament = %self.stored.id, "that a tournament is called off is not stored");
        // Where this alone was refused, it can be called off all the same.
        if matches!(error, StoreError::Refused(_)) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// Returns the next match that can begin, if there is one.
    fn next_pairing(&mut self) -> Option<Pairing> {
        let Self { handle, lineup, schedule, .. } = self;
        let step = handle.cpu_times.of(CpuTask::Pairing, || lineup.next(&mut **schedule.lock()));
        self.awaits_bots = step == Step::AwaitBots;
        match step {
            Step::Match(pairing) => Some(pairing),
            Step::AwaitResults | Step::AwaitBots | Step::Over => None,
        }
    }

    /// Returns the match of a number, if it is known yet.
    pub(super) fn pairing(&self, number: u64) -> Option<Pairing> {
        self.schedule.lock().pairing(number)
    }

    /// Tells the schedule a result, and counts it, or once it is sure to count.
    fn take_result(&mut self, result: MatchResult) {
        let Self { handle, schedule, reported, checkpoints, .. } = self;
        handle.cpu_times.of(CpuTask::Counting, || {
            let counting = reported.report(result, &mut **schedule.lock());
            for result in counting {
                handle.count(&result);
            }
            handle.show_total();
        });
        checkpoints.count();
    }

    /// Counts a match of which the store has no result, for nobody.
    fn take_as_lost(&mut self, pairing: &Pairing) {
        self.checkpoints.stop();
        self.take_result(MatchResult::cancelled(pairing));
    }

    /// Starts a match; gives the pairing back if the server has no room for it now.
    fn start(&mut self, pairing: Pairing) -> Option<Pairing> {
        let setup = self.handle.cpu_times.of(CpuTask::Pairing, || self.setup(&pairing));
        let BegunMatch { handle, play, .. } = match self.arena.begin_match(setup) {
            Ok(begun) => begun,
            Err(ArenaError::Full { .. } | ArenaError::Stopping) => return Some(pairing),
            Err(error) => {
                tracing::error!(%error, number = pairing.number, "a pairing cannot be played");
                self.lineup.end(&pairing);
                self.take_as_lost(&pairing);
                return None;
            }
        };
        self.play(pairing, handle, play);
        None
    }

    /// Takes on a match that a server before this one has begun.
    pub(super) fn resume(&mut self, pairing: Pairing, handle: MatchHandle, play: impl Play) {
        self.schedule.lock().resume(pairing.number);
        self.lineup.begin(&pairing);
        self.play(pairing, handle, play);
    }

    /// Takes on a match that has begun.
    fn play(&mut self, pairing: Pairing, handle: MatchHandle, play: impl Play) {
        let task = self.running.spawn(play).id();
        self.open.insert(task, (pairing, handle));
    }

    fn setup(&self, pairing: &Pairing) -> MatchSetup {
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

    /// Counts a match that has come to its end, or to none. Breaks without counting it if the server can go on no longer:
    /// the next one plays that match to its end.
    fn settle(&mut self, task: Id, outcome: Result<Option<MatchOutcome>, Lost>) -> ControlFlow<()> {
        let Some((pairing, _)) = self.open.remove(&task) else { return ControlFlow::Continue(()) };
        match outcome {
            Ok(outcome) => {
                self.lineup.end(&pairing);
                self.take_result(MatchResult::of(&pairing, outcome));
            }
            Err(error) => {
                tracing::error!(%error, number = pairing.number, "a match was lost");
                if !error.is_for_good() {
                    return ControlFlow::Break(());
                }
                self.lineup.end(&pairing);
                self.take_as_lost(&pairing);
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls off the matches that are played beyond the answer of a test.
    async fn call_off_what_does_not_count(&self) {
        let (settled, total) = {
            let schedule = self.schedule.lock();
            (schedule.settled(), schedule.total())
        };
        if let (true, Total::Exactly(total)) = (settled < u64::MAX, total) {
            self.cancel_open_matches(total).await;
        }
    }

    /// Calls off the open matches from a number on.
    async fn cancel_open_matches(&self, first: u64) {
        for (_, handle) in self.open.values().filter(|(pairing, _)| pairing.number >= first) {
            handle.send(MatchInput::Cancel).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::NewTournament;
    use crate::arena::tests::fixture::{arena, name, shaky_arena, soon};
    use crate::arena::tests::shaky_store::Mood;
    use crate::referee::Terms;
    use crate::tournament::{Alliance, plan_schedule, testing};

    /// Prepares to run a tournament of two bots and 40 matches.
    async fn director(arena: &Arena) -> Director {
        let settings = testing::settings(2, 20, Alliance::Standard);
        let created = arena.create_tournament(NewTournament { settings, terms: Terms::default() });
        let id = created.await.unwrap().stored.id;
        for bot in ["first", "second"] {
            arena.join_tournament(id, &name(bot)).await.unwrap();
        }
        let handle = arena.live_tournament(id).unwrap();
        let mut stored = handle.view().stored;
        stored.state = TournamentState::Running;
        let schedule = plan_schedule(&stored.settings, &stored.field).unwrap();
        Director::new(arena.clone(), handle, stored, schedule, &[]).unwrap()
    }

    #[tokio::test]
    async fn matches_that_break_down_count_for_nobody() {
        let arena = arena().await;
        let mut director = director(&arena).await;
        let handle = Arc::clone(&director.handle);
        while let Some(pairing) = director.next_pairing() {
            assert_eq!(director.start(pairing), None, "there is room");
        }
        assert_eq!(arena.open_matches(), 40);
        director.running.abort_all();
        soon("the end of the tournament", director.run()).await;
        let view = handle.view();
        let stored = arena.tournament(view.stored.id).await.unwrap().stored;
        assert_eq!(stored, view.stored, "it is stored as it is shown");
        assert_eq!((view.played, view.total, view.stored.state), (40, 40, TournamentState::Finished));
        assert_eq!(arena.open_matches(), 0);
        assert!(handle.standings().iter().all(|line| line.matches == 0));
    }

    #[tokio::test]
    async fn matches_that_another_server_has_taken_over_do_not_count_here() {
        let (store, arena) = shaky_arena().await;
        let director = director(&arena).await;
        let handle = Arc::clone(&director.handle);
        store.set(Mood::Taken);
        soon("the end of the director", director.run()).await;
        let view = handle.view();
        assert_eq!((view.played, view.total, view.stored.state), (0, 40, TournamentState::Running));
        assert_eq!(arena.open_matches(), 0);
    }

    #[tokio::test]
    async fn who_is_asked_to_cancel_while_the_store_is_out_of_order_cancels_later() {
        let (store, arena) = shaky_arena().await;
        let director = director(&arena).await;
        let handle = Arc::clone(&director.handle);
        let mut watch = handle.subscribe();
        let running = tokio::spawn(director.run());
        while arena.open_matches() == 0 {
            tokio::task::yield_now().await;
        }
        store.set(Mood::OutOfOrder);
        let delayed = soon("an answer", arena.register_bot(name("third"))).await;
        assert!(matches!(delayed, Err(ArenaError::Delayed(_))), "{delayed:?}");
        handle.cancel();
        // The director has time to hear of it.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        store.set(Mood::Fine);
        let over = watch.wait_for(|view| view.stored.state.is_over());
        let state = soon("the end of the tournament", over).await.unwrap().stored.state;
        assert_eq!(state, TournamentState::Cancelled);
        soon("the end of the director", running).await.unwrap();
    }
}
