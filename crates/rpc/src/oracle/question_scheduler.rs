//! Decides when each question is answered, and stops those that take too long.

use crate::access::Access;
use crate::scheduling::{Caller, CallerConnection, Permit, RequestQueue, SharedQuota, Turn, WaitingCaller};
use crate::status::{arena_status, refusal_status, retry_status, violations_status};
use lastnim_arena::{Arena, ArenaError};
use lastnim_core::oracle::{Budget, HaltReason};
use lastnim_proto::Violations;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tonic::{Code, Request, Status};

/// The limit on questions per caller, including waiting ones.
const MAX_QUESTIONS_PER_CALLER: usize = 16;
/// The limit on questions of all callers together, since each question may hold a request in memory.
const MAX_QUESTIONS: usize = 64;
/// How long a question may wait for its turn.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the server may work on a question, excluding its time in the queue.
pub(super) const MAX_QUESTION_TIME: Duration = Duration::from_secs(10);
/// How long the server works on a question before it yields to another waiting caller with fewer turns.
const TIME_SLICE: Duration = Duration::from_millis(100);
/// The message for a caller whose question got no turn.
const BUSY_MESSAGE: &str = "the oracle is busy: try again later";

/// Answers the questions of all callers in turn.
#[derive(Debug, Clone)]
pub(super) struct QuestionScheduler {
    arena: Arena,
    access: Access,
    questions: Arc<SharedQuota<Caller>>,
    quick_queue: Arc<RequestQueue>,
    long_queue: Arc<RequestQueue>,
    /// The number of questions begun so far.
    begun_questions: Arc<AtomicU64>,
}

/// Computes the answer to a question and sends it.
type QuestionWork = Box<dyn FnOnce(&mut Budget<'_>) + Send>;

/// How much work a question needs. Each kind has its own queue, so that quick questions do not wait for long ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionEffort {
    /// The work is linear in the size of the request and takes some milliseconds.
    Quick,
    /// The work may be far larger than the request.
    Long,
}

/// Why a question was not answered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QuestionError {
    /// The question is invalid.
    #[error(transparent)]
    Refused(#[from] Violations),
    /// The answer took too long; the text says how far the work got.
    #[error("{0}")]
    TooLong(String),
    /// The answer needs too much memory; the text says which limit was reached.
    #[error("{0}")]
    TooLarge(String),
}

impl From<HaltReason> for QuestionError {
    fn from(halt: HaltReason) -> Self {
        Self::TooLong(halt.to_string())
    }
}

impl QuestionError {
    fn status(&self) -> Status {
        match self {
            Self::Refused(violations) => violations_status(violations),
            Self::TooLong(how_far) => too_long_status(Some(MAX_QUESTION_TIME), how_far),
            // A retry cannot help, so the status has no RetryInfo.
            Self::TooLarge(bound) => refusal_status(Code::ResourceExhausted, "TOO_LARGE", bound),
        }
    }
}

/// A question that is being answered.
struct RunningQuestion {
    turn: Turn,
    deadline: Option<Instant>,
    /// Refers to a guard that the call holds while it waits for the answer.
    waiting_call: Weak<()>,
    /// The time at which the work is stopped.
    ends_at: Instant,
    /// The time from which the turn may be lent to another caller for a while.
    slice_ends_at: Instant,
}

impl RunningQuestion {
    fn begin(turn: Turn, deadline: Option<Instant>, waiting_call: Weak<()>) -> Self {
        let now = Instant::now();
        Self {
            turn,
            deadline,
            waiting_call,
            ends_at: now + MAX_QUESTION_TIME,
            slice_ends_at: now + TIME_SLICE,
        }
    }

    /// Returns whether to continue. It may first wait while other callers have the turn; this wait does not count as
    /// working time.
    fn may_continue(&mut self) -> bool {
        let Self { turn, deadline, waiting_call, .. } = self;
        let is_wanted = |now| waiting_call.strong_count() > 0 && deadline.is_none_or(|by| now < by);
        let now = Instant::now();
        if !is_wanted(now) || now >= self.ends_at {
            return false;
        }
        if now < self.slice_ends_at {
            return true;
        }
        let is_back = turn.yield_and_wait(|| is_wanted(Instant::now()));
        let then = Instant::now();
        self.ends_at += then - now;
        self.slice_ends_at = then + TIME_SLICE;
        is_back
    }
}

impl QuestionScheduler {
    /// Creates a scheduler that answers `max_concurrent` questions of each [`QuestionEffort`] at the same time.
    pub(super) fn new(arena: Arena, access: Access, max_concurrent: usize) -> Self {
        let questions = SharedQuota::new(MAX_QUESTIONS_PER_CALLER, MAX_QUESTIONS);
        let queue = || Arc::new(RequestQueue::new(max_concurrent));
        Self {
            arena,
            access,
            questions,
            quick_queue: queue(),
            long_queue: queue(),
            begun_questions: Arc::default(),
        }
    }

    /// Admits a caller that may read, unless a tournament closes the oracle to it.
    pub(super) fn admit<T>(&self, request: &Request<T>) -> Result<WaitingCaller, Status> {
        let asked = WaitingCaller::of_request(request, self.access.require_viewer(request)?);
        self.check_open(&asked.asker)?;
        Ok(asked)
    }

    /// Rejects a caller to which a tournament closes the oracle.
    fn check_open(&self, asker: &CallerConnection) -> Result<(), Status> {
        self.arena.check_oracle_open(asker.caller.principal().as_ref()).map_err(arena_status)
    }

    /// Answers a question, unless a limit is reached, it takes too long, or the server stops. The work is stopped when
    /// the caller leaves.
    pub(super) async fn answer_question<T: Send + 'static>(
        &self,
        asked: WaitingCaller,
        effort: QuestionEffort,
        question: impl FnOnce(&mut Budget<'_>) -> Result<T, QuestionError> + Send + 'static,
    ) -> Result<T, Status> {
        let busy_message = || {
            format!(
                "this caller is already waiting for {MAX_QUESTIONS_PER_CALLER} answers: ask fewer questions at once"
            )
        };
        let place =
            Permit::acquire(&self.questions, &asked.asker, "TOO_MANY_QUESTIONS", busy_message, BUSY_MESSAGE)?;
        let place = Arc::new(place);
        let answering = async {
            let turn = timeout(asked.time_left(QUEUE_TIMEOUT), self.wait_for_turn(&asked.asker, effort));
            let turn = turn.await.map_err(|_| no_turn_status(asked.deadline))?;
            self.run_question(&place, turn, asked.deadline, question).await
        };
        tokio::select! {
            answer = answering => answer,
            () = self.arena.wait_until_stopped() => Err(stopping_status()),
        }
    }

    /// Answers a part of a long request when its turn comes. The part has no deadline; the caller of this function
    /// enforces the one of the whole call.
    pub(super) async fn answer_part<T: Send + 'static>(
        &self,
        place: &Arc<Permit>,
        effort: QuestionEffort,
        question: impl FnOnce(&mut Budget<'_>) -> Result<T, QuestionError> + Send + 'static,
    ) -> Result<T, Status> {
        let turn = self.wait_for_turn(place.holder(), effort).await;
        self.run_question(place, turn, None, question).await
    }

    async fn wait_for_turn(&self, asker: &CallerConnection, effort: QuestionEffort) -> Turn {
        let queue = match effort {
            QuestionEffort::Quick => &self.quick_queue,
            QuestionEffort::Long => &self.long_queue,
        };
        queue.wait_for_turn(asker).await
    }

    async fn run_question<T: Send + 'static>(
        &self,
        place: &Arc<Permit>,
        turn: Turn,
        deadline: Option<Instant>,
        question: impl FnOnce(&mut Budget<'_>) -> Result<T, QuestionError> + Send + 'static,
    ) -> Result<T, Status> {
        let (answer, answered) = oneshot::channel();
        let work = Box::new(move |budget: &mut Budget<'_>| {
            // An error is ignored: the caller may have left.
            let _ = answer.send(question(budget));
        });
        self.run_work(place, turn, deadline, work).await?;
        let answer = answered.await.expect("finished work has sent its answer");
        answer.map_err(|unanswered| unanswered.status())
    }

    /// Runs the work on another thread while the caller waits. The permit and the turn are held until the work has
    /// really ended, even if the caller leaves before that. Checks again whether the oracle is open to the caller,
    /// since a tournament may have begun in the meantime.
    async fn run_work(
        &self,
        place: &Arc<Permit>,
        turn: Turn,
        deadline: Option<Instant>,
        work: QuestionWork,
    ) -> Result<(), Status> {
        self.check_open(place.holder())?;
        self.begun_questions.fetch_add(1, Ordering::Relaxed);
        // This guard is dropped as soon as the caller leaves.
        let this_call = Arc::new(());
        let waiting_call = Arc::downgrade(&this_call);
        let place = Arc::clone(place);
        let working = tokio::task::spawn_blocking(move || {
            let running = RefCell::new(RunningQuestion::begin(turn, deadline, waiting_call));
            let is_wanted = || running.borrow_mut().may_continue();
            work(&mut Budget::interruptible(u64::MAX, &is_wanted));
            drop((running, place));
        });
        working.await.map_err(|error| {
            tracing::error!(%error, "the oracle panicked");
            refusal_status(
                Code::Internal,
                "ORACLE",
                "the oracle failed on this question: see the server's log",
            )
        })
    }

    /// Returns how many questions were begun so far, and how many are waiting or running.
    pub(super) fn question_counts(&self) -> (u64, usize) {
        (self.begun_questions.load(Ordering::Relaxed), self.questions.used())
    }

    pub(super) async fn wait_until_stopped(&self) {
        self.arena.wait_until_stopped().await;
    }
}

/// Returns the status of a question that got no turn, because its deadline has passed or there were too many others.
fn no_turn_status(deadline: Option<Instant>) -> Status {
    match deadline {
        Some(by) if by <= Instant::now() => {
            too_long_status(None, "the question was still waiting for its turn")
        }
        _ => retry_status(Code::ResourceExhausted, "FULL", BUSY_MESSAGE),
    }
}

/// Returns the status of work that took too long: until the call's deadline, or for the time `limit` if there is one.
pub(super) fn too_long_status(limit: Option<Duration>, how_far: &str) -> Status {
    let limit =
        limit.map_or_else(String::new, |limit| format!("the time limit of {} s or ", limit.as_secs()));
    let message = format!("{limit}the call's deadline was reached: {how_far}");
    refusal_status(Code::DeadlineExceeded, "TOO_LONG", &message)
}

/// Returns the status of work that was stopped because the server stops.
pub(super) fn stopping_status() -> Status {
    arena_status(ArenaError::Stopping)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_arena::{Backend, Limits};
    use std::sync::mpsc;
    use tokio::task::JoinSet;
    use tonic_types::StatusExt as _;

    async fn new_scheduler(max_concurrent: usize) -> QuestionScheduler {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        QuestionScheduler::new(
            arena.clone(),
            Access::tokens_only(arena, crate::LoginLimits::new(1, Duration::ZERO).into()),
            max_concurrent,
        )
    }

    fn waiting_bot(name: &str) -> WaitingCaller {
        let caller = Caller::Bot(name.parse().unwrap());
        WaitingCaller { asker: CallerConnection { caller, source: None }, deadline: None }
    }

    /// Runs until it is stopped.
    fn spend_forever(budget: &mut Budget<'_>) -> Result<(), QuestionError> {
        loop {
            budget.spend(1)?;
        }
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
    async fn only_questions_beyond_the_limit_are_rejected() {
        let scheduler = new_scheduler(1).await;
        let (answer, hard) = mpsc::channel::<()>();
        let mut asked = JoinSet::new();
        let busy = scheduler.clone();
        asked.spawn(async move {
            busy.answer_question(waiting_bot("busy"), QuestionEffort::Quick, move |_| Ok(hard.recv().is_ok()))
                .await
        });
        wait_until(|| scheduler.quick_queue.free_turn_count() == 0).await;
        for (already, caller) in (1..).zip(["busy", "two", "three", "four"]) {
            let waiting =
                if caller == "busy" { MAX_QUESTIONS_PER_CALLER - 1 } else { MAX_QUESTIONS_PER_CALLER };
            for _ in 0..waiting {
                let patient = scheduler.clone();
                asked.spawn(async move {
                    patient.answer_question(waiting_bot(caller), QuestionEffort::Quick, |_| Ok(true)).await
                });
            }
            wait_until(|| scheduler.questions.used() == already * MAX_QUESTIONS_PER_CALLER).await;
            let refused = scheduler
                .answer_question(waiting_bot(caller), QuestionEffort::Quick, |_| Ok(true))
                .await
                .unwrap_err();
            assert_eq!(code_and_reason(&refused), (Code::ResourceExhausted, "TOO_MANY_QUESTIONS".into()));
            assert!(refused.get_details_retry_info().is_some_and(|info| info.retry_delay.is_some()));
        }
        let refused = scheduler
            .answer_question(waiting_bot("five"), QuestionEffort::Quick, |_| Ok(true))
            .await
            .unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::ResourceExhausted, "FULL".into()));
        assert!(refused.get_details_retry_info().is_some());
        answer.send(()).unwrap();
        let answers = asked.join_all().await;
        assert_eq!(answers.len(), MAX_QUESTIONS);
        assert!(answers.iter().all(|answer| *answer.as_ref().unwrap()), "those that wait are answered");
        assert_eq!((scheduler.questions.used(), scheduler.quick_queue.free_turn_count()), (0, 1));
        assert!(
            scheduler
                .answer_question(waiting_bot("five"), QuestionEffort::Quick, |_| Ok(true))
                .await
                .unwrap()
        );
    }

    #[tokio::test]
    async fn a_question_is_stopped_when_its_caller_has_left() {
        let scheduler = new_scheduler(2).await;
        let busy = scheduler.clone();
        let call = tokio::spawn(async move {
            busy.answer_question(waiting_bot("busy"), QuestionEffort::Long, spend_forever).await
        });
        wait_until(|| scheduler.long_queue.free_turn_count() == 1).await;
        assert!(
            scheduler
                .answer_question(waiting_bot("busy"), QuestionEffort::Quick, |_| Ok(true))
                .await
                .unwrap(),
            "quick questions have their own queue"
        );
        call.abort();
        wait_until(|| scheduler.long_queue.free_turn_count() == 2 && scheduler.questions.used() == 0).await;
    }

    #[tokio::test]
    async fn a_question_is_stopped_at_its_deadline() {
        let scheduler = new_scheduler(1).await;
        let soon = Instant::now() + Duration::from_millis(20);
        let hurried = WaitingCaller { deadline: Some(soon), ..waiting_bot("hurried") };
        let refused =
            scheduler.answer_question(hurried, QuestionEffort::Long, spend_forever).await.unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::DeadlineExceeded, "TOO_LONG".into()));
        assert!((soon..soon + MAX_QUESTION_TIME / 2).contains(&Instant::now()));
    }

    #[tokio::test]
    async fn the_error_of_a_late_turn_blames_the_deadline_or_the_queue() {
        let scheduler = new_scheduler(1).await;
        let (answer, hard) = mpsc::channel::<()>();
        let busy = scheduler.clone();
        let call = tokio::spawn(async move {
            busy.answer_question(waiting_bot("busy"), QuestionEffort::Quick, move |_| Ok(hard.recv().is_ok()))
                .await
        });
        wait_until(|| scheduler.quick_queue.free_turn_count() == 0).await;
        let soon = Instant::now() + Duration::from_millis(20);
        let hurried = WaitingCaller { deadline: Some(soon), ..waiting_bot("hurried") };
        let refused =
            scheduler.answer_question(hurried, QuestionEffort::Quick, |_| Ok(true)).await.unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::DeadlineExceeded, "TOO_LONG".into()));
        // The paused clock of the test advances by itself, except while a question is being answered.
        tokio::time::pause();
        let waiting = scheduler.answer_question(waiting_bot("patient"), QuestionEffort::Quick, |_| Ok(true));
        let (refused, ()) =
            tokio::join!(waiting, tokio::time::advance(QUEUE_TIMEOUT + Duration::from_millis(1)));
        let refused = refused.unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::ResourceExhausted, "FULL".into()));
        answer.send(()).unwrap();
        assert!(call.await.unwrap().unwrap());
        assert_eq!((scheduler.questions.used(), scheduler.quick_queue.free_turn_count()), (0, 1));
    }

    #[tokio::test]
    async fn a_stopping_server_stops_its_questions() {
        let scheduler = new_scheduler(1).await;
        let busy = scheduler.clone();
        let call = tokio::spawn(async move {
            busy.answer_question(waiting_bot("busy"), QuestionEffort::Long, spend_forever).await
        });
        wait_until(|| scheduler.long_queue.free_turn_count() == 0).await;
        scheduler.arena.stop(Duration::ZERO).await;
        assert_eq!(
            code_and_reason(&call.await.unwrap().unwrap_err()),
            (Code::Unavailable, "STOPPING".into())
        );
        wait_until(|| scheduler.long_queue.free_turn_count() == 1).await;
    }

    #[tokio::test]
    async fn a_question_that_panics_releases_its_turn() {
        let scheduler = new_scheduler(1).await;
        let broken: fn(&mut Budget<'_>) -> Result<(), QuestionError> = |_| panic!("on purpose");
        let refused = scheduler
            .answer_question(waiting_bot("unlucky"), QuestionEffort::Quick, broken)
            .await
            .unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::Internal, "ORACLE".into()));
        assert_eq!((scheduler.questions.used(), scheduler.quick_queue.free_turn_count()), (0, 1));
    }
}
