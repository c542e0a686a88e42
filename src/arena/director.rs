//! One tournament, live: pulls pairings, starts matches, keeps standings.

use super::arena::{Arena, BegunMatch};
use super::error::ArenaError;
use super::match_task::{MatchHandle, MatchInput, MatchReport};
use crate::game::MatchId;
use crate::referee::{ForfeitReason, MatchSetup, Origin};
use crate::store::{Change, StoredTournament};
use crate::tournament::{
    MatchResult, Outcome, Pairing, RoundRobin, SeatLoss, Standing, Standings, State, assigned_matrix,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

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

    /// Shows a new state of a tournament that has not started, or has ended.
    pub(super) fn show(&self, stored: StoredTournament) {
        *self.ranking() = Ranking::new(&stored);
        self.view.send_modify(|view| view.stored = stored);
    }

    /// Asks the director to call everything off. A second request changes nothing, so that a full queue is fine.
    pub(super) fn cancel(&self) {
        let _already_asked = self.commands.try_send(Command::Cancel);
    }
}

/// Runs one tournament from its start to its end.
#[derive(Debug)]
pub(super) struct Director {
    arena: Arena,
    handle: Arc<TournamentHandle>,
    stored: StoredTournament,
    rounds: RoundRobin,
    commands: mpsc::Receiver<Command>,
    running: JoinSet<(Pairing, Result<MatchReport, ArenaError>)>,
    open: HashMap<u64, (MatchId, MatchHandle)>,
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
        *handle.ranking() = Ranking::new(&stored);
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
            while state == State::Finished
                && self.running.len() < self.stored.settings.concurrency.get()
                && let Some(pairing) = next.take()
            {
                if let Some(refused) = self.start(pairing) {
                    next = Some(refused);
                    break;
                }
                next = self.rounds.next();
            }
            let waiting_for_room = state == State::Finished && next.is_some() && self.running.is_empty();
            if self.running.is_empty() && !waiting_for_room {
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
                Some(ended) = self.running.join_next() => match ended {
                    Ok((pairing, report)) => self.count(&pairing, report),
                    Err(error) => tracing::error!(%error, "a match of the tournament broke down"),
                },
                () = self.arena.room_for_matches(), if waiting_for_room => {}
            }
        }
        self.stored.state = state;
        if let Err(error) = self.arena.commit(vec![Change::Tournament(self.stored.clone())]).await {
            tracing::error!(%error, tournament = %self.stored.id, "the end of a tournament is not stored");
        }
        tracing::info!(tournament = %self.stored.id, %state, "tournament over");
        self.handle.view.send_modify(|view| view.stored = self.stored.clone());
    }

    /// Starts a match; gives the pairing back if the server has no room for it now.
    fn start(&mut self, pairing: Pairing) -> Option<Pairing> {
        let setup = self.setup(&pairing);
        let BegunMatch { id, handle, play, .. } = match self.arena.begin_match(setup) {
            Ok(begun) => begun,
            Err(ArenaError::Full { .. } | ArenaError::Stopping) => return Some(pairing),
            Err(error) => {
                tracing::error!(%error, number = pairing.number, "a pairing cannot be played");
                self.count(&pairing, Err(error));
                return None;
            }
        };
        self.open.insert(pairing.number, (id, handle));
        self.running.spawn(async move { (pairing, play.await) });
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

    fn count(&mut self, pairing: &Pairing, report: Result<MatchReport, ArenaError>) {
        self.open.remove(&pairing.number);
        let result = match report {
            Ok(report) => result_of(pairing, &report),
            Err(error) => {
                tracing::error!(%error, number = pairing.number, "a match was lost");
                MatchResult::cancelled(pairing)
            }
        };
        self.handle.count(&result);
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
