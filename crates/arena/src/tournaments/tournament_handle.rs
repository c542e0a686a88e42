//! What others hold of a tournament that is not over.

use crate::error::ArenaError;
use crate::tournaments::activity::TournamentActivity;
use crate::tournaments::cpu_times::{CpuTask, CpuTimes};
use crate::tournaments::interventions::Intervention;
use crate::tournaments::live_standings::{ComparedBots, LentEvidence, LiveStandings};
use crate::tournaments::manifest::RunningSnapshot;
use crate::tournaments::match_pace::MatchPace;
use crate::tournaments::tournament_view::TournamentView;
use lastnim_core::game::BotName;
use lastnim_core::referee::Timestamp;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_store::StoredTournament;
use lastnim_tournament::{
    Appraisal, BotComparison, BoundedCrossTable, FieldMovement, FormatVerdict, MatchResult, RatingEvidence,
    ReportedResults, Rulings, Schedule, SnapshotUnavailable, Standing, Standings, TournamentState,
    snapshot_state,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard, mpsc, oneshot, watch};

/// The least time between two looks at all that goes on in a tournament.
const ACTIVITY_INTERVAL: Duration = Duration::from_millis(250);

/// The schedule of a tournament that has started: its director's, who lets others ask for the verdict.
#[derive(Debug, Clone)]
pub(crate) struct SharedSchedule(Arc<Mutex<Box<dyn Schedule>>>);

impl SharedSchedule {
    pub(crate) fn new(schedule: Box<dyn Schedule>) -> Self {
        Self(Arc::new(Mutex::new(schedule)))
    }

    /// Has it for a moment.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Box<dyn Schedule>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What others hold of a tournament that is not over.
#[derive(Debug)]
pub(crate) struct TournamentHandle {
    view: watch::Sender<TournamentView>,
    /// Its state alone, which seldom changes: many may wait for that.
    state: watch::Sender<TournamentState>,
    ranking: Mutex<LiveStandings>,
    /// Held while its state or its field is checked and changed: see [`Arena::tournament_lock`](crate::Arena::tournament_lock).
    pub(crate) changing: Arc<Turn<()>>,
    /// Held by who compares the bots.
    comparing: Arc<Turn<()>>,
    /// What an organiser did to it, as the store has it: asked for while the store cannot be read as well.
    events: Mutex<Vec<TimedTournamentEvent>>,
    /// Set by the director when the tournament starts.
    schedule: OnceLock<SharedSchedule>,
    commands: mpsc::Sender<DirectorCommand>,
    /// Bots that have left, and still sit at a table of the round that is being played. Asked for without the schedule, which
    /// is held while a round is drawn.
    departing: Mutex<BTreeSet<BotName>>,
    snapshots: mpsc::Sender<SnapshotRequest>,
    /// Taken by the director when the tournament starts.
    inbox: Mutex<Option<DirectorInbox>>,
    pace: Mutex<MatchPace>,
    /// What went on in it when somebody asked last, and when that was.
    activity: Mutex<Option<(Instant, Arc<TournamentActivity>)>>,
    /// What it costs besides its matches.
    pub(crate) cpu_times: CpuTimes,
}

/// What reaches a director from others.
#[derive(Debug)]
pub(crate) struct DirectorInbox {
    pub(crate) commands: mpsc::Receiver<DirectorCommand>,
    pub(crate) snapshots: mpsc::Receiver<SnapshotRequest>,
}

/// Where a director says where its tournament stands.
pub(crate) type SnapshotRequest = oneshot::Sender<RunningSnapshot>;

/// What a director is told.
#[derive(Debug)]
pub(crate) enum DirectorCommand {
    /// Everything is to be called off.
    Cancel,
    /// A bot wants to enter, or to leave.
    ChangeField(FieldRequest),
    /// An organiser wants something else.
    Intervene(InterventionRequest),
}

/// What an organiser wants of a tournament that runs.
#[derive(Debug)]
pub(crate) struct InterventionRequest {
    pub(crate) intervention: Intervention,
    /// Where the director says what happened; nothing where it was so already.
    pub(crate) answer: oneshot::Sender<Result<Option<TimedTournamentEvent>, ArenaError>>,
}

/// A bot that wants to enter a tournament that runs, or to leave it.
#[derive(Debug)]
pub(crate) struct FieldRequest {
    pub(crate) bot: BotName,
    pub(crate) movement: FieldMovement,
    /// Where the director says what came of it.
    pub(crate) answer: oneshot::Sender<Result<(), ArenaError>>,
}

impl TournamentHandle {
    pub(crate) fn new(stored: &StoredTournament) -> Self {
        let ranking = Mutex::new(LiveStandings::new(&stored.settings, &stored.field));
        let (commands, told) = mpsc::channel(1);
        let (snapshots, asked) = mpsc::channel(1);
        let stored = shown_tournament(stored);
        let view =
            TournamentView { stored, played: 0, total: 0, awaits_bots: false, pause: None, damage: None };
        let (state, view) = (watch::Sender::new(view.stored.state), watch::Sender::new(view));
        let inbox = Mutex::new(Some(DirectorInbox { commands: told, snapshots: asked }));
        let (changing, comparing, schedule, cpu_times, events, departing, pace, activity) =
            Default::default();
        Self {
            view,
            state,
            ranking,
            changing,
            comparing,
            events,
            schedule,
            commands,
            departing,
            snapshots,
            inbox,
            pace,
            activity,
            cpu_times,
        }
    }

    /// Hands the tournament to its director, who gets what others ask of it; `None` if another director has it.
    pub(crate) fn attach_director(
        &self,
        stored: &StoredTournament,
        schedule: &SharedSchedule,
    ) -> Option<DirectorInbox> {
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        self.schedule.set(schedule.clone()).ok()?;
        self.show_tournament(shown_tournament(stored));
        self.show_schedule();
        Some(inbox)
    }

    /// Shows that the tournament cannot be carried on, and why. Nobody is heard any more who wants something of it.
    pub(crate) fn quarantine(&self, why: &str) {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.view.send_modify(|view| view.damage = Some(why.into()));
    }

    /// Fails if the tournament is quarantined.
    pub(crate) fn check_not_quarantined(&self) -> Result<(), ArenaError> {
        let view = self.view.borrow();
        match &view.damage {
            Some(why) => Err(ArenaError::TournamentQuarantined { id: view.stored.id, why: Arc::clone(why) }),
            None => Ok(()),
        }
    }

    pub(crate) fn view(&self) -> TournamentView {
        self.view.borrow().clone()
    }

    /// Looks at the tournament as it is. Nothing new is shown meanwhile.
    pub(crate) fn borrow_view(&self) -> watch::Ref<'_, TournamentView> {
        self.view.borrow()
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<TournamentView> {
        self.view.subscribe()
    }

    pub(crate) fn watcher_count(&self) -> usize {
        self.view.receiver_count()
    }

    pub(crate) fn subscribe_to_state(&self) -> watch::Receiver<TournamentState> {
        self.state.subscribe()
    }

    pub(crate) fn state_watcher_count(&self) -> usize {
        self.state.receiver_count()
    }

    fn lock_standings(&self) -> MutexGuard<'_, LiveStandings> {
        self.ranking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the format says besides the standings.
    pub(crate) fn format_verdict(&self) -> FormatVerdict {
        self.schedule.get().map_or(FormatVerdict::Standings, |schedule| schedule.lock().format_verdict())
    }

    fn lock_departing(&self) -> MutexGuard<'_, BTreeSet<BotName>> {
        self.departing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note that bots have left.
    pub(crate) fn add_departing(&self, bots: impl IntoIterator<Item = BotName>) {
        self.lock_departing().extend(bots);
    }

    /// Returns whether a bot has left and still plays the round that was being played then.
    pub(crate) fn is_departing(&self, bot: &BotName) -> bool {
        self.lock_departing().contains(bot)
    }

    /// Returns the number below which all matches that are over count.
    pub(crate) fn settled_below(&self) -> u64 {
        self.schedule.get().map_or(u64::MAX, |schedule| schedule.lock().settled_below())
    }

    /// Returns the standings by place, with the newest ratings. They are put in order once after a change, however many
    /// ask.
    pub(crate) fn standings(&self) -> Arc<Vec<Standing>> {
        if let Some(lines) = self.lock_standings().cached_lines() {
            return lines;
        }
        self.rank(LiveStandings::lines)
    }

    /// Returns the standings by place as results alone make them, without ratings.
    pub(crate) fn unrated_standings(&self) -> Vec<Standing> {
        self.rank(|ranking| ranking.unrated_lines())
    }

    /// Puts the standings in order, once the byes so far are counted.
    fn rank<T>(&self, in_order: impl FnOnce(&mut LiveStandings) -> T) -> T {
        let bye_groups = self.view.borrow().stored.settings.format.bye_groups();
        let byes = bye_groups.and_then(|groups| match self.format_verdict() {
            FormatVerdict::Byes(byes) => Some((byes, groups)),
            _ => None,
        });
        self.cpu_times.measure(CpuTask::Ranking, || {
            let mut ranking = self.lock_standings();
            if let Some((byes, groups)) = byes {
                ranking.set_bye_scores(&byes, groups);
            }
            in_order(&mut ranking)
        })
    }

    /// Returns what ratings follow from.
    pub(crate) fn lend_evidence(&self) -> LentEvidence {
        self.lock_standings().lend_evidence()
    }

    /// Returns what ratings follow from, if it is time to rate anew.
    pub(crate) fn lend_evidence_if_due(&self, now: Instant) -> Option<LentEvidence> {
        self.lock_standings().lend_evidence_if_due(now)
    }

    /// Shows ratings that were begun to be worked out at a moment, by evidence that was lent after so many recounts, while the tournament runs.
    pub(crate) fn show_ratings(&self, rated: (Appraisal, u64), began: Instant) {
        self.lock_standings().set_ratings(rated, began, Instant::now());
    }

    /// Shows the last ratings.
    pub(crate) fn show_last_ratings(&self, appraisal: Appraisal) {
        self.lock_standings().set_final_ratings(appraisal);
    }

    /// Returns how the bots compare, by the ratings that are shown: what was worked out since the last change, or what is needed to
    /// do so. None if they are not rated, or too many.
    pub(crate) fn compared_bots(&self) -> Option<ComparedBots> {
        self.lock_standings().compared_bots()
    }

    /// Waits until nobody else compares the bots.
    pub(crate) async fn turn_to_compare(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.comparing).lock_owned().await
    }

    /// Returns how the bots compare, if somebody has worked that out after so many changes or more.
    pub(crate) fn comparison_since(&self, changes: u64) -> Option<Arc<Vec<BotComparison>>> {
        self.lock_standings().comparison_since(changes)
    }

    /// Shows how the bots compare until something changes, as that was worked out after so many changes.
    pub(crate) fn show_comparison(&self, compared: &Arc<Vec<BotComparison>>, changes: u64) {
        self.lock_standings().set_comparison(compared, changes);
    }

    /// Returns whether the ratings are the last ones.
    pub(crate) fn has_final_ratings(&self) -> bool {
        self.lock_standings().has_final_ratings()
    }

    /// Returns whether the bots were rated already.
    pub(crate) fn has_ratings(&self) -> bool {
        self.lock_standings().has_ratings()
    }

    /// Shows what was counted of the results that a server before this one has stored.
    pub(crate) fn restore_counted(
        &self,
        standings: Standings,
        evidence: RatingEvidence,
        cross_table: BoundedCrossTable,
    ) {
        let played = evidence.added_count();
        let counted = LiveStandings::from_counted(standings, evidence, cross_table);
        self.lock_standings().replace_with(counted);
        self.view.send_modify(|view| view.played = played);
    }

    /// Returns what an organiser did to it, in its order.
    pub(crate) fn events(&self) -> Vec<TimedTournamentEvent> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds what an organiser did, once that is stored.
    pub(crate) fn add_events(&self, stored: impl IntoIterator<Item = TimedTournamentEvent>) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).extend(stored);
    }

    fn lock_pace(&self) -> MutexGuard<'_, MatchPace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what goes on in it: what was found last, unless that is old, and then what is found now.
    pub(crate) fn recent_activity(
        &self,
        look: impl FnOnce() -> TournamentActivity,
    ) -> Arc<TournamentActivity> {
        let mut shown = self.activity.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, found)) = &*shown
            && at.elapsed() < ACTIVITY_INTERVAL
        {
            return Arc::clone(found);
        }
        let found = Arc::new(look());
        *shown = Some((Instant::now(), Arc::clone(&found)));
        found
    }

    /// Begins to count how fast matches end.
    pub(crate) fn begin_pace(&self, now: Timestamp) {
        let (ended, is_paused) = {
            let view = self.view.borrow();
            (view.played, view.pause.is_some())
        };
        let mut pace = self.lock_pace();
        pace.begin(now, ended);
        pace.set_paused(now, is_paused);
    }

    /// Returns how many matches have ended since this server plays the tournament, and in which time; nothing before the
    /// first has.
    pub(crate) fn pace_so_far(&self, now: Timestamp, ended: u64) -> Option<(u64, Duration)> {
        self.lock_pace().so_far(now, ended)
    }

    /// Shows what the organiser has ruled.
    pub(crate) fn show_rulings(&self, rulings: &Rulings, now: Timestamp) {
        self.lock_standings().set_rulings(rulings.clone());
        let pause = rulings.pause();
        self.lock_pace().set_paused(now, pause.is_some());
        self.view.send_modify(|view| view.pause = pause);
    }

    /// Returns all that the tournament has come to, after so many changes of its field and recounts, and these results.
    ///
    /// # Errors
    /// If its schedule does not know, or somebody rates its bots.
    pub(crate) fn checkpoint_bytes(
        &self,
        changes_and_recounts: (usize, u64),
        reported: &ReportedResults,
    ) -> Result<Vec<u8>, SnapshotUnavailable> {
        let schedule = self.schedule.get().ok_or(SnapshotUnavailable::Busy)?.lock();
        let taken = self.lock_standings().inspect(|standings, evidence, cross_table| {
            snapshot_state(changes_and_recounts, reported, &**schedule, standings, evidence, cross_table)
        });
        taken.unwrap_or(Err(SnapshotUnavailable::Busy))
    }

    /// Counts a match that is over. One that was lost counts as well, though not for anybody.
    pub(crate) fn count_result(&self, result: &MatchResult) {
        self.lock_standings().add_result(result);
        self.view.send_modify(|view| view.played += 1);
    }

    /// Shows how many matches there are in all, and who has left and still plays.
    pub(crate) fn show_schedule(&self) {
        let Some(schedule) = self.schedule.get() else { return };
        let total = {
            let schedule = schedule.lock();
            self.lock_departing().retain(|bot| schedule.is_seated(bot));
            schedule.total_matches().upper_bound().unwrap_or(0)
        };
        self.view.send_if_modified(|view| std::mem::replace(&mut view.total, total) != total);
    }

    /// Shows a new state.
    pub(crate) fn show_tournament(&self, stored: StoredTournament) {
        let state = stored.state;
        self.view.send_modify(|view| view.stored = stored);
        self.state.send_if_modified(|shown| std::mem::replace(shown, state) != state);
    }

    /// Shows whether nothing goes on before another bot enters.
    pub(crate) fn show_awaits_bots(&self, awaits: bool) {
        self.view.send_if_modified(|view| std::mem::replace(&mut view.awaits_bots, awaits) != awaits);
    }

    /// Shows a field that a bot has joined.
    pub(crate) fn show_joined(&self, bot: &BotName, stored: StoredTournament) {
        self.add_bot(bot);
        self.show_tournament(stored);
    }

    /// Gives a bot a line in the standings; one that has a line keeps it.
    pub(crate) fn add_bot(&self, bot: &BotName) {
        self.lock_standings().add_bot(bot);
    }

    /// Shows a field that a bot has left before the start.
    pub(crate) fn show_left(&self, stored: StoredTournament) {
        self.lock_standings().replace_with(LiveStandings::new(&stored.settings, &stored.field));
        self.show_tournament(stored);
    }

    /// Asks the director to let a bot in or out, and returns what came of it; `None` if the tournament is about to end.
    /// Nobody else asks for anything meanwhile: who does so holds the register.
    pub(crate) async fn request_field_change(
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
    pub(crate) async fn intervene(
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

    /// Asks the director where the tournament stands; `None` if its last match is over, or the server stops.
    pub(crate) async fn take_snapshot(&self) -> Option<RunningSnapshot> {
        let (answer, answered) = oneshot::channel();
        self.snapshots.send(answer).await.ok()?;
        answered.await.ok()
    }

    /// Asks the director to call everything off. A second request changes nothing, so that a full queue is fine.
    pub(crate) fn request_cancellation(&self) {
        let _already_asked = self.commands.try_send(DirectorCommand::Cancel);
    }
}

/// Returns a tournament that is not over as others see it: one that is being called off runs until its last match is over.
fn shown_tournament(stored: &StoredTournament) -> StoredTournament {
    let state =
        if stored.state == TournamentState::Cancelled { TournamentState::Running } else { stored.state };
    StoredTournament { state, ..stored.clone() }
}
