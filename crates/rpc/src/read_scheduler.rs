//! Schedules reads of lists, records and standings: limits the reads of each caller, grants turns, and pauses between
//! reads to leave time for the matches.

use super::access::Access;
use super::scheduling::{Caller, Permit, RequestQueue, SharedQuota, Turn, WaitingCaller, offload_to_thread};
use super::status::retry_status;
use lastnim_arena::Arena;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Request, Status};

/// The limit on reads per caller, including waiting ones.
const MAX_READS_PER_CALLER: usize = 256;
/// The limit on reads by all callers together.
const MAX_READS: usize = 8_192;
/// The limit on cross-tables that one caller may wait for at the same time.
const MAX_CROSS_TABLES_PER_CALLER: usize = 4;
/// The limit on cross-tables that all callers together may wait for at the same time.
const MAX_CROSS_TABLES: usize = 64;
/// The limit on manifests that one caller may fetch at the same time.
const MAX_MANIFESTS_PER_CALLER: usize = 4;
/// The limit on manifests that all callers together may fetch at the same time.
const MAX_MANIFESTS: usize = 64;
/// The maximum number of feeds that read past events at the same time, since the events of a long match take a lot of
/// memory.
const MAX_STARTING_FEEDS: usize = 4;
/// How long a read may wait for its turn.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);
/// The delay before a caller gets the error that it reads too much. Without it, immediate retries would cost more than
/// the reads themselves.
const REFUSAL_DELAY: Duration = Duration::from_secs(1);
/// The message for a caller whose read got no turn.
const BUSY_MESSAGE: &str = "the server is busy with reads: try again later";
/// While matches are played, a turn pauses after each read for this multiple of the read's duration.
const REST_RATIO: u32 = 2;
/// The shortest pause. Shorter ones are added up until they are this long, since the runtime sleeps for whole
/// milliseconds.
const MIN_REST: Duration = Duration::from_millis(2);
/// The longest pause.
const MAX_REST: Duration = Duration::from_secs(1);

/// Runs reads for callers in turn.
///
/// Reads do not run on the threads that handle messages. While matches are played, turns pause after each read, so that
/// the matches get the CPU.
#[derive(Debug, Clone)]
pub struct ReadScheduler {
    arena: Arena,
    access: Access,
    places: Arc<SharedQuota<Caller>>,
    cross_tables: Arc<SharedQuota<Caller>>,
    manifests: Arc<SharedQuota<Caller>>,
    queue: Arc<RequestQueue>,
    starting_feeds: Arc<RequestQueue>,
    /// The sum of the pauses that were too short to take.
    owed_rest: Arc<Mutex<Duration>>,
}

impl ReadScheduler {
    /// Creates a scheduler that runs `max_concurrent` reads at the same time.
    pub fn new(arena: Arena, access: Access, max_concurrent: usize) -> Self {
        let places = SharedQuota::new(MAX_READS_PER_CALLER, MAX_READS);
        let cross_tables = SharedQuota::new(MAX_CROSS_TABLES_PER_CALLER, MAX_CROSS_TABLES);
        let manifests = SharedQuota::new(MAX_MANIFESTS_PER_CALLER, MAX_MANIFESTS);
        let queue = Arc::new(RequestQueue::new(max_concurrent));
        let starting_feeds = Arc::new(RequestQueue::new(MAX_STARTING_FEEDS));
        Self {
            arena,
            access,
            places,
            cross_tables,
            manifests,
            queue,
            starting_feeds,
            owed_rest: Arc::default(),
        }
    }

    /// Admits a caller that may read.
    pub(super) fn admit<T>(&self, request: &Request<T>) -> Result<WaitingCaller, Status> {
        Ok(WaitingCaller::of_request(request, self.access.require_viewer(request)?))
    }

    /// Runs a read when the caller's turn comes, unless a limit is reached or the caller waits too long. The read is
    /// stopped when the caller leaves.
    pub(super) async fn run_read<T: Send + 'static>(
        &self,
        reader: &WaitingCaller,
        read: impl Future<Output = Result<T, Status>> + Send + 'static,
    ) -> Result<T, Status> {
        let too_many =
            || format!("this caller is already waiting for {MAX_READS_PER_CALLER} reads: send fewer at once");
        let _place = acquire_place(&self.places, reader, too_many).await?;
        let turn = timeout(reader.time_left(QUEUE_TIMEOUT), self.queue.wait_for_turn(&reader.asker)).await;
        let turn = turn.map_err(|_| retry_status(Code::ResourceExhausted, "FULL", BUSY_MESSAGE))?;
        self.run_with_turn(turn, read).await
    }

    /// Runs slow work for a caller when its turn comes.
    ///
    /// # Errors
    /// If the caller may not read, has reached a limit, or waits too long.
    pub async fn run_slow_work<T: Send + 'static>(
        &self,
        request: &Request<()>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Status> {
        let reader = self.admit(request)?;
        self.run_read(&reader, async move { Ok(work()) }).await
    }

    /// Waits until a feed may read past events. Callers take turns, so that no caller waits for all feeds of another.
    ///
    /// # Errors
    /// If the caller may not read.
    pub async fn wait_to_start_feed(&self, request: &Request<()>) -> Result<FeedStart, Status> {
        let reader = self.admit(request)?;
        Ok(FeedStart { _turn: self.starting_feeds.wait_for_turn(&reader.asker).await })
    }

    /// Admits a caller that wants to wait for a cross-table, unless a limit is reached.
    pub(super) async fn admit_cross_table(&self, reader: &WaitingCaller) -> Result<Permit, Status> {
        let busy_message = || {
            format!(
                "this caller is already waiting for {MAX_CROSS_TABLES_PER_CALLER} cross-tables: wait until one is done"
            )
        };
        acquire_place(&self.cross_tables, reader, busy_message).await
    }

    /// Admits a caller that wants to fetch a manifest, unless a limit is reached.
    pub(super) async fn admit_manifest(&self, reader: &WaitingCaller) -> Result<Permit, Status> {
        let busy_message = || {
            format!(
                "this caller is already fetching {MAX_MANIFESTS_PER_CALLER} manifests: wait until one is done"
            )
        };
        acquire_place(&self.manifests, reader, busy_message).await
    }

    /// Runs a read for a caller that has already been admitted, such as a watcher. There is no limit on how long the
    /// read waits for its turn.
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

    /// Returns how long a turn pauses after a read. A pause that is too short to take is added to the next one.
    fn rest_time_after(&self, took: Duration) -> Duration {
        if self.arena.open_match_count() == 0 {
            return Duration::ZERO;
        }
        let mut owed_rest = self.owed_rest.lock().unwrap_or_else(PoisonError::into_inner);
        *owed_rest = (*owed_rest + took * REST_RATIO).min(MAX_REST);
        if *owed_rest < MIN_REST { Duration::ZERO } else { std::mem::take(&mut *owed_rest) }
    }
}

/// Permits a feed to read past events until dropped.
#[derive(Debug)]
#[must_use = "dropping it lets the next feed read"]
pub struct FeedStart {
    _turn: Turn,
}

/// A running read. When it ends for any reason, its turn pauses before it is released.
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

/// Takes a place, or fails after a delay if all are taken.
async fn acquire_place(
    places: &Arc<SharedQuota<Caller>>,
    reader: &WaitingCaller,
    too_many: fn() -> String,
) -> Result<Permit, Status> {
    let place = Permit::acquire(places, &reader.asker, "TOO_MANY_READS", too_many, BUSY_MESSAGE);
    if place.is_err() {
        sleep(REFUSAL_DELAY).await;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::super::scheduling::CallerConnection;
    use super::*;
    use lastnim_arena::{Backend, Limits, Principal};
    use lastnim_core::game::{BotName, Piles};
    use lastnim_core::referee::MatchSetup;
    use std::net::SocketAddr;
    use std::sync::mpsc;
    use std::{iter, thread};
    use tokio::task::JoinSet;
    use tonic::transport::server::TcpConnectInfo;
    use tonic_types::StatusExt as _;

    async fn new_read_scheduler() -> ReadScheduler {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        ReadScheduler::new(
            arena.clone(),
            Access::tokens_only(arena, crate::LoginLimits::new(1, Duration::ZERO).into()),
            1,
        )
    }

    fn waiting_bot(name: &str) -> WaitingCaller {
        let caller = Caller::Bot(name.parse().unwrap());
        WaitingCaller { asker: CallerConnection { caller, source: None }, deadline: None }
    }

    fn code_and_reason(status: &Status) -> (Code, String) {
        (status.code(), status.get_details_error_info().unwrap().reason)
    }

    async fn wait_until(settled: impl Fn() -> bool) {
        let looking = async {
            while !settled() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(20), looking).await.expect("it settles soon");
    }

    #[tokio::test]
    async fn reads_run_on_separate_threads() {
        let reads = new_read_scheduler().await;
        let here = thread::current().id();
        let elsewhere =
            reads.run_read(&waiting_bot("one"), async move { Ok(thread::current().id()) }).await.unwrap();
        assert_ne!(here, elsewhere);
    }

    /// Returns a caller whose connection has this port at an address that all these callers share.
    fn caller_at(port: u16, principal: Option<Principal>) -> WaitingCaller {
        let mut request = Request::new(());
        let remote_addr = Some(SocketAddr::from(([192, 0, 2, 1], port)));
        request.extensions_mut().insert(TcpConnectInfo { local_addr: None, remote_addr });
        WaitingCaller::of_request(&request, principal)
    }

    /// Queues 128 reads of one caller behind a read of the same caller that has the only turn, and then a read of each of
    /// the others. Returns the places of the others in the order in which the reads are carried out.
    async fn places_behind(busy: WaitingCaller, others: &[WaitingCaller]) -> Vec<usize> {
        const QUEUED: usize = 128;
        let reads = new_read_scheduler().await;
        let (end, ended) = mpsc::channel::<()>();
        let mut reading = JoinSet::new();
        let (first, caller) = (reads.clone(), busy.clone());
        reading.spawn(async move { first.run_read(&caller, async move { Ok(ended.recv().is_ok()) }).await });
        wait_until(|| reads.queue.free_turn_count() == 0).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        let queued = iter::repeat_n(&busy, QUEUED).chain(others).cloned();
        for (number, caller) in queued.enumerate() {
            let (own, order) = (reads.clone(), Arc::clone(&order));
            reading.spawn(async move {
                let read = async move {
                    order.lock().unwrap().push(number);
                    Ok(true)
                };
                own.run_read(&caller, read).await
            });
            wait_until(|| reads.places.used() == number + 2).await;
        }
        end.send(()).unwrap();
        assert!(reading.join_all().await.into_iter().all(Result::unwrap));
        let order = order.lock().unwrap();
        (QUEUED..order.len()).map(|other| order.iter().position(|&number| number == other).unwrap()).collect()
    }

    #[tokio::test]
    async fn callers_take_turns_reading() {
        assert_eq!(places_behind(waiting_bot("busy"), &[waiting_bot("other")]).await, [0]);
    }

    #[tokio::test]
    async fn a_greedy_connection_does_not_delay_others_at_its_address() {
        let others = [caller_at(2, None), caller_at(2, Some(Principal::Admin))];
        let places = places_behind(caller_at(1, None), &others).await;
        assert!(places.iter().all(|&place| place < 3), "{places:?}");
    }

    #[tokio::test]
    async fn a_read_is_abandoned_when_its_caller_leaves() {
        let reads = new_read_scheduler().await;
        let busy = reads.clone();
        let never = std::future::pending::<Result<(), Status>>();
        let call = tokio::spawn(async move { busy.run_read(&waiting_bot("busy"), never).await });
        wait_until(|| reads.queue.free_turn_count() == 0).await;
        call.abort();
        wait_until(|| reads.queue.free_turn_count() == 1 && reads.places.used() == 0).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_reads_too_much_is_rejected_after_a_delay() {
        let reads = new_read_scheduler().await;
        let turn = reads.queue.wait_for_turn(&waiting_bot("first").asker).await;
        let mut reading = JoinSet::new();
        for _ in 0..MAX_READS_PER_CALLER {
            let reads = reads.clone();
            reading.spawn(async move { reads.run_read(&waiting_bot("greedy"), async { Ok(()) }).await });
        }
        wait_until(|| reads.places.used() == MAX_READS_PER_CALLER).await;
        let began = Instant::now();
        let refused = reads.run_read(&waiting_bot("greedy"), async { Ok(()) }).await.unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::ResourceExhausted, "TOO_MANY_READS".into()));
        assert!(refused.message().contains("256") && refused.get_details_retry_info().is_some());
        assert!(
            began.elapsed() >= REFUSAL_DELAY,
            "a refusal is delayed, so that immediate retries gain nothing"
        );
        // In this test, waiting reads are rejected after their maximum wait.
        let refused = reading.join_next().await.unwrap().unwrap().unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::ResourceExhausted, "FULL".into()));
        assert!(began.elapsed() < QUEUE_TIMEOUT + REFUSAL_DELAY);
        drop(turn);
    }

    #[tokio::test(start_paused = true)]
    async fn read_turns_pause_while_matches_are_played() {
        let reads = new_read_scheduler().await;
        let busy = || async {
            tokio::time::advance(MIN_REST).await;
            Ok(())
        };
        reads.run_read(&waiting_bot("one"), busy()).await.unwrap();
        assert_eq!(reads.queue.free_turn_count(), 1, "no match is played");
        let bots: [BotName; 2] = ["one", "two"].map(|name| name.parse().unwrap());
        for bot in &bots {
            reads.arena.register_bot(bot.clone()).await.unwrap();
        }
        let setup = MatchSetup::new(Vec::from(bots).try_into().unwrap(), Piles::parse(&[3]).unwrap());
        reads.arena.create_match(setup).await.unwrap();
        reads.run_read(&waiting_bot("one"), busy()).await.unwrap();
        assert_eq!(reads.queue.free_turn_count(), 0, "the turn pauses after the read");
        reads.run_read(&waiting_bot("two"), async { Ok(()) }).await.unwrap();
    }

    #[tokio::test]
    async fn a_read_that_panics_releases_its_turn() {
        let reads = new_read_scheduler().await;
        let broken = async {
            assert!(thread::panicking(), "on purpose");
            Ok(())
        };
        let refused = reads.run_read(&waiting_bot("unlucky"), broken).await.unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::Internal, "BROKEN".into()));
        assert_eq!((reads.queue.free_turn_count(), reads.places.used()), (1, 0));
    }
}
