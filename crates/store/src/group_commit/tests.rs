//! Tests which commits share a transaction, and what happens while the database cannot be used.

use super::*;
use crate::testing::{ScriptedStore, WriteScript};
use crate::{StoredBot, Token};
use async_trait::async_trait;
use lastnim_core::game::{BotName, BotProfile};
use lastnim_core::referee::Timestamp;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

type FlakyStore = ScriptedStore<FailureScript>;

/// The behaviour of a store that notes the size of each write and fails on request.
#[derive(Debug)]
struct FailureScript {
    failures: Mutex<VecDeque<StoreError>>,
    written: Mutex<Vec<usize>>,
    /// The bots written, in order.
    bots_written: Mutex<Vec<BotName>>,
    /// The number of attempted writes.
    tries: AtomicUsize,
    refused: Option<BotName>,
}

/// The name of a bot that makes the store panic.
const PANIC: &str = "panic";

impl FlakyStore {
    fn new(failures: impl IntoIterator<Item = StoreError>, refused: Option<&str>) -> Arc<Self> {
        Self::with_script(FailureScript {
            failures: Mutex::new(failures.into_iter().collect()),
            written: Mutex::default(),
            bots_written: Mutex::default(),
            tries: AtomicUsize::new(0),
            refused: refused.map(|name| name.parse().unwrap()),
        })
    }
}

impl FailureScript {
    fn written(&self) -> Vec<usize> {
        self.written.lock().unwrap().clone()
    }
}

#[async_trait]
impl WriteScript for FailureScript {
    async fn before_write(&self, changes: &[Change]) -> Result<(), StoreError> {
        // The pause stands for the time that a database needs to write on another thread.
        tokio::time::sleep(Duration::from_millis(1)).await;
        self.tries.fetch_add(1, Ordering::Relaxed);
        if let Some(error) = self.failures.lock().unwrap().pop_front() {
            return Err(error);
        }
        assert!(names_of_bots(changes).all(|name| name.as_str() != PANIC), "by the test");
        if let Some(refused) = &self.refused
            && names_of_bots(changes).any(|name| name == refused)
        {
            return Err(refused_name());
        }
        self.written.lock().unwrap().push(changes.len());
        self.bots_written.lock().unwrap().extend(names_of_bots(changes).cloned());
        Ok(())
    }
}

fn names_of_bots(changes: &[Change]) -> impl Iterator<Item = &BotName> {
    changes.iter().filter_map(|change| match change {
        Change::Bot(bot) => Some(&bot.name),
        _ => None,
    })
}

fn bot(name: &str) -> Change {
    let token = Token::generate().hash();
    Change::Bot(StoredBot {
        name: name.parse().unwrap(),
        registered_at: Timestamp::from_micros(1),
        token,
        profile: BotProfile::default(),
    })
}

fn refused_name() -> StoreError {
    StoreError::Refused("this name".into())
}

fn disk_full_error() -> StoreError {
    StoreError::Unavailable("disk full".into())
}

/// Commits one bot per name concurrently, and returns the results.
async fn commit_all(commits: &Arc<GroupCommit>, names: &[String]) -> Vec<Result<(), StoreError>> {
    let each = names.iter().map(|name| {
        let (commits, change) = (Arc::clone(commits), bot(name));
        tokio::spawn(async move { commits.commit(vec![change]).await })
    });
    let mut ends = Vec::new();
    for end in each.collect::<Vec<_>>() {
        ends.push(end.await.unwrap());
    }
    ends
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("bot{number}")).collect()
}

#[tokio::test(start_paused = true)]
async fn waiting_commits_share_a_transaction() {
    let store = FlakyStore::new([], None);
    let commits = Arc::new(GroupCommit::start(store.clone()));
    assert!(commit_all(&commits, &names(100)).await.iter().all(Result::is_ok));
    let written = store.written();
    assert_eq!(written.iter().sum::<usize>(), 100);
    assert!(written.len() <= 2, "{written:?}");
    let counted = commits.commit_counts();
    assert_eq!((counted.transactions, counted.commits), (written.len() as u64, 100));
    assert_eq!(counted.waiting, 0);
    assert_eq!(store.bots(None, 1_000).await.unwrap().len(), 100);
}

#[tokio::test(start_paused = true)]
async fn commits_of_one_transaction_are_written_in_order() {
    for refused in [None, Some("bot7")] {
        let store = FlakyStore::new([], refused);
        let commits = Arc::new(GroupCommit::start(store.clone()));
        commit_all(&commits, &names(20)).await;
        let written: Vec<_> = store.bots_written.lock().unwrap().iter().map(BotName::to_string).collect();
        let mut expected = names(20);
        expected.retain(|name| Some(name.as_str()) != refused);
        assert_eq!(written, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_transient_failure_is_reported_and_retried() {
    let store = FlakyStore::new([disk_full_error(), disk_full_error(), disk_full_error()], None);
    let commits = Arc::new(GroupCommit::start(store.clone()));
    let first = tokio::spawn({
        let commits = Arc::clone(&commits);
        async move { commits.commit(vec![bot("a")]).await }
    });
    while commits.check_usable().is_ok() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(commits.check_usable(), Err(disk_full_error()));
    assert!(!first.is_finished());
    assert_eq!(commits.commit_counts().waiting, 1);
    assert_eq!(commits.commit(vec![bot("b")]).await, Ok(()));
    assert_eq!(first.await.unwrap(), Ok(()));
    assert_eq!(commits.check_usable(), Ok(()));
    assert_eq!(store.written(), [1, 1], "each commit is written once, in order");
}

#[tokio::test(start_paused = true)]
async fn a_rejected_commit_does_not_fail_the_others() {
    let store = FlakyStore::new([], Some("bot7"));
    let commits = Arc::new(GroupCommit::start(store.clone()));
    let ends = commit_all(&commits, &names(20)).await;
    for (number, end) in ends.iter().enumerate() {
        let expected = if number == 7 { Err(refused_name()) } else { Ok(()) };
        assert_eq!(*end, expected, "{number}");
    }
    assert_eq!(store.bots(None, 1_000).await.unwrap().len(), 19);
    assert_eq!(commits.commit_counts().waiting, 0);
    assert_eq!(commits.check_usable(), Ok(()), "a rejected change leaves the store usable");
}

#[tokio::test(start_paused = true)]
async fn giving_up_fails_the_waiting_commits() {
    let store = FlakyStore::new(std::iter::repeat_n(disk_full_error(), 1_000), None);
    let commits = Arc::new(GroupCommit::start(store.clone()));
    let waiting = tokio::spawn({
        let commits = Arc::clone(&commits);
        async move { commits.commit(vec![bot("a")]).await }
    });
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert!(!waiting.is_finished());
    commits.fail_waiting_commits();
    assert_eq!(waiting.await.unwrap(), Err(disk_full_error()));
    assert_eq!(commits.commit_counts().waiting, 0);
    assert_eq!(commits.commit(vec![bot("b")]).await, Err(disk_full_error()));
    assert!(store.written().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_store_taken_over_by_another_server_is_lost() {
    let taken = StoreError::Taken("by a test".into());
    let store = FlakyStore::new([disk_full_error(), taken.clone()], None);
    let commits = GroupCommit::start(store);
    assert_eq!(commits.commit(vec![bot("a")]).await, Err(taken.clone()));
    assert_eq!(commits.wait_until_lost().await, taken);
    assert_eq!(commits.check_usable(), Err(taken));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_rejects_a_change_is_usable() {
    let refused = StoreError::Refused("by a test".into());
    let store = FlakyStore::new([disk_full_error(), refused.clone()], None);
    let commits = GroupCommit::start(store);
    assert_eq!(commits.commit(vec![bot("a")]).await, Err(refused));
    assert_eq!(commits.check_usable(), Ok(()));
    assert_eq!(commits.commit(vec![bot("b")]).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_writer_that_panics_is_noticed() {
    let commits = Arc::new(GroupCommit::start(FlakyStore::new([], None)));
    let waiting = commits.commit(vec![bot(PANIC)]);
    let broken = waiting.await.unwrap_err();
    assert!(matches!(broken, StoreError::Broken(_)) && !broken.is_transient(), "{broken}");
    assert_eq!(commits.wait_until_lost().await, broken);
    assert_eq!(commits.check_usable(), Err(broken.clone()));
    assert_eq!(commits.commit(vec![bot("a")]).await, Err(broken));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_to_a_lost_store() {
    let taken = StoreError::Taken("by a test".into());
    let store = FlakyStore::new([taken.clone()], None);
    let commits = GroupCommit::start(store.clone());
    assert_eq!(commits.commit(vec![bot("a")]).await, Err(taken.clone()));
    assert_eq!(commits.commit(vec![bot("b")]).await, Err(taken.clone()));
    assert_eq!(commits.wait_until_lost().await, taken);
    assert!(store.written().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_failing_writer_ends_when_its_handle_is_dropped() {
    let store = FlakyStore::new(std::iter::repeat_n(disk_full_error(), 1_000), None);
    let commits = GroupCommit::start(store.clone());
    let given_up = tokio::time::timeout(Duration::from_secs(20), commits.commit(vec![bot("a")])).await;
    assert!(given_up.is_err());
    drop(commits);
    tokio::time::sleep(Duration::from_mins(1)).await;
    let tries = store.tries.load(Ordering::Relaxed);
    assert!(tries < 30, "{tries} tries");
    assert_eq!(Arc::strong_count(&store), 1, "the writer has ended");
}
