//! One writer for all: whatever waits is written in one transaction.

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

/// Commits of others that one transaction takes along at most.
const MAX_BATCH: usize = 4_096;
/// How long a transaction waits for others while more and more of them come.
const MAX_BATCH_WAIT: Duration = Duration::from_millis(5);
/// Empty polls of the queue before a batch is written, at most.
const MAX_IDLE_POLLS: usize = 8;
/// The pause before the first repetition of a write that failed; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How often it is checked that a store to which nobody writes is still there.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often a failure that lasts is logged again.
const LOG_REPEAT_INTERVAL: Duration = Duration::from_secs(30);

/// Makes changes last. Changes of many at the same time share a transaction; while the database cannot be used, they wait
/// until it can, in their order. Where nothing outlasts the process there is nothing to share, and what somebody waits for is
/// written at once.
#[derive(Debug)]
pub struct GroupCommit {
    store: Arc<dyn Store>,
    queue: mpsc::UnboundedSender<PendingCommit>,
    availability: Arc<StoreAvailability>,
    gives_up: watch::Sender<bool>,
    tally: Arc<CommitTally>,
}

/// How much was committed so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitCounts {
    /// Transactions.
    pub transactions: u64,
    /// What was committed in them: the steps of matches, registrations and the like.
    pub commits: u64,
    /// Changes of [what is over](Change::alters_what_is_over).
    pub ended_changes: u64,
    /// Commits that wait, those in the transaction that is being written included.
    pub waiting: u64,
}

#[derive(Debug, Default)]
struct CommitTally {
    transactions: AtomicU64,
    commits: AtomicU64,
    ended_changes: AtomicU64,
    waiting: AtomicU64,
    /// From the submission of a commit until its changes last.
    latencies: LatencyHistogram,
}

/// What became of the changes of a match.
pub type MatchCommit = (MatchId, Result<(), StoreError>);

/// Hears what became of the changes of matches.
pub trait CommitListener: fmt::Debug + Send + Sync {
    /// Hears of the matches whose changes one transaction had, in the order in which they were submitted. It takes them out.
    fn note_committed(&self, results: &mut Vec<MatchCommit>);
}

#[derive(Debug)]
struct PendingCommit {
    changes: Vec<Change>,
    done: CommitAnswer,
    submitted: Instant,
}

/// Where the answer to a commit goes.
#[derive(Debug)]
enum CommitAnswer {
    Caller(oneshot::Sender<Result<(), StoreError>>),
    Listener(ListenerAnswer),
}

/// The answer to a listener. One that is dropped on the way says that the writer has broken down.
#[derive(Debug)]
struct ListenerAnswer {
    id: MatchId,
    /// None once it is answered.
    listener: Option<Arc<dyn CommitListener>>,
}

impl Drop for ListenerAnswer {
    fn drop(&mut self) {
        if let Some(listener) = self.listener.take() {
            listener.note_committed(&mut vec![(self.id, Err(writer_broken_error()))]);
        }
    }
}

/// The answers of one transaction that are still to be given to listeners, so that each hears of all of its matches at once.
#[derive(Debug, Default)]
struct ListenerAnswers {
    by_listener: Vec<(Arc<dyn CommitListener>, Vec<MatchCommit>)>,
}

impl ListenerAnswers {
    fn add(&mut self, answer: CommitAnswer, result: Result<(), StoreError>) {
        match answer {
            CommitAnswer::Caller(caller) => {
                // Who does not wait any longer need not hear.
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

    fn give(self) {
        for (listener, mut results) in self.by_listener {
            listener.note_committed(&mut results);
        }
    }
}

impl GroupCommit {
    /// Starts the writer of a store. It ends when this is dropped and all that waits is written, or cannot be.
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
            failing: None,
        };
        tokio::spawn(writer.run());
        Self { store, queue, availability, gives_up, tally }
    }

    /// Makes changes last, all or none of them. What they say may be announced once this returns.
    ///
    /// # Errors
    /// If the store refuses them for good, is [lost](Self::wait_until_lost), or cannot be used and nobody [waits](Self::fail_waiting) any
    /// longer. What a caller does not wait for may be written all the same.
    pub async fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        if !self.store.is_durable() {
            return self.store.write(&changes).await;
        }
        let (done, answer) = oneshot::channel();
        self.queue_commit(changes, CommitAnswer::Caller(done)).map_err(|_| writer_broken_error())?;
        answer.await.map_err(|_| writer_broken_error())?
    }

    /// Makes changes of a match last, all or none of them, and tells the listener once they do, or cannot.
    ///
    /// # Errors
    /// If the writer has broken down. The listener does not hear of these changes then.
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

    /// Queues changes for the writer; hands them back if it has broken down.
    fn queue_commit(&self, changes: Vec<Change>, done: CommitAnswer) -> Result<(), PendingCommit> {
        self.tally.waiting.fetch_add(1, Ordering::Relaxed);
        self.queue.send(PendingCommit { changes, done, submitted: Instant::now() }).map_err(|unsent| {
            self.tally.waiting.fetch_sub(1, Ordering::Relaxed);
            unsent.0
        })
    }

    /// Fails while the store cannot be used: for callers who would rather try again than wait.
    ///
    /// # Errors
    /// What keeps it from being used.
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

    /// Waits until the store is lost for good, and returns how: another server has it, it is damaged, or what writes to it
    /// has broken down.
    pub async fn wait_until_lost(&self) -> StoreError {
        self.availability.wait_until_lost().await
    }

    /// Fails what waits for a store that cannot be used, now and from now on.
    pub fn fail_waiting(&self) {
        self.gives_up.send_replace(true);
    }

    /// Returns how much was committed so far.
    pub fn commit_counts(&self) -> CommitCounts {
        let CommitTally { transactions, commits, ended_changes, waiting, .. } = self.tally.as_ref();
        CommitCounts {
            transactions: transactions.load(Ordering::Acquire),
            commits: commits.load(Ordering::Relaxed),
            ended_changes: ended_changes.load(Ordering::Acquire),
            waiting: waiting.load(Ordering::Relaxed),
        }
    }

    /// Returns how long commits took so far, from their submission until their changes lasted.
    pub fn latencies(&self) -> LatencyCounts {
        self.tally.latencies.counts()
    }
}

fn writer_broken_error() -> StoreError {
    StoreError::Broken("its writer has broken down".to_owned())
}

struct CommitWriter {
    store: Arc<dyn Store>,
    waiting: mpsc::UnboundedReceiver<PendingCommit>,
    availability: Arc<StoreAvailability>,
    giving_up: watch::Receiver<bool>,
    tally: Arc<CommitTally>,
    /// None while the store can be used.
    failing: Option<StoreOutage>,
}

/// A time during which the store cannot be used.
struct StoreOutage {
    since: Instant,
    said: Instant,
}

impl Drop for CommitWriter {
    /// However this ends, nobody shall wait for a store to which nobody writes.
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
                    listeners.give();
                }
            }
            changes.clear();
        }
    }

    /// Waits for somebody who has something to write; returns false if nobody ever will have. While nobody has, it checks
    /// that what was written is still there.
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

    /// Lets more join the group for as long as more come. Between two polls everybody else has had a turn: a few that find nothing mean
    /// that there is nothing better to do than to write. Where the last group was small, few play, and fewer polls tell that.
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

    /// Writes the changes of each by themselves, so that what is refused hurts nobody else.
    async fn write_each(&mut self, changes: &[Change], answers: Vec<(usize, CommitAnswer)>) {
        let mut rest = changes;
        for (count, done) in answers {
            let (own, others) = rest.split_at(count);
            rest = others;
            let mut listeners = ListenerAnswers::default();
            let written = self.write_with_retries(own).await;
            self.tally.waiting.fetch_sub(1, Ordering::Relaxed);
            listeners.add(done, written);
            listeners.give();
        }
    }

    /// Writes changes, again and again while the store cannot be used. To a store that is lost nothing is written.
    async fn write_with_retries(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        if let Some(lost) = self.availability.loss() {
            return Err(lost);
        }
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match self.store.write(changes).await {
                Ok(()) => {
                    let ended = changes.iter().filter(|change| change.alters_what_is_over()).count();
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
                    tracing::error!(%error, "a write failed");
                    // A store that refuses can be used.
                    self.note_store_usable();
                    return Err(error);
                }
                lost => {
                    tracing::error!(error = %lost, "the store is lost");
                    self.availability.note_failure(lost.clone());
                    return Err(lost);
                }
            }
            // Who has dropped the other end waits for nothing either.
            if *self.giving_up.borrow() || self.giving_up.has_changed().is_err() {
                return Err(error);
            }
            tokio::select! {
                biased;
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
                _ = self.giving_up.wait_for(|&giving_up| giving_up) => {}
            }
        }
    }

    /// Takes note that the store can be used.
    fn note_store_usable(&mut self) {
        if let Some(StoreOutage { since, .. }) = self.failing.take() {
            tracing::warn!(after = ?since.elapsed(), "the store can be used again: play goes on");
            self.availability.note_usable();
        }
    }

    /// Takes note that the store cannot be used.
    fn note_store_failing(&mut self, error: &StoreError) {
        let now = Instant::now();
        let is_news =
            self.failing.as_ref().is_none_or(|failing| failing.said.elapsed() > LOG_REPEAT_INTERVAL);
        if is_news {
            tracing::error!(%error, "nothing is announced until the store can be used again");
            let since = self.failing.as_ref().map_or(now, |failing| failing.since);
            self.failing = Some(StoreOutage { since, said: now });
        }
        self.availability.note_failure(error.clone());
    }
}

#[cfg(test)]
mod tests;
