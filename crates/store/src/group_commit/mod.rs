//! Commits changes through one writer, which writes all waiting changes in one transaction.

use super::availability::StoreAvailability;
use super::latency_histogram::{LatencyCounts, LatencyHistogram};
use super::{Change, Store, StoreError};
use lastnim_core::game::MatchId;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// The maximum number of commits that share a transaction.
const MAX_BATCH: usize = 4_096;
/// How long a batch may wait while more commits arrive.
const MAX_BATCH_WAIT: Duration = Duration::from_millis(5);
/// How many polls in a row may find the queue empty before a batch is written.
const MAX_IDLE_POLLS: usize = 8;
/// The pause after the first failed write. It doubles with each further failure, up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// How often an idle writer checks that the store still exists.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often a lasting failure is logged again.
const LOG_REPEAT_INTERVAL: Duration = Duration::from_secs(30);

/// Commits changes to a store. Changes that are submitted at about the same time share a transaction. While the
/// database cannot be used, changes wait in order. An in-memory store needs no transactions, so it is written at once.
#[derive(Debug)]
pub struct GroupCommit {
    store: Arc<dyn Store>,
    queue: mpsc::UnboundedSender<PendingCommit>,
    availability: Arc<StoreAvailability>,
    gives_up: watch::Sender<bool>,
    tally: Arc<CommitTally>,
}

/// Counts of commits and transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitCounts {
    /// The number of transactions.
    pub transactions: u64,
    /// The number of commits: steps of matches, registrations and so on.
    pub commits: u64,
    /// The number of changes to [finished matches and tournaments](Change::changes_finished).
    pub ended_changes: u64,
    /// The number of commits that are waiting or being written.
    pub waiting: u64,
}

#[derive(Debug, Default)]
struct CommitTally {
    transactions: AtomicU64,
    commits: AtomicU64,
    ended_changes: AtomicU64,
    waiting: AtomicU64,
    /// The times from submitting each commit until it was durable.
    latencies: LatencyHistogram,
}

/// The result of committing a match's changes.
pub type MatchCommit = (MatchId, Result<(), StoreError>);

/// Receives the results of match commits.
pub trait CommitListener: fmt::Debug + Send + Sync {
    /// Receives the results of one transaction, in the order in which the commits were submitted.
    fn note_committed(&self, results: &mut Vec<MatchCommit>);
}

#[derive(Debug)]
struct PendingCommit {
    changes: Vec<Change>,
    done: CommitAnswer,
    submitted: Instant,
}

/// Where the result of a commit is sent.
#[derive(Debug)]
enum CommitAnswer {
    Caller(oneshot::Sender<Result<(), StoreError>>),
    Listener(ListenerAnswer),
}

/// A pending answer to a listener. If it is dropped unanswered, the listener learns that the writer has broken down.
#[derive(Debug)]
struct ListenerAnswer {
    id: MatchId,
    /// `None` once answered.
    listener: Option<Arc<dyn CommitListener>>,
}

impl Drop for ListenerAnswer {
    fn drop(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.note_committed(&mut vec![(self.id, Err(writer_broken_error()))]);
        }
    }
}

/// The results of one transaction, grouped by listener so that each listener is called once.
#[derive(Debug, Default)]
struct ListenerAnswers {
    by_listener: Vec<(Arc<dyn CommitListener>, Vec<MatchCommit>)>,
}

impl ListenerAnswers {
    fn add(&mut self, answer: CommitAnswer, result: Result<(), StoreError>) {
        match answer {
            CommitAnswer::Caller(caller) => {
                // Errors are ignored, because the caller may have stopped waiting.
                let _ = caller.send(result);
            }
            CommitAnswer::Listener(mut answer) => {
                let Some(listener) = answer.listener.take() else { return };
                let known = self.by_listener.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &listener));
                match known {
                    Some((_, results)) => results.push((answer.id, result)),
                    None => self.by_listener.push((listener, vec![(answer.id, result)])),
                }
            }
        }
    }

    fn deliver(self) {
        for (listener, mut results) in self.by_listener {
            listener.note_committed(&mut results);
        }
    }
}

impl GroupCommit {
    /// Starts the writer of a store. The writer ends once the returned value has been dropped and all waiting changes
    /// have been written or have failed.
    pub fn start(store: Arc<dyn Store>) -> Self {
        let availability = Arc::new(StoreAvailability::default());
        let (gives_up, giving_up) = watch::channel(false);
        let tally = Arc::new(CommitTally::default());
        let (queue, waiting) = mpsc::unbounded_channel();
        let writer = CommitWriter {
            store: Arc::clone(&store),
            waiting,
            availability: Arc::clone(&availability),
            giving_up,
            tally: Arc::clone(&tally),
            outage: None,
        };
        tokio::spawn(writer.run());
        Self { store, queue, availability, gives_up, tally }
    }

    /// Commits changes, either all or none of them. Once this succeeds, the changes may be announced.
    ///
    /// # Errors
    /// If the store rejects the changes, is [lost](Self::wait_until_lost), or cannot be used and waiting has been
    /// [given up](Self::fail_waiting_commits). The changes may still be written after the caller has stopped waiting.
    pub async fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        if !self.store.is_durable() {
            return self.store.write(&changes).await;
        }
        let (done, answer) = oneshot::channel();
        self.queue_commit(changes, CommitAnswer::Caller(done)).map_err(|_| writer_broken_error())?;
        answer.await.map_err(|_| writer_broken_error())?
    }

    /// Commits changes to a match, either all or none of them, and calls the listener with the result.
    ///
    /// # Errors
    /// If the writer has broken down. In that case, the listener is not called.
    pub fn submit(
        &self,
        changes: Vec<Change>,
        id: MatchId,
        listener: Arc<dyn CommitListener>,
    ) -> Result<(), StoreError> {
        let done = CommitAnswer::Listener(ListenerAnswer { id, listener: Some(listener) });
        self.queue_commit(changes, done).map_err(|mut unsent| {
            if let CommitAnswer::Listener(answer) = &mut unsent.done {
                answer.listener = None;
            }
            writer_broken_error()
        })
    }

    /// Queues changes for the writer, or returns them if the writer has broken down.
    fn queue_commit(&self, changes: Vec<Change>, done: CommitAnswer) -> Result<(), PendingCommit> {
        self.tally.waiting.fetch_add(1, Ordering::Relaxed);
        self.queue.send(PendingCommit { changes, done, submitted: Instant::now() }).map_err(|unsent| {
            self.tally.waiting.fetch_sub(1, Ordering::Relaxed);
            unsent.0
        })
    }

    /// Fails while the store cannot be used, for callers who prefer an error to waiting.
    ///
    /// # Errors
    /// Returns the reason why the store cannot be used.
    pub fn check_usable(&self) -> Result<(), StoreError> {
        self.availability.failure().map_or(Ok(()), Err)
    }

    /// Waits until the store can be used.
    pub async fn wait_until_usable(&self) {
        self.availability.wait_until_usable().await;
    }

    /// Waits until the store cannot be used, and returns why.
    pub async fn wait_until_failed(&self) -> StoreError {
        self.availability.wait_until_failed().await
    }

    /// Waits until the store is permanently lost, and returns why: for example, another server has taken it over, it is
    /// damaged, or its writer has broken down.
    pub async fn wait_until_lost(&self) -> StoreError {
        self.availability.wait_until_lost().await
    }

    /// Makes all commits fail that wait because the store cannot be used, including later ones.
    pub fn fail_waiting_commits(&self) {
        self.gives_up.send_replace(true);
    }

    /// Returns the current counts.
    pub fn commit_counts(&self) -> CommitCounts {
        let CommitTally { transactions, commits, ended_changes, waiting, .. } = self.tally.as_ref();
        CommitCounts {
            transactions: transactions.load(Ordering::Acquire),
            commits: commits.load(Ordering::Relaxed),
            ended_changes: ended_changes.load(Ordering::Acquire),
            waiting: waiting.load(Ordering::Relaxed),
        }
    }

    /// Returns the times from submitting each commit until it was durable, as a histogram.
    pub fn latencies(&self) -> LatencyCounts {
        self.tally.latencies.counts()
    }
}

fn writer_broken_error() -> StoreError {
    StoreError::Broken("its writer has failed: restart the server".to_owned())
}

struct CommitWriter {
    store: Arc<dyn Store>,
    waiting: mpsc::UnboundedReceiver<PendingCommit>,
    availability: Arc<StoreAvailability>,
    giving_up: watch::Receiver<bool>,
    tally: Arc<CommitTally>,
    /// `None` while the store can be used.
    outage: Option<StoreOutage>,
}

/// A period during which the store cannot be used.
struct StoreOutage {
    since: Instant,
    /// When the failure was last logged.
    last_logged: Instant,
}

impl Drop for CommitWriter {
    /// Notes a failure when the writer ends for any reason, so that no caller keeps waiting for it.
    fn drop(&mut self) {
        if self.availability.loss().is_none() {
            self.availability.note_failure(writer_broken_error());
        }
    }
}

impl CommitWriter {
    async fn run(mut self) {
        let (mut group, mut changes) = (Vec::new(), Vec::new());
        let mut last_size = MAX_IDLE_POLLS;
        while self.receive_commits(&mut group).await {
            self.gather_group(&mut group, last_size).await;
            last_size = group.len();
            let size = group.len() as u64;
            self.tally.commits.fetch_add(size, Ordering::Relaxed);
            let mut answers = Vec::with_capacity(group.len());
            let mut submitted = Vec::with_capacity(group.len());
            for waiting in group.drain(..) {
                submitted.push(waiting.submitted);
                answers.push((waiting.changes.len(), waiting.done));
                changes.extend(waiting.changes);
            }
            let written = self.write_with_retries(&changes).await;
            if written.is_ok() {
                let now = Instant::now();
                for submitted in submitted {
                    self.tally.latencies.add(now.saturating_duration_since(submitted));
                }
            }
            match written {
                Err(StoreError::Refused(_)) if answers.len() > 1 => {
                    self.write_each(&changes, answers).await;
                }
                written => {
                    self.tally.waiting.fetch_sub(size, Ordering::Relaxed);
                    let mut listeners = ListenerAnswers::default();
                    for (_, done) in answers {
                        listeners.add(done, written.clone());
                    }
                    listeners.deliver();
                }
            }
            changes.clear();
        }
    }

    /// Waits for commits, and returns false once no more can come. While idle, it checks that the store still exists.
    async fn receive_commits(&mut self, group: &mut Vec<PendingCommit>) -> bool {
        loop {
            tokio::select! {
                biased;
                waiting = self.waiting.recv_many(group, MAX_BATCH) => return waiting > 0,
                () = tokio::time::sleep(CHECK_INTERVAL), if self.availability.loss().is_none() => {
                    if let Err(error) = self.store.check_intact().await && !error.is_transient() {
                        tracing::error!(%error, "the store is lost");
                        self.availability.note_failure(error);
                    }
                }
            }
        }
    }

    /// Adds more commits to the group while they keep arriving. All other tasks run between two polls, so a few
    /// successive empty polls mean that it is time to write. After a small group, fewer empty polls are enough.
    async fn gather_group(&mut self, group: &mut Vec<PendingCommit>, last_size: usize) {
        let began = Instant::now();
        let enough_polls = last_size.clamp(1, MAX_IDLE_POLLS);
        let mut idle_polls = 0;
        while idle_polls < enough_polls && group.len() < MAX_BATCH && began.elapsed() < MAX_BATCH_WAIT {
            tokio::task::yield_now().await;
            let before = group.len();
            while group.len() < MAX_BATCH
                && let Ok(waiting) = self.waiting.try_recv()
            {
                group.push(waiting);
            }
            idle_polls = if group.len() == before { idle_polls + 1 } else { 0 };
        }
    }

    /// Writes the changes of each commit separately, so that a rejected one does not fail the others.
    async fn write_each(&mut self, changes: &[Change], answers: Vec<(usize, CommitAnswer)>) {
        let mut rest = changes;
        for (count, done) in answers {
            let (own, others) = rest.split_at(count);
            rest = others;
            let mut listeners = ListenerAnswers::default();
            let written = self.write_with_retries(own).await;
            self.tally.waiting.fetch_sub(1, Ordering::Relaxed);
            listeners.add(done, written);
            listeners.deliver();
        }
    }

    /// Writes changes, retrying while the store cannot be used. Nothing is written to a lost store.
    async fn write_with_retries(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        if let Some(lost) = self.availability.loss() {
            return Err(lost);
        }
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match self.store.write(changes).await {
                Ok(()) => {
                    let ended = changes.iter().filter(|change| change.changes_finished()).count();
                    self.tally.ended_changes.fetch_add(ended as u64, Ordering::Release);
                    self.tally.transactions.fetch_add(1, Ordering::Release);
                    self.note_store_usable();
                    return Ok(());
                }
                Err(error) => error,
            };
            match error {
                StoreError::Unavailable(_) => self.note_store_failing(&error),
                StoreError::Refused(_) => {
                    tracing::error!(%error, "a change could not be stored");
                    // A store that rejects a change can still be used.
                    self.note_store_usable();
                    return Err(error);
                }
                lost => {
                    tracing::error!(error = %lost, "the store is lost");
                    self.availability.note_failure(lost.clone());
                    return Err(lost);
                }
            }
            // If the sender was dropped, no caller waits for the changes any more.
            if *self.giving_up.borrow() || self.giving_up.has_changed().is_err() {
                return Err(error);
            }
            tokio::select! {
                biased;
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(MAX_PAUSE),
                _ = self.giving_up.wait_for(|&giving_up| giving_up) => {}
            }
        }
    }

    fn note_store_usable(&mut self) {
        if let Some(StoreOutage { since, .. }) = self.outage.take() {
            tracing::warn!(after = ?since.elapsed(), "the store can be used again: play continues");
            self.availability.note_usable();
        }
    }

    fn note_store_failing(&mut self, error: &StoreError) {
        let now = Instant::now();
        let is_news =
            self.outage.as_ref().is_none_or(|outage| outage.last_logged.elapsed() > LOG_REPEAT_INTERVAL);
        if is_news {
            tracing::error!(%error, "no take or result is announced until the store can be used again");
            let since = self.outage.as_ref().map_or(now, |outage| outage.since);
            self.outage = Some(StoreOutage { since, last_logged: now });
        }
        self.availability.note_failure(error.clone());
    }
}

#[cfg(test)]
mod tests;
