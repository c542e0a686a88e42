//! A question from its asking to its answer, or until it is given up.

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

/// The most questions of one caller at once, answered or waiting.
const QUESTIONS_OF_CALLER: usize = 16;
/// The most questions at once of all callers together. Each may hold a request in memory.
const QUESTIONS: usize = 64;
/// The longest that a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest that a question is worked on, its time in the queue not counted.
pub(super) const LONGEST: Duration = Duration::from_secs(10);
/// How long a question is worked on before it lends its turn to another caller that waits and has fewer.
const SLICE: Duration = Duration::from_millis(100);
/// What a caller is told that has no turn.
const FULL: &str = "the oracle has more questions than it can answer: try again later";

/// Answers questions, each when its turn has come.
#[derive(Debug, Clone)]
pub(super) struct QuestionScheduler {
    arena: Arena,
    access: Access,
    questions: Arc<SharedQuota<Caller>>,
    quick: Arc<RequestQueue>,
    long: Arc<RequestQueue>,
    /// Questions that were begun.
    begun: Arc<AtomicU64>,
}

/// Works out a question and stores the answer.
type QuestionWork = Box<dyn FnOnce(&mut Budget<'_>) + Send>;

/// In which queue a question waits, so that those that are answered at once do not wait for those that are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionEffort {
    /// As large as its request at most: some milliseconds.
    Quick,
    /// Perhaps far larger than its request.
    Long,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum QuestionError {
    /// Something is wrong with it.
    #[error(transparent)]
    Refused(#[from] Violations),
    /// There was not enough time: how far it came.
    #[error("{0}")]
    TooLong(String),
    /// It takes more memory than it may: which bound it met.
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
            Self::TooLong(how_far) => too_long_status(how_far),
            // Not to be tried again as it is, so that there is no RetryInfo.
            Self::TooLarge(bound) => refusal_status(Code::ResourceExhausted, "TOO_LARGE", bound),
        }
    }
}

/// A question that is worked on.
struct RunningQuestion {
    turn: Turn,
    wanted_by: Option<Instant>,
    /// Held by the call for as long as it waits for the answer.
    waiting_call: Weak<()>,
    /// When it is given up.
    ends_at: Instant,
    /// When others may have the turn for a while.
    slice_ends_at: Instant,
}

impl RunningQuestion {
    fn begin(turn: Turn, wanted_by: Option<Instant>, waiting_call: Weak<()>) -> Self {
        let now = Instant::now();
        Self { turn, wanted_by, waiting_call, ends_at: now + LONGEST, slice_ends_at: now + SLICE }
    }

    /// Returns whether the work goes on. Now and then it waits here until others have had the turn, which does not count as
    /// work.
    fn may_continue(&mut self) -> bool {
        let Self { turn, wanted_by, waiting_call, .. } = self;
        let is_wanted = |now| waiting_call.strong_count() > 0 && wanted_by.is_none_or(|by| now < by);
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
        self.slice_ends_at = then + SLICE;
        is_back
    }
}

impl QuestionScheduler {
    /// Answers `at_once` questions of each [`QuestionEffort`] at once.
    pub(super) fn new(arena: Arena, access: Access, at_once: usize) -> Self {
        let questions = SharedQuota::new(QUESTIONS_OF_CALLER, QUESTIONS);
        let queue = || Arc::new(RequestQueue::new(at_once));
        Self { arena, access, questions, quick: queue(), long: queue(), begun: Arc::default() }
    }

    /// Lets anybody ask who may look, and from whom no tournament keeps the oracle.
    pub(super) fn admit<T>(&self, request: &Request<T>) -> Result<WaitingCaller, Status> {
        let asked = WaitingCaller::of_request(request, self.access.require_viewer(request)?);
        self.check_open(&asked.asker)?;
        Ok(asked)
    }

    /// Refuses a caller from whom a tournament keeps the oracle.
    fn check_open(&self, asker: &CallerConnection) -> Result<(), Status> {
        self.arena.check_oracle_open(asker.caller.principal().as_ref()).map_err(arena_status)
    }

    /// Answers a question, unless too many are asked already, it takes too long, or the server stops. It is given up
    /// when nobody waits for this any more.
    pub(super) async fn answer_question<T: Send + 'static>(
        &self,
        asked: WaitingCaller,
        effort: QuestionEffort,
        question: impl FnOnce(&mut Budget<'_>) -> Result<T, QuestionError> + Send + 'static,
    ) -> Result<T, Status> {
        let too_many = || {
            format!("{QUESTIONS_OF_CALLER} questions of this caller are not answered yet: ask fewer at once")
        };
        let place = Permit::acquire(&self.questions, &asked.asker, "TOO_MANY_QUESTIONS", too_many, FULL)?;
        let place = Arc::new(place);
        let answering = async {
            let turn = timeout(asked.time_left(PATIENCE), self.wait_for_turn(&asked.asker, effort));
            let turn = turn.await.map_err(|_| no_turn_status(asked.wanted_by))?;
            self.run_question(&place, turn, asked.wanted_by, question).await
        };
        tokio::select! {
            answer = answering => answer,
            () = self.arena.wait_until_stopped() => Err(stopping_status()),
        }
    }

    /// Works out a part of what a caller asks, when its turn has come. What it asks as a whole has the deadline of its call.
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
            QuestionEffort::Quick => &self.quick,
            QuestionEffort::Long => &self.long,
        };
        queue.wait_for_turn(asker).await
    }

    async fn run_question<T: Send + 'static>(
        &self,
        place: &Arc<Permit>,
        turn: Turn,
        wanted_by: Option<Instant>,
        question: impl FnOnce(&mut Budget<'_>) -> Result<T, QuestionError> + Send + 'static,
    ) -> Result<T, Status> {
        let (answer, answered) = oneshot::channel();
        let work = Box::new(move |budget: &mut Budget<'_>| {
            // Whoever asked may have left.
            let _ = answer.send(question(budget));
        });
        self.run_work(place, turn, wanted_by, work).await?;
        let answer = answered.await.expect("work that has ended has answered");
        answer.map_err(|unanswered| unanswered.status())
    }

    /// Works a question out, away from the threads that carry messages, and no longer than this is waited for. The place
    /// and the turn are held until it has really ended. A tournament may have begun since it was asked.
    async fn run_work(
        &self,
        place: &Arc<Permit>,
        turn: Turn,
        wanted_by: Option<Instant>,
        work: QuestionWork,
    ) -> Result<(), Status> {
        self.check_open(place.holder())?;
        self.begun.fetch_add(1, Ordering::Relaxed);
        // Gone as soon as this is waited for no longer.
        let this_call = Arc::new(());
        let waiting_call = Arc::downgrade(&this_call);
        let place = Arc::clone(place);
        let working = tokio::task::spawn_blocking(move || {
            let running = RefCell::new(RunningQuestion::begin(turn, wanted_by, waiting_call));
            let is_wanted = || running.borrow_mut().may_continue();
            work(&mut Budget::while_wanted(u64::MAX, &is_wanted));
            drop((running, place));
        });
        working.await.map_err(|error| {
            tracing::error!(%error, "the oracle broke down");
            refusal_status(Code::Internal, "ORACLE", "the oracle broke down over this question")
        })
    }

    /// Returns how many questions were begun so far, and how many wait or are worked on.
    pub(super) fn question_counts(&self) -> (u64, usize) {
        (self.begun.load(Ordering::Relaxed), self.questions.used())
    }

    /// Waits until the server has stopped.
    pub(super) async fn wait_until_stopped(&self) {
        self.arena.wait_until_stopped().await;
    }
}

/// Says why a question had no turn: its own deadline, or too many others.
fn no_turn_status(wanted_by: Option<Instant>) -> Status {
    match wanted_by {
        Some(by) if by <= Instant::now() => too_long_status("its turn did not come"),
        _ => retry_status(Code::ResourceExhausted, "FULL", FULL),
    }
}

/// Ends what went on for longer than it may.
pub(super) fn too_long_status(how_far: &str) -> Status {
    let message = format!(
        "there was not enough time, which is {} s or the deadline of the call: {how_far}",
        LONGEST.as_secs()
    );
    refusal_status(Code::DeadlineExceeded, "TOO_LONG", &message)
}

/// Ends what is under way when the server stops.
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

    async fn asking(at_once: usize) -> QuestionScheduler {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        QuestionScheduler::new(
            arena.clone(),
            Access::tokens_only(arena, crate::LoginLimits::new(1, Duration::ZERO).into()),
            at_once,
        )
    }

    fn by(name: &str) -> WaitingCaller {
        let caller = Caller::Bot(name.parse().unwrap());
        WaitingCaller { asker: CallerConnection { caller, source: None }, wanted_by: None }
    }

    /// Works for as long as it may.
    fn endless(budget: &mut Budget<'_>) -> Result<(), QuestionError> {
        loop {
            budget.spend(1)?;
        }
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
    async fn a_question_too_many_is_refused_at_once_and_others_are_not() {
        let asking = asking(1).await;
        let (answer, hard) = mpsc::channel::<()>();
        let mut asked = JoinSet::new();
        let busy = asking.clone();
        asked.spawn(async move {
            busy.answer_question(by("busy"), QuestionEffort::Quick, move |_| Ok(hard.recv().is_ok())).await
        });
        until(|| asking.quick.free_turns() == 0).await;
        for (already, caller) in (1..).zip(["busy", "two", "three", "four"]) {
            let waiting = if caller == "busy" { QUESTIONS_OF_CALLER - 1 } else { QUESTIONS_OF_CALLER };
            for _ in 0..waiting {
                let patient = asking.clone();
                asked.spawn(async move {
                    patient.answer_question(by(caller), QuestionEffort::Quick, |_| Ok(true)).await
                });
            }
            until(|| asking.questions.used() == already * QUESTIONS_OF_CALLER).await;
            let refused =
                asking.answer_question(by(caller), QuestionEffort::Quick, |_| Ok(true)).await.unwrap_err();
            assert_eq!(told(&refused), (Code::ResourceExhausted, "TOO_MANY_QUESTIONS".into()));
            assert!(refused.get_details_retry_info().is_some_and(|info| info.retry_delay.is_some()));
        }
        let refused =
            asking.answer_question(by("five"), QuestionEffort::Quick, |_| Ok(true)).await.unwrap_err();
        assert_eq!(told(&refused), (Code::ResourceExhausted, "FULL".into()));
        assert!(refused.get_details_retry_info().is_some());
        answer.send(()).unwrap();
        let answers = asked.join_all().await;
        assert_eq!(answers.len(), QUESTIONS);
        assert!(answers.iter().all(|answer| *answer.as_ref().unwrap()), "those that wait are answered");
        assert_eq!((asking.questions.used(), asking.quick.free_turns()), (0, 1));
        assert!(asking.answer_question(by("five"), QuestionEffort::Quick, |_| Ok(true)).await.unwrap());
    }

    #[tokio::test]
    async fn a_question_is_stopped_when_its_caller_has_left() {
        let asking = asking(2).await;
        let busy = asking.clone();
        let call =
            tokio::spawn(
                async move { busy.answer_question(by("busy"), QuestionEffort::Long, endless).await },
            );
        until(|| asking.long.free_turns() == 1).await;
        assert!(
            asking.answer_question(by("busy"), QuestionEffort::Quick, |_| Ok(true)).await.unwrap(),
            "another queue"
        );
        call.abort();
        until(|| asking.long.free_turns() == 2 && asking.questions.used() == 0).await;
    }

    #[tokio::test]
    async fn a_question_is_stopped_at_its_deadline() {
        let asking = asking(1).await;
        let soon = Instant::now() + Duration::from_millis(20);
        let hurried = WaitingCaller { wanted_by: Some(soon), ..by("hurried") };
        let refused = asking.answer_question(hurried, QuestionEffort::Long, endless).await.unwrap_err();
        assert_eq!(told(&refused), (Code::DeadlineExceeded, "TOO_LONG".into()));
        assert!((soon..soon + LONGEST / 2).contains(&Instant::now()));
    }

    #[tokio::test]
    async fn a_question_whose_turn_comes_too_late_is_told_whose_time_was_short() {
        let asking = asking(1).await;
        let (answer, hard) = mpsc::channel::<()>();
        let busy = asking.clone();
        let call = tokio::spawn(async move {
            busy.answer_question(by("busy"), QuestionEffort::Quick, move |_| Ok(hard.recv().is_ok())).await
        });
        until(|| asking.quick.free_turns() == 0).await;
        let soon = Instant::now() + Duration::from_millis(20);
        let hurried = WaitingCaller { wanted_by: Some(soon), ..by("hurried") };
        let refused = asking.answer_question(hurried, QuestionEffort::Quick, |_| Ok(true)).await.unwrap_err();
        assert_eq!(told(&refused), (Code::DeadlineExceeded, "TOO_LONG".into()));
        // The clock stands still by itself while a question is worked on.
        tokio::time::pause();
        let waiting = asking.answer_question(by("patient"), QuestionEffort::Quick, |_| Ok(true));
        let (refused, ()) = tokio::join!(waiting, tokio::time::advance(PATIENCE + Duration::from_millis(1)));
        let refused = refused.unwrap_err();
        assert_eq!(told(&refused), (Code::ResourceExhausted, "FULL".into()));
        answer.send(()).unwrap();
        assert!(call.await.unwrap().unwrap());
        assert_eq!((asking.questions.used(), asking.quick.free_turns()), (0, 1));
    }

    #[tokio::test]
    async fn a_question_is_stopped_with_the_server() {
        let asking = asking(1).await;
        let busy = asking.clone();
        let call =
            tokio::spawn(
                async move { busy.answer_question(by("busy"), QuestionEffort::Long, endless).await },
            );
        until(|| asking.long.free_turns() == 0).await;
        asking.arena.stop(Duration::ZERO).await;
        assert_eq!(told(&call.await.unwrap().unwrap_err()), (Code::Unavailable, "STOPPING".into()));
        until(|| asking.long.free_turns() == 1).await;
    }

    #[tokio::test]
    async fn a_question_that_breaks_the_oracle_gives_its_turn_back() {
        let asking = asking(1).await;
        let broken: fn(&mut Budget<'_>) -> Result<(), QuestionError> = |_| panic!("on purpose");
        let refused = asking.answer_question(by("unlucky"), QuestionEffort::Quick, broken).await.unwrap_err();
        assert_eq!(told(&refused), (Code::Internal, "ORACLE".into()));
        assert_eq!((asking.questions.used(), asking.quick.free_turns()), (0, 1));
    }
}
