//! Reading, for anybody: lists, records, standings. How much one may read at once, whose turn it is, and what is left to
//! those that play.

use super::access::Access;
use super::scheduling::{Caller, Permit, RequestQueue, SharedQuota, Turn, WaitingCaller, offload_to_thread};
use super::status::retry_status;
use lastnim_arena::Arena;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Request, Status};

/// The most reads of one caller at once, worked on or waiting.
const READS_OF_CALLER: usize = 256;
/// The most reads at once of all callers together.
const READS: usize = 8_192;
/// The most cross-tables that one caller waits for at once.
const CROSS_TABLES_OF_CALLER: usize = 4;
/// The most that all callers together wait for.
const CROSS_TABLES: usize = 64;
/// The most manifests that one caller fetches at once.
const MANIFESTS_OF_CALLER: usize = 4;
/// The most that all callers together fetch.
const MANIFESTS: usize = 64;
/// The feeds that read what was there before them, at once: that of a long match takes much memory.
const STARTING_FEEDS: usize = 4;
/// The longest that a read waits for its turn.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a caller waits for the answer that it reads too much at once. Without that, one that asks again at once would
/// cost more than one that reads.
const REFUSAL_DELAY: Duration = Duration::from_secs(1);
/// What a caller is told that has no turn.
const FULL: &str = "more is read from the server than it can answer: try again later";
/// While matches are played, a turn rests after each read for so many times as long as the read took.
const REST_RATIO: u32 = 2;
/// The shortest rest: less is added up. The runtime sleeps for whole milliseconds.
const SHORTEST_REST: Duration = Duration::from_millis(2);
/// The longest rest that is owed.
const LONGEST_REST: Duration = Duration::from_secs(1);

/// Reads for callers, each when its turn has come.
///
/// A read is worked out away from the threads that carry messages, one turn after the other, and the turns rest while
/// matches are played: what is left of the processors is theirs.
#[derive(Debug, Clone)]
pub struct ReadScheduler {
    arena: Arena,
    access: Access,
    places: Arc<SharedQuota<Caller>>,
    cross_tables: Arc<SharedQuota<Caller>>,
    manifests: Arc<SharedQuota<Caller>>,
    queue: Arc<RequestQueue>,
    starting_feeds: Arc<RequestQueue>,
    /// The rest that was too short to be taken.
    owed: Arc<Mutex<Duration>>,
}

impl ReadScheduler {
    /// Works `at_once` reads out at once.
    pub fn new(arena: Arena, access: Access, at_once: usize) -> Self {
        let places = SharedQuota::new(READS_OF_CALLER, READS);
        let cross_tables = SharedQuota::new(CROSS_TABLES_OF_CALLER, CROSS_TABLES);
        let manifests = SharedQuota::new(MANIFESTS_OF_CALLER, MANIFESTS);
        let queue = Arc::new(RequestQueue::new(at_once));
        let starting_feeds = Arc::new(RequestQueue::new(STARTING_FEEDS));
        Self { arena, access, places, cross_tables, manifests, queue, starting_feeds, owed: Arc::default() }
    }

    /// Lets anybody read who may look.
    pub(super) fn admit<T>(&self, request: &Request<T>) -> Result<WaitingCaller, Status> {
        Ok(WaitingCaller::of_request(request, self.access.require_viewer(request)?))
    }

    /// Reads when the caller's turn has come, unless it reads too much at once or has to wait too long. The read is given
    /// up when nobody waits for this any more.
    pub(super) async fn run_read<T: Send + 'static>(
        &self,
        reader: &WaitingCaller,
        read: impl Future<Output = Result<T, Status>> + Send + 'static,
    ) -> Result<T, Status> {
        let too_many =
            || format!("{READS_OF_CALLER} reads of this caller are not answered yet: ask for less at once");
        let _place = acquire_place(&self.places, reader, too_many).await?;
        let turn = timeout(reader.time_left(PATIENCE), self.queue.wait_for_turn(&reader.asker)).await;
        let turn = turn.map_err(|_| retry_status(Code::ResourceExhausted, "FULL", FULL))?;
        self.run_with_turn(turn, read).await
    }

    /// Works out for a caller what takes time, when its turn has come.
    ///
    /// # Errors
    /// If it may not look, has too much under way, or has to wait too long.
    pub async fn work_out<T: Send + 'static>(
        &self,
        request: &Request<()>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Status> {
        let reader = self.admit(request)?;
        self.run_read(&reader, async move { Ok(work()) }).await
    }

    /// Waits until a feed may read what was there before it. Callers take turns, so that nobody waits behind all that another one follows.
    ///
    /// # Errors
    /// If it may not look.
    pub async fn wait_to_start_feed(&self, request: &Request<()>) -> Result<FeedStart, Status> {
        let reader = self.admit(request)?;
        Ok(FeedStart { _turn: self.starting_feeds.wait_for_turn(&reader.asker).await })
    }

    /// Lets a caller wait for a cross-table, unless it waits for too many.
    pub(super) async fn admit_cross_table(&self, reader: &WaitingCaller) -> Result<Permit, Status> {
        let too_many =
            || format!("this caller waits for {CROSS_TABLES_OF_CALLER} cross-tables: wait for one first");
        acquire_place(&self.cross_tables, reader, too_many).await
    }

    /// Lets a caller fetch a manifest, unless it fetches too many.
    pub(super) async fn admit_manifest(&self, reader: &WaitingCaller) -> Result<Permit, Status> {
        let too_many = || format!("this caller fetches {MANIFESTS_OF_CALLER} manifests: wait for one first");
        acquire_place(&self.manifests, reader, too_many).await
    }

    /// Reads once more for a caller that watches, however long its turn takes to come.
    pub(super) async fn run_watcher_read<T: Send + 'static>(
        &self,
        reader: &WaitingCaller,
        read: impl Future<Output = Result<T, Status>> + Send + 'static,
    ) -> Result<T, Status> {
        let turn = self.queue.wait_for_turn(&reader.asker).await;
        self.run_with_turn(turn, read).await
    }

    async fn run_with_turn<T: Send + 'static>(
        &self,
        turn: Turn,
        read: impl Future<Output = Result<T, Status>> + Send + 'static,
    ) -> Result<T, Status> {
        let reads = self.clone();
        offload_to_thread(self.arena.environment(), async move {
            let _reading = RunningRead { turn: Some(turn), reads, began: Instant::now() };
            read.await
        })
        .await
    }

    /// Returns for how long a turn rests after a read.
    fn rest_time_after(&self, took: Duration) -> Duration {
        if self.arena.open_match_count() == 0 {
            return Duration::ZERO;
        }
        let mut owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner);
        *owed = (*owed + took * REST_RATIO).min(LONGEST_REST);
        if *owed < SHORTEST_REST { Duration::ZERO } else { std::mem::take(&mut *owed) }
    }
}

/// Lets a feed read what was there before it, until this is dropped.
#[derive(Debug)]
#[must_use = "the next feed may read when it is dropped"]
pub struct FeedStart {
    _turn: Turn,
}

/// A read on its way. However it ends, its turn rests before it is over.
#[derive(Debug)]
struct RunningRead {
    turn: Option<Turn>,
    reads: ReadScheduler,
    began: Instant,
}

impl Drop for RunningRead {
    fn drop(&mut self) {
        let (turn, rest) = (self.turn.take(), self.reads.rest_time_after(self.began.elapsed()));
        if rest > Duration::ZERO {
            tokio::spawn(async move {
                sleep(rest).await;
                drop(turn);
            });
        }
    }
}

/// Takes a place, or says after a while that there is none.
async fn acquire_place(
    places: &Arc<SharedQuota<Caller>>,
    reader: &WaitingCaller,
    too_many: fn() -> String,
) -> Result<Permit, Status> {
    let place = Permit::acquire(places, &reader.asker, "TOO_MANY_READS", too_many, FULL);
    if place.is_err() {
        sleep(REFUSAL_DELAY).await;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::super::scheduling::CallerConnection;
    use super::*;
    use lastnim_arena::{Backend, Limits};
    use lastnim_core::game::{BotName, Piles};
    use lastnim_core::referee::MatchSetup;
    use std::sync::mpsc;
    use std::thread;
    use tokio::task::JoinSet;
    use tonic_types::StatusExt as _;

    async fn reads() -> ReadScheduler {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        ReadScheduler::new(
            arena.clone(),
            Access::tokens_only(arena, crate::LoginLimits::new(1, Duration::ZERO).into()),
            1,
        )
    }

    fn by(name: &str) -> WaitingCaller {
        let caller = Caller::Bot(name.parse().unwrap());
        WaitingCaller { asker: CallerConnection { caller, source: None }, wanted_by: None }
    }

    fn told(status: &Status) -> (Code, String) {
        (status.code(), status.get_details_error_info().unwrap().reason)
    }

    async fn until(settled: impl Fn() -> bool) {
        let looking = async {
            while !settled() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(20), looking).await.expect("it is settled soon");
    }

    #[tokio::test]
    async fn a_read_leaves_the_threads_that_carry_messages_alone() {
        let reads = reads().await;
        let here = thread::current().id();
        let elsewhere = reads.run_read(&by("one"), async move { Ok(thread::current().id()) }).await.unwrap();
        assert_ne!(here, elsewhere);
    }

    #[tokio::test]
    async fn nobody_waits_behind_all_that_another_reads() {
        let reads = reads().await;
        let (end, ended) = mpsc::channel::<()>();
        let mut reading = JoinSet::new();
        let busy = reads.clone();
        reading
            .spawn(async move { busy.run_read(&by("busy"), async move { Ok(ended.recv().is_ok()) }).await });
        until(|| reads.queue.free_turns() == 0).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        for name in ["busy"; 20].into_iter().chain(["other"]) {
            let (reads, order) = (reads.clone(), Arc::clone(&order));
            let before = reads.places.used();
            let places = Arc::clone(&reads.places);
            reading.spawn(async move {
                let read = async move {
                    order.lock().unwrap().push(name);
                    Ok(true)
                };
                reads.run_read(&by(name), read).await
            });
            until(|| places.used() > before).await;
        }
        end.send(()).unwrap();
        assert!(reading.join_all().await.into_iter().all(Result::unwrap));
        assert_eq!(order.lock().unwrap().iter().position(|name| *name == "other"), Some(0));
    }

    #[tokio::test]
    async fn a_read_is_given_up_when_its_caller_has_left() {
        let reads = reads().await;
        let busy = reads.clone();
        let never = std::future::pending::<Result<(), Status>>();
        let call = tokio::spawn(async move { busy.run_read(&by("busy"), never).await });
        until(|| reads.queue.free_turns() == 0).await;
        call.abort();
        until(|| reads.queue.free_turns() == 1 && reads.places.used() == 0).await;
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_reads_too_much_at_once_is_told_so_after_a_while() {
        let reads = reads().await;
        let turn = reads.queue.wait_for_turn(&by("first").asker).await;
        let mut reading = JoinSet::new();
        for _ in 0..READS_OF_CALLER {
            let reads = reads.clone();
            reading.spawn(async move { reads.run_read(&by("greedy"), async { Ok(()) }).await });
        }
        until(|| reads.places.used() == READS_OF_CALLER).await;
        let began = Instant::now();
        let refused = reads.run_read(&by("greedy"), async { Ok(()) }).await.unwrap_err();
        assert_eq!(told(&refused), (Code::ResourceExhausted, "TOO_MANY_READS".into()));
        assert!(refused.message().contains("256") && refused.get_details_retry_info().is_some());
        assert!(began.elapsed() >= REFUSAL_DELAY, "to ask again at once does not pay");
        // Those that wait are refused when they have waited long enough.
        let refused = reading.join_next().await.unwrap().unwrap().unwrap_err();
        assert_eq!(told(&refused), (Code::ResourceExhausted, "FULL".into()));
        assert!(began.elapsed() < PATIENCE + REFUSAL_DELAY);
        drop(turn);
    }

    #[tokio::test(start_paused = true)]
    async fn the_turns_rest_while_matches_are_played() {
        let reads = reads().await;
        let busy = || async {
            tokio::time::advance(SHORTEST_REST).await;
            Ok(())
        };
        reads.run_read(&by("one"), busy()).await.unwrap();
        assert_eq!(reads.queue.free_turns(), 1, "nobody plays");
        let bots: [BotName; 2] = ["one", "two"].map(|name| name.parse().unwrap());
        for bot in &bots {
            reads.arena.register_bot(bot.clone()).await.unwrap();
        }
        let setup = MatchSetup::new(Vec::from(bots).try_into().unwrap(), Piles::parse(&[3]).unwrap());
        reads.arena.create_match(setup).await.unwrap();
        reads.run_read(&by("one"), busy()).await.unwrap();
        assert_eq!(reads.queue.free_turns(), 0, "the turn rests");
        reads.run_read(&by("two"), async { Ok(()) }).await.unwrap();
    }

    #[tokio::test]
    async fn a_read_that_breaks_down_gives_its_turn_back() {
        let reads = reads().await;
        let broken = async {
            assert!(thread::panicking(), "on purpose");
            Ok(())
        };
        let refused = reads.run_read(&by("unlucky"), broken).await.unwrap_err();
        assert_eq!(told(&refused), (Code::Internal, "BROKEN".into()));
        assert_eq!((reads.queue.free_turns(), reads.places.used()), (1, 0));
    }
}
