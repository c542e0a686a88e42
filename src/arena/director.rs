//! One tournament, live: pulls pairings, starts matches, keeps standings.

use super::arena::Arena;
use super::error::ArenaError;
use super::match_task::{MatchHandle, MatchInput, MatchReport};
use super::matches::BegunMatch;
use crate::game::BotName;
use crate::referee::{ForfeitReason, MatchSetup, Origin};
use crate::store::{Change, StoredTournament};
use crate::tournament::{
    MatchResult, Outcome, Pairing, RoundRobin, SeatLoss, Standing, Standings, State, assigned_matrix,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio::task::{Id, JoinError, JoinSet};

/// Matches that are started in one go, before others have their turn and the director looks whether it is called off.
const STARTS_AT_ONCE: usize = 32;

/// A tournament as it is at one moment.
#[derive(Debug, Clone)]
pub struct TournamentView {
    /// What it is and where it stands.
    pub stored: StoredTournament,
    /// Matches ended so far.
    pub played: u64,
    /// Matches in all; 0 before the start.
    pub total: u64,
}

/// What others hold of a tournament.
#[derive(Debug)]
pub(super) struct TournamentHandle {
    view: watch::Sender<TournamentView>,
    ranking: Mutex<Ranking>,
    commands: mpsc::Sender<Command>,
    /// Taken by the director when the tournament starts.
    inbox: Mutex<Option<mpsc::Receiver<Command>>>,
}

/// The standings, and their lines once somebody has asked for them since the last change.
#[derive(Debug)]
struct Ranking {
    standings: Standings,
    lines: Option<Arc<Vec<Standing>>>,
}

impl Ranking {
    fn new(stored: &StoredTournament) -> Self {
        Self { standings: Standings::new(&stored.settings, stored.field.iter()), lines: None }
    }
}

/// What a director is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Cancel,
}

impl TournamentHandle {
    pub(super) fn new(stored: StoredTournament) -> Self {
        let ranking = Mutex::new(Ranking::new(&stored));
        let (commands, inbox) = mpsc::channel(1);
        let view = TournamentView { stored, played: 0, total: 0 };
        Self { view: watch::Sender::new(view), ranking, commands, inbox: Mutex::new(Some(inbox)) }
    }

    pub(super) fn view(&self) -> TournamentView {
        self.view.borrow().clone()
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<TournamentView> {
        self.view.subscribe()
    }

    pub(super) fn watchers(&self) -> usize {
        self.view.receiver_count()
    }

    fn ranking(&self) -> MutexGuard<'_, Ranking> {
        self.ranking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the standings by place. They are put in order once after a change, however many ask.
    pub(super) fn standings(&self) -> Arc<Vec<Standing>> {
        let mut ranking = self.ranking();
        let Ranking { standings, lines } = &mut *ranking;
        Arc::clone(lines.get_or_insert_with(|| Arc::new(standings.lines())))
    }

    fn count(&self, result: &MatchResult) {
        let mut ranking = self.ranking();
        ranking.standings.add(result);
        ranking.lines = None;
    }

    /// Shows a new state.
    pub(super) fn show(&self, stored: StoredTournament) {
        self.view.send_modify(|view| view.stored = stored);
    }

    /// Shows a field that a bot has joined.
    pub(super) fn show_joined(&self, bot: &BotName, stored: StoredTournament) {
        let mut ranking = self.ranking();
        ranking.standings.enter(bot);
        ranking.lines = None;
        drop(ranking);
        self.show(stored);
    }

    /// Asks the director to call everything off. A second request changes nothing, so that a full queue is fine.
    pub(super) fn cancel(&self) {
        let _already_asked = self.commands.try_send(Command::Cancel);
    }
}

/// How a match came to no end.
#[derive(Debug, Error)]
enum Lost {
    #[error(transparent)]
    Failed(ArenaError),
    #[error(transparent)]
    BrokeDown(JoinError),
}

/// Runs one tournament from its start to its end.
#[derive(Debug)]
pub(super) struct Director {
    arena: Arena,
    handle: Arc<TournamentHandle>,
    stored: StoredTournament,
    rounds: RoundRobin,
    commands: mpsc::Receiver<Command>,
    running: JoinSet<Result<MatchReport, ArenaError>>,
    /// What each task of `running` plays.
    open: HashMap<Id, (Pairing, MatchHandle)>,
}

impl Director {
    /// Prepares to run a tournament whose start has been committed; `None` if another director has it.
    pub(super) fn new(
        arena: Arena,
        handle: Arc<TournamentHandle>,
        stored: StoredTournament,
        rounds: RoundRobin,
    ) -> Option<Self> {
        let commands = handle.inbox.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let total = rounds.total();
        handle.view.send_modify(|view| {
            view.stored = stored.clone();
            view.total = total;
        });
        let (running, open) = (JoinSet::new(), HashMap::new());
        Some(Self { arena, handle, stored, rounds, commands, running, open })
    }

    /// Plays all pairings, or stops early when it is cancelled.
    pub(super) async fn run(mut self) {
        let mut next = self.rounds.next();
        let mut state = State::Finished;
        loop {
            let mut starts = 0;
            while state == State::Finished
                && starts < STARTS_AT_ONCE
                && self.running.len() < self.stored.settings.concurrency.get()
                && let Some(pairing) = next.take()
            {
                if let Some(refused) = self.start(pairing) {
                    next = Some(refused);
                    break;
                }
                next = self.rounds.next();
                starts += 1;
            }
            let out_of_breath = starts == STARTS_AT_ONCE;
            let waiting_for_room =
                !out_of_breath && state == State::Finished && next.is_some() && self.running.is_empty();
            if self.running.is_empty() && !waiting_for_room && !out_of_breath {
                break;
            }
            tokio::select! {
                biased;
                () = self.arena.stopped() => {
                    // Its matches have been cut and are left as they are: the tournament is not over.
                    while self.running.join_next().await.is_some() {}
                    return;
                }
                Some(Command::Cancel) = self.commands.recv(), if state == State::Finished => {
                    state = State::Cancelled;
                    self.cancel_open_matches().await;
                }
                Some(ended) = self.running.join_next_with_id() => match ended {
                    Ok((task, report)) => self.settle(task, report.map_err(Lost::Failed)),
                    Err(error) => self.settle(error.id(), Err(Lost::BrokeDown(error))),
                },
                () = tokio::task::yield_now(), if out_of_breath => {}
                () = self.arena.room_for_matches(), if waiting_for_room => {}
            }
        }
        self.stored.state = state;
        if let Err(error) = self.arena.commit(vec![Change::Tournament(self.stored.clone())]).await {
            tracing::error!(%error, tournament = %self.stored.id, "the end of a tournament is not stored");
        }
        tracing::info!(tournament = %self.stored.id, %state, "tournament over");
        self.handle.show(self.stored.clone());
    }

    /// Starts a match; gives the pairing back if the server has no room for it now.
    fn start(&mut self, pairing: Pairing) -> Option<Pairing> {
        let setup = self.setup(&pairing);
        let BegunMatch { handle, play, .. } = match self.arena.begin_match(setup) {
            Ok(begun) => begun,
            Err(ArenaError::Full { .. } | ArenaError::Stopping) => return Some(pairing),
            Err(error) => {
                tracing::error!(%error, number = pairing.number, "a pairing cannot be played");
                self.count_one();
                return None;
            }
        };
        let task = self.running.spawn(play).id();
        self.open.insert(task, (pairing, handle));
        None
    }

    fn setup(&self, pairing: &Pairing) -> MatchSetup {
        let settings = &self.stored.settings;
        let mut setup = MatchSetup::new(pairing.bots.clone(), settings.positions[pairing.position].clone());
        setup.ending = settings.ending;
        setup.terms = self.stored.terms.clone();
        setup.assigned = assigned_matrix(settings, pairing);
        setup.origin =
            Some(Origin { tournament: self.stored.id, number: pairing.number, group: pairing.group });
        setup
    }

    /// Counts a match that is over. One that was lost counts as well, though not for anybody.
    fn settle(&mut self, task: Id, report: Result<MatchReport, Lost>) {
        let Some((pairing, _)) = self.open.remove(&task) else { return };
        match report {
            Ok(report) => self.handle.count(&result_of(&pairing, &report)),
            Err(error) => tracing::error!(%error, number = pairing.number, "a match was lost"),
        }
        self.count_one();
    }

    fn count_one(&self) {
        self.handle.view.send_modify(|view| view.played += 1);
    }

    async fn cancel_open_matches(&self) {
        for (_, handle) in self.open.values() {
            handle.send(MatchInput::Cancel).await;
        }
    }
}

/// Reads the result of a match from its audit and from how seats were lost.
fn result_of(pairing: &Pairing, report: &MatchReport) -> MatchResult {
    let Some(audit) = &report.audit else { return MatchResult::cancelled(pairing) };
    let forfeits = report.record.state().forfeits();
    let loss = |seat| {
        forfeits[seat].map(|reason| match reason {
            ForfeitReason::NoShow => SeatLoss::NoShow,
            _ => SeatLoss::Forfeited,
        })
    };
    MatchResult::finished(pairing, Outcome::of_audit(audit, loss))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::NewTournament;
    use crate::arena::tests::hall::{arena, name, soon};
    use crate::referee::Terms;
    use crate::tournament::{Alliance, testing};

    #[tokio::test]
    async fn matches_that_break_down_count_for_nobody() {
        let arena = arena().await;
        let settings = testing::settings(2, 20, Alliance::Standard);
        let created = arena.create_tournament(NewTournament { settings, terms: Terms::default() });
        let id = created.await.unwrap().stored.id;
        for bot in ["first", "second"] {
            arena.join_tournament(id, &name(bot)).await.unwrap();
        }
        let handle = arena.tournament_handle(id).unwrap();
        let mut stored = handle.view().stored;
        stored.state = State::Running;
        let rounds = RoundRobin::new(&stored.settings, &stored.field).unwrap();
        let mut director = Director::new(arena.clone(), Arc::clone(&handle), stored, rounds).unwrap();
        while let Some(pairing) = director.rounds.next() {
            assert_eq!(director.start(pairing), None, "there is room");
        }
        assert_eq!(arena.open_matches(), 40);
        director.running.abort_all();
        soon("the end of the tournament", director.run()).await;
        let view = handle.view();
        assert_eq!((view.played, view.total, view.stored.state), (40, 40, State::Finished));
        assert_eq!(arena.open_matches(), 0);
        assert!(handle.standings().iter().all(|line| line.matches == 0));
    }
}
