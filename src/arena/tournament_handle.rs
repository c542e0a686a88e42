//! What others hold of a tournament that is not over.

use super::cpu_times::{CpuTask, CpuTimes};
use super::error::ArenaError;
use super::interventions::Intervention;
use super::live_standings::{LentEvidence, LiveStandings};
use crate::game::BotName;
use crate::store::StoredTournament;
use crate::tournament::{
    Appraisal, FieldMovement, FormatVerdict, MatchResult, OpenMatches, RatingEvidence, ReportedResults,
    Rulings, Schedule, SnapshotUnavailable, Standing, Standings, TournamentFormat, TournamentState,
    snapshot_state,
};
use crate::wire::PublicTournament;
use crate::wire::tournament_event::TimedTournamentEvent;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;
use tokio::sync::{mpsc, oneshot, watch};

/// A tournament as it is at one moment.
#[derive(Debug, Clone)]
pub struct TournamentView {
    /// What it is and where it stands.
    pub stored: StoredTournament,
    /// Matches ended so far.
    pub played: u64,
    /// Matches in all, or the most there can be where results decide; 0 before the start, and where it is open-ended.
    pub total: u64,
    /// Whether it runs and nothing goes on before another bot enters.
    pub awaits_bots: bool,
    /// What becomes of its open matches, if it is paused.
    pub pause: Option<OpenMatches>,
}

impl TournamentView {
    /// Returns it as others are shown it.
    pub fn to_public(&self) -> PublicTournament {
        let stored = &self.stored;
        PublicTournament {
            id: stored.id,
            created_at: stored.created_at,
            settings: Arc::clone(&stored.settings),
            terms: stored.terms.clone(),
            state: stored.state,
            field: Arc::clone(&stored.field),
            played: self.played,
            total: self.total,
            awaits_bots: self.awaits_bots,
            pause: self.pause,
        }
    }

    /// Shows a tournament that is over.
    pub(super) fn from_stored(stored: StoredTournament) -> Self {
        let (played, total) = stored.over.as_ref().map_or((0, 0), |over| (over.played, over.total));
        Self { stored, played, total, awaits_bots: false, pause: None }
    }
}

/// The schedule of a tournament that has started: its director's, who lets others ask for the verdict.
#[derive(Debug, Clone)]
pub(super) struct SharedSchedule(Arc<Mutex<Box<dyn Schedule>>>);

impl SharedSchedule {
    pub(super) fn new(schedule: Box<dyn Schedule>) -> Self {
        Self(Arc::new(Mutex::new(schedule)))
    }

    /// Has it for a moment.
    pub(super) fn lock(&self) -> MutexGuard<'_, Box<dyn Schedule>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What others hold of a tournament that is not over.
#[derive(Debug)]
pub(super) struct TournamentHandle {
    view: watch::Sender<TournamentView>,
    /// Its state alone, which seldom changes: many may wait for that.
    state: watch::Sender<TournamentState>,
    ranking: Mutex<LiveStandings>,
    /// What an organiser did to it, as the store has it: asked for while the store cannot be read as well.
    events: Mutex<Vec<TimedTournamentEvent>>,
    /// Set by the director when the tournament starts.
    schedule: OnceLock<SharedSchedule>,
    commands: mpsc::Sender<DirectorCommand>,
    /// Taken by the director when the tournament starts.
    inbox: Mutex<Option<mpsc::Receiver<DirectorCommand>>>,
    /// What it costs besides its matches.
    pub(super) cpu_times: CpuTimes,
}

/// What a director is told.
#[derive(Debug)]
pub(super) enum DirectorCommand {
    /// Everything is to be called off.
    Cancel,
    /// A bot wants to enter, or to leave.
    ChangeField(FieldRequest),
    /// An organiser wants something else.
    Intervene(InterventionRequest),
}

/// What an organiser wants of a tournament that runs.
#[derive(Debug)]
pub(super) struct InterventionRequest {
    pub(super) intervention: Intervention,
    /// Where the director says what happened; nothing where it was so already.
    pub(super) answer: oneshot::Sender<Result<Option<TimedTournamentEvent>, ArenaError>>,
}

/// A bot that wants to enter a tournament that runs, or to leave it.
#[derive(Debug)]
pub(super) struct FieldRequest {
    pub(super) bot: BotName,
    pub(super) movement: FieldMovement,
    /// Where the director says what came of it.
    pub(super) answer: oneshot::Sender<Result<(), ArenaError>>,
}

impl TournamentHandle {
    pub(super) fn new(stored: &StoredTournament) -> Self {
        let ranking = Mutex::new(LiveStandings::new(&stored.settings, &stored.field));
        let (commands, inbox) = mpsc::channel(1);
        let stored = shown_tournament(stored);
        let view = TournamentView { stored, played: 0, total: 0, awaits_bots: false, pause: None };
        let (state, view) = (watch::Sender::new(view.stored.state), watch::Sender::new(view));
        let inbox = Mutex::new(Some(inbox));
        let (schedule, cpu_times, events) = Default::default();
        Self { view, state, ranking, events, schedule, commands, inbox, cpu_times }
    }

    /// Hands the tournament to its director, who gets its commands; `None` if another director has it.
    pub(super) fn attach_director(
        &self,
        stored: &StoredTournament,
        schedule: &SharedSchedule,
    ) -> Option<mpsc::Receiver<DirectorCommand>> {
        let commands = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        self.schedule.set(schedule.clone()).ok()?;
        self.show_tournament(shown_tournament(stored));
        self.show_total();
        Some(commands)
    }

    pub(super) fn view(&self) -> TournamentView {
        self.view.borrow().clone()
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<TournamentView> {
        self.view.subscribe()
    }

    pub(super) fn watcher_count(&self) -> usize {
        self.view.receiver_count()
    }

    pub(super) fn subscribe_to_state(&self) -> watch::Receiver<TournamentState> {
        self.state.subscribe()
    }

    pub(super) fn state_watcher_count(&self) -> usize {
        self.state.receiver_count()
    }

    fn lock_standings(&self) -> MutexGuard<'_, LiveStandings> {
        self.ranking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the format says besides the standings.
    pub(super) fn format_verdict(&self) -> FormatVerdict {
        self.schedule.get().map_or(FormatVerdict::Standings, |schedule| schedule.lock().format_verdict())
    }

    /// Returns the number below which all matches that are over count.
    pub(super) fn settled_below(&self) -> u64 {
        self.schedule.get().map_or(u64::MAX, |schedule| schedule.lock().settled_below())
    }

    /// Returns the standings by place, with the newest ratings. They are put in order once after a change, however many
    /// ask.
    pub(super) fn standings(&self) -> Arc<Vec<Standing>> {
        if let Some(lines) = self.lock_standings().cached_lines() {
            return lines;
        }
        let table_groups = match self.view.borrow().stored.settings.format {
            TournamentFormat::Swiss { table_groups, .. } => Some(table_groups),
            _ => None,
        };
        let byes = table_groups.and_then(|groups| match self.format_verdict() {
            FormatVerdict::Byes(byes) => Some((byes, groups)),
            _ => None,
        });
        self.cpu_times.measure(CpuTask::Ranking, || {
            let mut ranking = self.lock_standings();
            if let Some((byes, groups)) = byes {
                ranking.set_bye_scores(&byes, groups);
            }
            ranking.lines()
        })
    }

    /// Returns what ratings follow from.
    pub(super) fn lend_evidence(&self) -> LentEvidence {
        self.lock_standings().lend_evidence()
    }

    /// Returns what ratings follow from, if it is time to rate anew.
    pub(super) fn lend_evidence_if_due(&self, now: Instant) -> Option<LentEvidence> {
        self.lock_standings().lend_evidence_if_due(now)
    }

    /// Shows ratings that were begun to be worked out at a moment, while the tournament runs.
    pub(super) fn show_ratings(&self, appraisal: Appraisal, began: Instant) {
        self.lock_standings().set_ratings(appraisal, began, Instant::now());
    }

    /// Shows the last ratings.
    pub(super) fn show_last_ratings(&self, appraisal: Appraisal) {
        self.lock_standings().set_final_ratings(appraisal);
    }

    /// Shows what was counted of the results that a server before this one has stored.
    pub(super) fn restore_counted(&self, standings: Standings, evidence: RatingEvidence) {
        let played = evidence.added_count();
        *self.lock_standings() = LiveStandings::from_counted(standings, evidence);
        self.view.send_modify(|view| view.played = played);
    }

    /// Returns what an organiser did to it, in its order.
    pub(super) fn events(&self) -> Vec<TimedTournamentEvent> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds what an organiser did, once that is stored.
    pub(super) fn add_events(&self, stored: impl IntoIterator<Item = TimedTournamentEvent>) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).extend(stored);
    }

    /// Shows what the organiser has ruled.
    pub(super) fn show_rulings(&self, rulings: &Rulings) {
        self.lock_standings().set_rulings(rulings.clone());
        let pause = rulings.pause();
        self.view.send_modify(|view| view.pause = pause);
    }

    /// Returns all that the tournament has come to, after so many changes of its field and recounts, and these results.
    ///
    /// # Errors
    /// If its schedule does not know, or somebody rates its bots.
    pub(super) fn checkpoint_bytes(
        &self,
        changes_and_recounts: (usize, u64),
        reported: &ReportedResults,
    ) -> Result<Vec<u8>, SnapshotUnavailable> {
        let schedule = self.schedule.get().ok_or(SnapshotUnavailable::Busy)?.lock();
        let taken = self.lock_standings().inspect(|standings, evidence| {
            snapshot_state(changes_and_recounts, reported, &**schedule, standings, evidence)
        });
        taken.unwrap_or(Err(SnapshotUnavailable::Busy))
    }

    /// Counts a match that is over. One that was lost counts as well, though not for anybody.
    pub(super) fn count_result(&self, result: &MatchResult) {
        self.lock_standings().add_result(result);
        self.view.send_modify(|view| view.played += 1);
    }

    /// Shows how many matches there are in all.
    pub(super) fn show_total(&self) {
        let Some(schedule) = self.schedule.get() else { return };
        let total = schedule.lock().total_matches().upper_bound().unwrap_or(0);
        self.view.send_if_modified(|view| std::mem::replace(&mut view.total, total) != total);
    }

    /// Shows a new state.
    pub(super) fn show_tournament(&self, stored: StoredTournament) {
        let state = stored.state;
        self.view.send_modify(|view| view.stored = stored);
        self.state.send_if_modified(|shown| std::mem::replace(shown, state) != state);
    }

    /// Shows whether nothing goes on before another bot enters.
    pub(super) fn show_awaits_bots(&self, awaits: bool) {
        self.view.send_if_modified(|view| std::mem::replace(&mut view.awaits_bots, awaits) != awaits);
    }

    /// Shows a field that a bot has joined.
    pub(super) fn show_joined(&self, bot: &BotName, stored: StoredTournament) {
        self.add_bot(bot);
        self.show_tournament(stored);
    }

    /// Gives a bot a line in the standings; one that has a line keeps it.
    pub(super) fn add_bot(&self, bot: &BotName) {
        self.lock_standings().add_bot(bot);
    }

    /// Shows a field that a bot has left before the start.
    pub(super) fn show_left(&self, stored: StoredTournament) {
        *self.lock_standings() = LiveStandings::new(&stored.settings, &stored.field);
        self.show_tournament(stored);
    }

    /// Asks the director to let a bot in or out, and returns what came of it; `None` if the tournament is about to end.
    /// Nobody else asks for anything meanwhile: who does so holds the register.
    pub(super) async fn request_field_change(
        &self,
        bot: BotName,
        movement: FieldMovement,
    ) -> Option<Result<(), ArenaError>> {
        let (answer, answered) = oneshot::channel();
        self.commands
            .send(DirectorCommand::ChangeField(FieldRequest { bot, movement, answer }))
            .await
            .ok()?;
        answered.await.ok()
    }

    /// Asks the director for something that an organiser wants, and returns what came of it; `None` if the tournament is
    /// about to end.
    pub(super) async fn intervene(
        &self,
        intervention: Intervention,
    ) -> Option<Result<Option<TimedTournamentEvent>, ArenaError>> {
        let (answer, answered) = oneshot::channel();
        self.commands
            .send(DirectorCommand::Intervene(InterventionRequest { intervention, answer }))
            .await
            .ok()?;
        answered.await.ok()
    }

    /// Asks the director to call everything off. A second request changes nothing, so that a full queue is fine.
    pub(super) fn request_cancellation(&self) {
        let _already_asked = self.commands.try_send(DirectorCommand::Cancel);
    }
}

/// Returns a tournament that is not over as others see it: one that is being called off runs until its last match is over.
fn shown_tournament(stored: &StoredTournament) -> StoredTournament {
    let state =
        if stored.state == TournamentState::Cancelled { TournamentState::Running } else { stored.state };
    StoredTournament { state, ..stored.clone() }
}
