//! The simulated store: committed writes are its disk, and all that survives a crash.

use super::plan::{Fault, FaultKind, Plan, Stream, When, draw_stream};
use super::world::lock;
use async_trait::async_trait;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_store::{
    Change, FieldHistory, HeadsPage, LaterTimes, LostSeat, MatchFilter, MatchHead, MatchSummary, MemoryStore,
    NewestIds, PrunePage, QuestionPlace, RetentionLimits, SeenVersion, Store, StoreError, StoredBot,
    StoredClock, StoredMatch, StoredRequest, StoredResult, StoredTournament, StoredTranscript,
    TranscriptHead, UnacknowledgedMatches,
};
use lastnim_tournament::{Checkpoint, SeededDraw, Standing, TournamentEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::time::sleep;

/// How often a call to a hanging store checks whether it answers again.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// How the store answers its callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiskBehaviour {
    #[default]
    Answers,
    Fails,
    Hangs,
}

/// A defect of the disk itself, for tests that it is detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Defect {
    #[default]
    None,
    /// It drops a write, by number, that it reported as successful.
    Forgets(u64),
    /// It accepts writes of earlier owners.
    TakesFromAnyone,
}

/// The disk of all servers in a run.
#[derive(Debug)]
pub struct Disk {
    state: Mutex<DiskState>,
    write_time: Duration,
    defect: Defect,
}

#[derive(Debug)]
struct DiskState {
    committed: Vec<Vec<Change>>,
    /// The result of the committed writes.
    tables: Arc<MemoryStore>,
    /// The epoch of its current owner.
    epoch: u64,
    behaviour: DiskBehaviour,
    faults: BTreeMap<u64, FaultKind>,
    /// The number of writes begun.
    writes: u64,
    /// The servers that crashed in a write, with their downtimes, until the driver handles them.
    crashes: Vec<(usize, Duration)>,
    /// Violations by servers.
    violations: Vec<String>,
    /// The servers with a write in progress.
    writing: BTreeSet<u64>,
    draw: SeededDraw,
    lost_replies: u64,
}

impl Disk {
    /// Creates a disk with initial changes.
    pub fn new(plan: &Plan, defect: Defect, first: Vec<Change>) -> Self {
        let faults = plan.faults.iter().filter_map(|&Fault { at, what }| match at {
            When::Write(number) => Some((number, what)),
            When::Time(_) => None,
        });
        let committed = vec![first];
        let state = DiskState {
            tables: replay_writes(&committed),
            committed,
            epoch: 0,
            behaviour: DiskBehaviour::default(),
            faults: faults.collect(),
            writes: 0,
            crashes: Vec::new(),
            violations: Vec::new(),
            writing: BTreeSet::new(),
            draw: draw_stream(plan.seed, Stream::Disk, 0),
            lost_replies: 0,
        };
        Self { state: Mutex::new(state), write_time: plan.setting.write_time, defect }
    }

    /// Opens it for one of the servers, which takes it from the previous owner. Reads see the committed writes.
    pub fn open(self: &Arc<Self>, server: usize) -> Arc<SimulatedStore> {
        let mut state = lock(&self.state);
        state.epoch += 1;
        state.tables = replay_writes(&state.committed);
        Arc::new(SimulatedStore { disk: Arc::clone(self), server, epoch: state.epoch })
    }

    pub fn set_behaviour(&self, behaviour: DiskBehaviour) {
        lock(&self.state).behaviour = behaviour;
    }

    /// Returns the servers that crashed in a write since the last call, with their downtimes. A server that no longer
    /// owns the store crashes in its own write too, and its successor lives on.
    pub fn take_crashes(&self) -> Vec<(usize, Duration)> {
        std::mem::take(&mut lock(&self.state).crashes)
    }

    /// Returns violations by servers since the last call.
    pub fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.state).violations)
    }

    /// Returns the number of writes begun, and of committed writes that were reported as failed.
    pub fn write_counts(&self) -> (u64, u64) {
        let state = lock(&self.state);
        (state.writes, state.lost_replies)
    }

    /// Returns the result of the committed writes.
    pub fn tables(&self) -> Arc<MemoryStore> {
        Arc::clone(&lock(&self.state).tables)
    }

    fn check_owner(&self, epoch: u64) -> Result<(), StoreError> {
        let owner = lock(&self.state).epoch;
        if epoch == owner || self.defect == Defect::TakesFromAnyone {
            Ok(())
        } else {
            Err(StoreError::Taken(format!("server {owner} opened it")))
        }
    }

    fn apply(&self, epoch: u64, number: u64, changes: &[Change]) -> Result<(), StoreError> {
        self.check_owner(epoch)?;
        let mut state = lock(&self.state);
        if self.defect == Defect::Forgets(number) {
            return Ok(());
        }
        if let Err(error) = finish_at_once(state.tables.write(changes)) {
            state.violations.push(format!("a change was rejected: {error}"));
            // Either all of it is committed or nothing.
            state.tables = replay_writes(&state.committed);
            return Err(error);
        }
        state.committed.push(changes.to_vec());
        Ok(())
    }
}

fn replay_writes(committed: &[Vec<Change>]) -> Arc<MemoryStore> {
    let tables = MemoryStore::new(RetentionLimits::default());
    for changes in committed {
        finish_at_once(tables.write(changes)).expect("an accepted change is accepted again");
    }
    Arc::new(tables)
}

/// Returns the output of a future that never waits.
pub fn finish_at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("the store in memory never waits"),
    }
}

/// The disk as opened by one server.
#[derive(Debug)]
pub struct SimulatedStore {
    disk: Arc<Disk>,
    server: usize,
    epoch: u64,
}

impl SimulatedStore {
    /// Waits while the store hangs, and returns its data.
    async fn reach(&self) -> Result<Arc<MemoryStore>, StoreError> {
        loop {
            let (behaviour, tables) = {
                let state = lock(&self.disk.state);
                (state.behaviour, Arc::clone(&state.tables))
            };
            match behaviour {
                DiskBehaviour::Answers => return Ok(tables),
                DiskBehaviour::Fails => {
                    return Err(StoreError::Unavailable("the disk is out of order".to_owned()));
                }
                DiskBehaviour::Hangs => sleep(CHECK_INTERVAL).await,
            }
        }
    }

    /// Crashes in a write.
    async fn crash(&self, down: Duration) -> Result<(), StoreError> {
        lock(&self.disk.state).crashes.push((self.server, down));
        pending().await
    }

    /// Writes at a random time, or when the store answers again.
    async fn write_later(&self, changes: &[Change]) -> Result<(), StoreError> {
        let (number, fault, takes) = {
            let mut state = lock(&self.disk.state);
            let number = state.writes;
            state.writes += 1;
            let max = self.disk.write_time.as_micros() as u64;
            let takes = Duration::from_micros(state.draw.number_below(max + 1));
            (number, state.faults.get(&number).copied(), takes)
        };
        self.reach().await?;
        sleep(takes).await;
        // A disk that hung during a write resumes it.
        self.reach().await?;
        match fault {
            Some(FaultKind::CrashInWrite { is_written, down }) => {
                if is_written {
                    self.disk.apply(self.epoch, number, changes)?;
                }
                self.crash(down).await
            }
            Some(FaultKind::LostReply) => {
                self.disk.apply(self.epoch, number, changes)?;
                lock(&self.disk.state).lost_replies += 1;
                Err(StoreError::Unavailable("the reply was lost".to_owned()))
            }
            _ => self.disk.apply(self.epoch, number, changes),
        }
    }
}

#[async_trait]
impl Store for SimulatedStore {
    fn is_durable(&self) -> bool {
        true
    }

    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        if !lock(&self.disk.state).writing.insert(self.epoch) {
            lock(&self.disk.state).violations.push("two writes at once of one server".to_owned());
        }
        let written = self.write_later(changes).await;
        lock(&self.disk.state).writing.remove(&self.epoch);
        written
    }

    async fn check_intact(&self) -> Result<(), StoreError> {
        self.reach().await?;
        self.disk.check_owner(self.epoch)
    }

    async fn close(&self) {}

    async fn clock(&self) -> Result<StoredClock, StoreError> {
        self.reach().await?.clock().await
    }

    async fn newest_ids(&self) -> Result<NewestIds, StoreError> {
        self.reach().await?.newest_ids().await
    }

    async fn later_times(&self, at: Timestamp) -> Result<LaterTimes, StoreError> {
        self.reach().await?.later_times(at).await
    }

    async fn requests(&self) -> Result<Vec<StoredRequest>, StoreError> {
        self.reach().await?.requests().await
    }

    async fn bot(&self, name: &BotName) -> Result<Option<StoredBot>, StoreError> {
        self.reach().await?.bot(name).await
    }

    async fn bots(&self, after: Option<&BotName>, limit: usize) -> Result<Vec<StoredBot>, StoreError> {
        self.reach().await?.bots(after, limit).await
    }

    async fn bot_versions(&self, name: &BotName) -> Result<Vec<SeenVersion>, StoreError> {
        self.reach().await?.bot_versions(name).await
    }

    async fn lost_seats(
        &self,
        bot: &BotName,
        tournament: Option<TournamentId>,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<LostSeat>, StoreError> {
        self.reach().await?.lost_seats(bot, tournament, before, limit).await
    }

    async fn has_played(&self, name: &BotName) -> Result<bool, StoreError> {
        self.reach().await?.has_played(name).await
    }

    async fn tournament(&self, id: TournamentId) -> Result<Option<StoredTournament>, StoreError> {
        self.reach().await?.tournament(id).await
    }

    async fn tournaments(
        &self,
        before: Option<TournamentId>,
        limit: usize,
    ) -> Result<Vec<StoredTournament>, StoreError> {
        self.reach().await?.tournaments(before, limit).await
    }

    async fn unfinished_tournaments(&self) -> Result<Vec<StoredTournament>, StoreError> {
        self.reach().await?.unfinished_tournaments().await
    }

    async fn field_history(&self, id: TournamentId) -> Result<FieldHistory, StoreError> {
        self.reach().await?.field_history(id).await
    }

    async fn tournament_events(&self, id: TournamentId) -> Result<Vec<TimedTournamentEvent>, StoreError> {
        self.reach().await?.tournament_events(id).await
    }

    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError> {
        self.reach().await?.standings(id).await
    }

    async fn checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, StoreError> {
        self.reach().await?.checkpoint(id).await
    }

    async fn match_results(
        &self,
        id: TournamentId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredResult>, StoreError> {
        self.reach().await?.match_results(id, from, limit).await
    }

    async fn unvoided_matches(&self, ids: &[MatchId]) -> Result<Vec<MatchId>, StoreError> {
        self.reach().await?.unvoided_matches(ids).await
    }

    async fn unfinished_matches(&self) -> Result<Vec<MatchId>, StoreError> {
        self.reach().await?.unfinished_matches().await
    }

    async fn match_summaries(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<MatchSummary>, StoreError> {
        self.reach().await?.match_summaries(filter, before, limit).await
    }

    async fn match_summary(&self, id: MatchId) -> Result<Option<MatchSummary>, StoreError> {
        self.reach().await?.match_summary(id).await
    }

    async fn match_record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
        self.reach().await?.match_record(id).await
    }

    async fn match_heads(&self, page: &HeadsPage) -> Result<Vec<MatchHead>, StoreError> {
        self.reach().await?.match_heads(page).await
    }

    async fn transcripts(&self, id: MatchId) -> Result<Vec<TranscriptHead>, StoreError> {
        self.reach().await?.transcripts(id).await
    }

    async fn other_transcript_bytes(&self, id: MatchId, place: QuestionPlace) -> Result<u64, StoreError> {
        self.reach().await?.other_transcript_bytes(id, place).await
    }

    async fn transcript(
        &self,
        id: MatchId,
        place: QuestionPlace,
    ) -> Result<Option<StoredTranscript>, StoreError> {
        self.reach().await?.transcript(id, place).await
    }

    async fn prunable_matches(&self, page: &PrunePage) -> Result<Vec<MatchId>, StoreError> {
        self.reach().await?.prunable_matches(page).await
    }

    async fn unacknowledged_matches(
        &self,
        bot: &BotName,
        from: MatchId,
        limit: usize,
    ) -> Result<UnacknowledgedMatches, StoreError> {
        self.reach().await?.unacknowledged_matches(bot, from, limit).await
    }

    async fn unacknowledged_tournament_ends(
        &self,
        bot: &BotName,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<TournamentEnd>, StoreError> {
        self.reach().await?.unacknowledged_tournament_ends(bot, since, limit).await
    }
}
