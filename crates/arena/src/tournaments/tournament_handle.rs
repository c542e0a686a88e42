//! Handles of unfinished tournaments.

use crate::error::ArenaError;
use crate::tournaments::activity::TournamentActivity;
use crate::tournaments::cpu_times::{CpuTask, CpuTimes};
use crate::tournaments::entry_codes::NewEntrant;
use crate::tournaments::interventions::Intervention;
use crate::tournaments::live_standings::{Comparison, LentEvidence, LiveStandings};
use crate::tournaments::manifest::RunningSnapshot;
use crate::tournaments::match_pace::MatchPace;
use crate::tournaments::tournament_view::TournamentView;
use lastnim_core::game::BotName;
use lastnim_core::referee::Timestamp;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_store::{StoredEntryCode, StoredTournament};
use lastnim_tournament::{
    Appraisal, BotComparison, BoundedCrossTable, FieldMovement, FormatVerdict, MatchResult, RatingEvidence,
    ReportedResults, Rulings, Schedule, SnapshotUnavailable, Standing, Standings, TournamentState,
    snapshot_state,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, mpsc, oneshot, watch};

/// The minimum time between two reads of a tournament's activity.
const ACTIVITY_INTERVAL: Duration = Duration::from_millis(250);

/// The schedule of a tournament that has started. The director shares it, so that others can read the verdict of the
/// format.
#[derive(Debug, Clone)]
pub(crate) struct SharedSchedule(Arc<Mutex<Box<dyn Schedule>>>);

impl SharedSchedule {
    pub(crate) fn new(schedule: Box<dyn Schedule>) -> Self {
        Self(Arc::new(Mutex::new(schedule)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Box<dyn Schedule>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handle of an unfinished tournament: its view, its standings and the way to its director.
#[derive(Debug)]
pub(crate) struct TournamentHandle {
    view: watch::Sender<TournamentView>,
    /// The state of the tournament. It is separate from the rest of the view, because it seldom changes, and many tasks
    /// wait for a change.
    state: watch::Sender<TournamentState>,
    ranking: Mutex<LiveStandings>,
    /// The lock that is held while the state or the field of the tournament is checked and changed: see
    /// [`Arena::tournament_lock`](crate::Arena::tournament_lock).
    pub(crate) change_lock: Arc<AsyncMutex<()>>,
    /// The lock that is held while the bots are compared.
    comparison_lock: Arc<AsyncMutex<()>>,
    /// The organiser's stored interventions, cached so that they can be read even while the store cannot.
    events: Mutex<Vec<TimedTournamentEvent>>,
    /// Set by the director when the tournament starts.
    schedule: OnceLock<SharedSchedule>,
    commands: mpsc::Sender<DirectorCommand>,
    /// Bots that have left but still play in the current round. They are kept here, so that reading them need not wait
    /// for the schedule, which is locked while a round is drawn.
    departing: Mutex<BTreeSet<BotName>>,
    snapshots: mpsc::Sender<SnapshotRequest>,
    /// Taken by the director when the tournament starts.
    inbox: Mutex<Option<DirectorInbox>>,
    pace: Mutex<MatchPace>,
    /// The activity that was last read, and when it was read.
    activity: Mutex<Option<(Instant, Arc<TournamentActivity>)>>,
    /// The time that the server has spent on the tournament, apart from its matches.
    pub(crate) cpu_times: CpuTimes,
}

/// The inbox of a director.
#[derive(Debug)]
pub(crate) struct DirectorInbox {
    pub(crate) commands: mpsc::Receiver<DirectorCommand>,
    pub(crate) snapshots: mpsc::Receiver<SnapshotRequest>,
}

/// The channel on which a director sends a snapshot.
pub(crate) type SnapshotRequest = oneshot::Sender<RunningSnapshot>;

/// A command to a director.
#[derive(Debug)]
pub(crate) enum DirectorCommand {
    /// Cancel the tournament.
    Cancel,
    /// Let a bot join or leave.
    ChangeField(FieldRequest),
    /// Apply an intervention.
    Intervene(InterventionRequest),
}

/// A request for an intervention in a running tournament.
#[derive(Debug)]
pub(crate) struct InterventionRequest {
    pub(crate) intervention: Intervention,
    /// The channel on which the director sends the event; `None` if nothing changes.
    pub(crate) answer: oneshot::Sender<Result<Option<TimedTournamentEvent>, ArenaError>>,
}

/// A bot's request to join or leave a running tournament.
#[derive(Debug)]
pub(crate) struct FieldRequest {
    pub(crate) bot: BotName,
    pub(crate) movement: FieldMovement,
    /// The bot's registration, if it is registered as it enters.
    pub(crate) new: Option<NewEntrant>,
    /// The channel on which the director sends the result.
    pub(crate) answer: oneshot::Sender<Result<(), ArenaError>>,
}

impl TournamentHandle {
    pub(crate) fn new(stored: &StoredTournament) -> Self {
        let ranking = Mutex::new(LiveStandings::new(&stored.settings, &stored.field));
        let (commands, received_commands) = mpsc::channel(1);
        let (snapshots, received_requests) = mpsc::channel(1);
        let stored = public_tournament(stored);
        let view =
            TournamentView { stored, played: 0, total: 0, awaits_bots: false, pause: None, damage: None };
        let (state, view) = (watch::Sender::new(view.stored.state), watch::Sender::new(view));
        let inbox =
            Mutex::new(Some(DirectorInbox { commands: received_commands, snapshots: received_requests }));
        let (change_lock, comparison_lock, schedule, cpu_times, events, departing, pace, activity) =
            Default::default();
        Self {
            view,
            state,
            ranking,
            change_lock,
            comparison_lock,
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

    /// Attaches a director, and returns its inbox; `None` if another director has already taken the inbox.
    pub(crate) fn attach_director(
        &self,
        stored: &StoredTournament,
        schedule: &SharedSchedule,
    ) -> Option<DirectorInbox> {
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        self.schedule.set(schedule.clone()).ok()?;
        self.set_tournament(public_tournament(stored));
        self.update_from_schedule();
        Some(inbox)
    }

    /// Marks the tournament as quarantined, and closes the director's inbox.
    pub(crate) fn quarantine(&self, why: &str) {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.view.send_modify(|view| view.damage = Some(why.into()));
    }

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

    /// Borrows the current view. Updates wait until the borrow ends.
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

    /// Returns the verdict of the format.
    pub(crate) fn format_verdict(&self) -> FormatVerdict {
        self.schedule.get().map_or(FormatVerdict::Standings, |schedule| schedule.lock().format_verdict())
    }

    fn lock_departing(&self) -> MutexGuard<'_, BTreeSet<BotName>> {
        self.departing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes bots that have left but may still play in the current round.
    pub(crate) fn add_departing(&self, bots: impl IntoIterator<Item = BotName>) {
        self.lock_departing().extend(bots);
    }

    /// Returns whether a bot has left but still plays in the current round.
    pub(crate) fn is_departing(&self, bot: &BotName) -> bool {
        self.lock_departing().contains(bot)
    }

    /// Returns a match number below which all finished matches are certain to count.
    pub(crate) fn settled_below(&self) -> u64 {
        self.schedule.get().map_or(u64::MAX, |schedule| schedule.lock().settled_below())
    }

    /// Returns the standings by place, with the newest ratings. They are sorted once per change.
    pub(crate) fn standings(&self) -> Arc<Vec<Standing>> {
        if let Some(lines) = self.lock_standings().cached_lines() {
            return lines;
        }
        self.rank(LiveStandings::lines)
    }

    /// Returns the standings by place with which the tournament ends in this state.
    pub(crate) fn standings_at_end(&self, state: TournamentState) -> Arc<Vec<Standing>> {
        self.rank(|ranking, verdict| ranking.lines_in(state, verdict))
    }

    /// Sets the final standings.
    pub(crate) fn set_final_standings(&self, standings: &Arc<Vec<Standing>>) {
        self.lock_standings().set_final_lines(standings);
    }

    /// Returns the standings by place without ratings.
    pub(crate) fn unrated_standings(&self) -> Vec<Standing> {
        self.rank(|ranking, verdict| ranking.unrated_lines(verdict))
    }

    /// Calls a function on the standings and the verdict of the format, after counting the byes so far.
    fn rank<T>(&self, in_order: impl FnOnce(&mut LiveStandings, &FormatVerdict) -> T) -> T {
        let bye_groups = self.view.borrow().stored.settings.format.bye_groups();
        let verdict = self.format_verdict();
        self.cpu_times.measure(CpuTask::Ranking, || {
            let mut ranking = self.lock_standings();
            if let (Some(groups), FormatVerdict::Byes(byes)) = (bye_groups, &verdict) {
                ranking.set_bye_scores(byes, groups);
            }
            in_order(&mut ranking, &verdict)
        })
    }

    /// Lends the input for ratings.
    pub(crate) fn lend_evidence(&self) -> LentEvidence {
        self.lock_standings().lend_evidence()
    }

    /// Lends the input for ratings, if a rating is due.
    pub(crate) fn lend_evidence_if_due(&self, now: Instant) -> Option<LentEvidence> {
        self.lock_standings().lend_evidence_if_due(now)
    }

    /// Sets the ratings of a running tournament, whose computation began at `began`. They come with the number of
    /// recounts before their evidence was lent.
    pub(crate) fn set_ratings(&self, rated: (Appraisal, u64), began: Instant) {
        self.lock_standings().set_ratings(rated, began, Instant::now());
    }

    /// Sets the final ratings.
    pub(crate) fn set_final_ratings(&self, appraisal: Appraisal) {
        self.lock_standings().set_final_ratings(appraisal);
    }

    /// Returns the comparison of the bots by their current ratings, or the input for it; `None` if the bots are not
    /// rated yet, or there are too many of them.
    pub(crate) fn comparison(&self) -> Option<Comparison> {
        self.lock_standings().comparison()
    }

    /// Waits for the lock that is held while the bots are compared.
    pub(crate) async fn lock_comparison(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.comparison_lock).lock_owned().await
    }

    /// Returns the last comparison of the bots if it reflects at least the first `changes` changes.
    pub(crate) fn comparison_since(&self, changes: u64) -> Option<Arc<Vec<BotComparison>>> {
        self.lock_standings().comparison_since(changes)
    }

    /// Sets the comparison of the bots, which reflects the first `changes` changes.
    pub(crate) fn set_comparison(&self, compared: &Arc<Vec<BotComparison>>, changes: u64) {
        self.lock_standings().set_comparison(compared, changes);
    }

    pub(crate) fn has_final_ratings(&self) -> bool {
        self.lock_standings().has_final_ratings()
    }

    pub(crate) fn has_ratings(&self) -> bool {
        self.lock_standings().has_ratings()
    }

    /// Replaces the counted results with those counted from the store.
    pub(crate) fn restore_counted_results(
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

    /// Returns the organiser's interventions, in order.
    pub(crate) fn events(&self) -> Vec<TimedTournamentEvent> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds interventions that have been stored.
    pub(crate) fn add_events(&self, stored: impl IntoIterator<Item = TimedTournamentEvent>) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).extend(stored);
    }

    fn lock_pace(&self) -> MutexGuard<'_, MatchPace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tournament's activity, from the cache unless it is too old.
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

    /// Starts measuring the pace at which matches end.
    pub(crate) fn start_measuring_pace(&self, now: Timestamp) {
        let (ended, is_paused) = {
            let view = self.view.borrow();
            (view.played, view.pause.is_some())
        };
        let mut pace = self.lock_pace();
        pace.begin(now, ended);
        pace.set_paused(now, is_paused);
    }

    /// Returns the number of matches that have ended since this server took over the tournament, and how long they
    /// took; `None` until a match has ended.
    pub(crate) fn pace_so_far(&self, now: Timestamp, ended: u64) -> Option<(u64, Duration)> {
        self.lock_pace().so_far(now, ended)
    }

    /// Returns the bots that have withdrawn.
    pub(crate) fn withdrawn_bots(&self) -> BTreeSet<BotName> {
        self.lock_standings().rulings().withdrawn_bots().cloned().collect()
    }

    /// Sets the organiser's rulings, which include whether the tournament is paused.
    pub(crate) fn set_rulings(&self, rulings: &Rulings, now: Timestamp) {
        self.lock_standings().set_rulings(rulings.clone());
        let pause = rulings.pause();
        self.lock_pace().set_paused(now, pause.is_some());
        self.view.send_modify(|view| view.pause = pause);
    }

    /// Encodes the state of the tournament, for a checkpoint that includes this many changes to the field and follows
    /// this many recounts.
    ///
    /// # Errors
    /// If the schedule cannot be saved, a rating is running, or not all reported results have been counted.
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

    /// Counts a finished match. A lost match counts as played, but for no bot.
    pub(crate) fn count_result(&self, result: &MatchResult) {
        self.lock_standings().add_result(result);
        self.view.send_modify(|view| view.played += 1);
    }

    /// Updates the total number of matches, and the set of bots that have left but still play.
    pub(crate) fn update_from_schedule(&self) {
        let Some(schedule) = self.schedule.get() else { return };
        let total = {
            let schedule = schedule.lock();
            self.lock_departing().retain(|bot| schedule.is_seated(bot));
            schedule.total_matches().upper_bound().unwrap_or(0)
        };
        self.view.send_if_modified(|view| std::mem::replace(&mut view.total, total) != total);
    }

    /// Sets the stored data of the tournament, including its state but not its entry code, which the caller's copy of the
    /// data may not have.
    pub(crate) fn set_tournament(&self, stored: StoredTournament) {
        let state = stored.state;
        self.view.send_modify(|view| {
            view.stored = StoredTournament { entry_code: view.stored.entry_code, ..stored };
        });
        self.state.send_if_modified(|shown| std::mem::replace(shown, state) != state);
    }

    /// Sets the entry code.
    pub(crate) fn set_entry_code(&self, code: Option<StoredEntryCode>) {
        self.view.send_modify(|view| view.stored.entry_code = code);
    }

    /// Sets whether the tournament waits for bots to join.
    pub(crate) fn set_awaits_bots(&self, awaits: bool) {
        self.view.send_if_modified(|view| std::mem::replace(&mut view.awaits_bots, awaits) != awaits);
    }

    /// Updates the field and the standings after a bot has joined.
    pub(crate) fn apply_join(&self, bot: &BotName, stored: StoredTournament) {
        self.add_bot(bot);
        self.set_tournament(stored);
    }

    /// Adds a line for a bot to the standings, unless it already has one.
    pub(crate) fn add_bot(&self, bot: &BotName) {
        self.lock_standings().add_bot(bot);
    }

    /// Updates the field and the standings after a bot has left before the start.
    pub(crate) fn apply_departure(&self, stored: StoredTournament) {
        self.lock_standings().replace_with(LiveStandings::new(&stored.settings, &stored.field));
        self.set_tournament(stored);
    }

    /// Asks the director to let a bot join or leave, and returns the result; `None` if the tournament is about to end.
    /// Callers hold the lock of the tournament, so there is one request at a time.
    pub(crate) async fn request_field_change(
        &self,
        bot: BotName,
        movement: FieldMovement,
        new: Option<NewEntrant>,
    ) -> Option<Result<(), ArenaError>> {
        let (answer, answered) = oneshot::channel();
        self.commands
            .send(DirectorCommand::ChangeField(FieldRequest { bot, movement, new, answer }))
            .await
            .ok()?;
        answered.await.ok()
    }

    /// Asks the director for an intervention, and returns the result; `None` if the tournament is about to end.
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

    /// Asks the director for a snapshot; `None` if the last match is over, or the server is stopping.
    pub(crate) async fn take_snapshot(&self) -> Option<RunningSnapshot> {
        let (answer, answered) = oneshot::channel();
        self.snapshots.send(answer).await.ok()?;
        answered.await.ok()
    }

    /// Asks the director to cancel the tournament. Repeated requests change nothing, so a request that finds the queue
    /// full is dropped.
    pub(crate) fn request_cancellation(&self) {
        let _already_asked = self.commands.try_send(DirectorCommand::Cancel);
    }
}

/// Returns an unfinished tournament as it is shown to others: a tournament that is being cancelled is shown as running
/// until its last match is over.
fn public_tournament(stored: &StoredTournament) -> StoredTournament {
    let state =
        if stored.state == TournamentState::Cancelled { TournamentState::Running } else { stored.state };
    StoredTournament { state, ..stored.clone() }
}
