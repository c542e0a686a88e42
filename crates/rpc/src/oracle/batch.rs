//! Batches: streams of requests, answered in order.

use super::question_scheduler::{
    QuestionEffort, QuestionError, QuestionScheduler, stopping_status, too_long_status,
};
use crate::scheduling::{Caller, Permit, SharedQuota, WaitingCaller};
use crate::status::refusal_status;
use lastnim_core::oracle::{Budget, HaltReason};
use lastnim_proto::{Violations, pb};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::time::{sleep_until, timeout};
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Code, Status};

/// The limit on open batches per caller.
const MAX_BATCHES_PER_CALLER: usize = 4;
/// The limit on open batches of all callers together.
const MAX_BATCHES: usize = 64;
/// The number of unread responses after which the work on a batch pauses. A response may be a few megabytes large.
const MAX_UNREAD_RESPONSES: usize = 1;
/// How long a batch may wait for the next request, or for the client to read a response.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// The size in bytes at which a response is sent. It is far below the message size that clients accept by default.
pub(super) const RESPONSE_BYTES: usize = 1 << 20;
/// The number of steps after which a response is sent and the next caller takes a turn. These steps take about ten
/// milliseconds.
pub(super) const STEPS_PER_RESPONSE: u64 = 4 << 20;

/// A request in a batch.
pub(super) trait BatchRequest: Send + Sync + 'static {
    /// The parameters that all questions of a request share.
    type SharedParameters: Send + Sync + 'static;
    type Response: Send + 'static;

    /// Parses the parameters that all questions of this request share. This happens before the request waits for its
    /// turn, so that an oversized request does not hold memory while it waits.
    fn parse_shared_parameters(&self) -> Result<Self::SharedParameters, Violations>;

    /// Builds the response that refuses the whole request with the number `request`.
    fn refusal_response(request: u64, refusal: pb::BatchRefusal) -> Self::Response;

    /// Answers the questions of this request from `place.start` on, as many as fit in one response. Also returns the
    /// index of the next question, which is `None` if all are answered.
    fn answer_part(
        &self,
        parameters: &Self::SharedParameters,
        place: ResponsePosition,
        budget: &mut Budget<'_>,
    ) -> Result<(Self::Response, Option<u32>), HaltReason>;
}

/// The position of a response in its batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResponsePosition {
    /// The number of the request in its stream, from 0.
    pub(super) request: u64,
    /// The index of the first answered question, from 0.
    pub(super) start: u32,
}

/// Answers batches, of which each caller may have a limited number open.
#[derive(Debug, Clone)]
pub(super) struct BatchService {
    scheduler: QuestionScheduler,
    open: Arc<SharedQuota<Caller>>,
}

/// The stream of a batch's responses.
pub(super) type BatchResponses<T> = mpsc::Receiver<Result<T, Status>>;

impl BatchService {
    /// Creates a service for batches, which wait in the same queues as single questions.
    pub(super) fn new(scheduler: QuestionScheduler) -> Self {
        Self { scheduler, open: SharedQuota::new(MAX_BATCHES_PER_CALLER, MAX_BATCHES) }
    }

    /// Answers a stream of requests, unless a limit is reached. The batch ends when all questions are answered, the
    /// receiver is gone, the batch is idle for too long, its deadline passes, or the server stops.
    pub(super) fn open_batch<Q: BatchRequest>(
        &self,
        asked: &WaitingCaller,
        requests: impl Stream<Item = Result<Q, Status>> + Send + Unpin + 'static,
    ) -> Result<BatchResponses<Q::Response>, Status> {
        let too_many =
            || format!("this caller already has {MAX_BATCHES_PER_CALLER} open batches: end one first");
        let full = "too many batches are open: try again later";
        let place = Permit::acquire(&self.open, &asked.asker, "TOO_MANY_QUESTIONS", too_many, full)?;
        let (responses, stream) = mpsc::channel(MAX_UNREAD_RESPONSES);
        tokio::spawn(self.clone().run_batch(place, asked.deadline, requests, responses));
        Ok(stream)
    }

    async fn run_batch<Q: BatchRequest>(
        self,
        place: Permit,
        deadline: Option<Instant>,
        requests: impl Stream<Item = Result<Q, Status>> + Unpin,
        responses: mpsc::Sender<Result<Q::Response, Status>>,
    ) {
        let place = Arc::new(place);
        let deadline = async {
            match deadline {
                Some(by) => sleep_until(by.into()).await,
                None => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            ended = self.answer_requests(&place, requests, &responses) => ended,
            () = responses.closed() => return,
            () = self.scheduler.wait_until_stopped() => Err(stopping_status()),
            () = deadline => Err(too_long_status(None, "the batch was not finished")),
        };
        if let Err(status) = ended {
            // Even a slow reader gets the reason, but the server waits only for a limited time.
            let _ = timeout(IDLE_TIMEOUT, responses.send(Err(status))).await;
        }
    }

    async fn answer_requests<Q: BatchRequest>(
        &self,
        place: &Arc<Permit>,
        mut requests: impl Stream<Item = Result<Q, Status>> + Unpin,
        responses: &mpsc::Sender<Result<Q::Response, Status>>,
    ) -> Result<(), Status> {
        for number in 0.. {
            let next = timeout(IDLE_TIMEOUT, requests.next()).await;
            let Some(request) = next.map_err(|_| idle_status("no request came"))? else { break };
            let request = request?;
            let parameters = match request.parse_shared_parameters() {
                Ok(parameters) => parameters,
                Err(violations) => {
                    drop(request);
                    if send_response(responses, Q::refusal_response(number, (&violations).into())).await?
                        == ResponseReader::Gone
                    {
                        return Ok(());
                    }
                    continue;
                }
            };
            let request = Arc::new((request, parameters));
            let mut unanswered = Some(0);
            while let Some(start) = unanswered {
                let (asked, at) = (Arc::clone(&request), ResponsePosition { request: number, start });
                let question = move |budget: &mut Budget<'_>| {
                    let (request, parameters) = &*asked;
                    request.answer_part(parameters, at, budget).map_err(QuestionError::from)
                };
                let (response, rest) =
                    self.scheduler.answer_part(place, QuestionEffort::Quick, question).await?;
                unanswered = rest;
                if send_response(responses, response).await? == ResponseReader::Gone {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Whether the receiver of the responses is still connected.
#[derive(Debug, PartialEq, Eq)]
enum ResponseReader {
    Connected,
    Gone,
}

/// Sends a response once the previous one has been read.
async fn send_response<T>(
    responses: &mpsc::Sender<Result<T, Status>>,
    response: T,
) -> Result<ResponseReader, Status> {
    match timeout(IDLE_TIMEOUT, responses.send(Ok(response))).await {
        Ok(Ok(())) => Ok(ResponseReader::Connected),
        Ok(Err(_)) => Ok(ResponseReader::Gone),
        Err(_) => Err(idle_status("the client read no answer")),
    }
}

fn idle_status(what: &str) -> Status {
    refusal_status(
        Code::Aborted,
        "IDLE",
        &format!(
            "{what} for {} s: send requests and read answers, or close the batch",
            IDLE_TIMEOUT.as_secs()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Access;
    use crate::scheduling::CallerConnection;
    use lastnim_arena::{Arena, Backend, Limits};
    use lastnim_proto::parse_request;
    use tokio_stream::wrappers::ReceiverStream;
    use tonic_types::StatusExt as _;

    /// A request with this number of questions. Each response answers two of them.
    struct TestRequest(u32);

    impl BatchRequest for TestRequest {
        type SharedParameters = ();
        type Response = (u64, Vec<u32>);

        fn parse_shared_parameters(&self) -> Result<(), Violations> {
            parse_request(|field| {
                let few = if self.0 > 10 { Err(format!("{} of them", self.0)) } else { Ok(()) };
                field.member("number").ok_or_report(few)
            })
        }

        fn refusal_response(request: u64, refusal: pb::BatchRefusal) -> Self::Response {
            assert_eq!(refusal.violations[0].field, "number");
            (request, Vec::new())
        }

        fn answer_part(
            &self,
            (): &(),
            place: ResponsePosition,
            budget: &mut Budget<'_>,
        ) -> Result<(Self::Response, Option<u32>), HaltReason> {
            budget.spend(1)?;
            let end = self.0.min(place.start + 2);
            Ok(((place.request, (place.start..end).collect()), (end < self.0).then_some(end)))
        }
    }

    async fn batch_service() -> BatchService {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        BatchService::new(QuestionScheduler::new(
            arena.clone(),
            Access::tokens_only(arena, crate::LoginLimits::new(1, Duration::ZERO).into()),
            1,
        ))
    }

    fn waiting_caller(caller: Caller) -> WaitingCaller {
        WaitingCaller { asker: CallerConnection { caller, source: None }, deadline: None }
    }

    fn waiting_admin() -> WaitingCaller {
        waiting_caller(Caller::Admin)
    }

    fn code_and_reason(status: &Status) -> (Code, String) {
        (status.code(), status.get_details_error_info().unwrap().reason)
    }

    #[tokio::test]
    async fn a_long_request_is_answered_in_several_responses() {
        let batches = batch_service().await;
        let requests = tokio_stream::iter([Ok(TestRequest(3)), Ok(TestRequest(11)), Ok(TestRequest(4))]);
        let mut responses = batches.open_batch(&waiting_admin(), requests).unwrap();
        let mut seen = Vec::new();
        while let Some(response) = responses.recv().await {
            seen.push(response.unwrap());
        }
        let expected = [(0, vec![0, 1]), (0, vec![2]), (1, vec![]), (2, vec![0, 1]), (2, vec![2, 3])];
        assert_eq!(seen, expected);
    }

    #[tokio::test]
    async fn an_unreadable_request_ends_the_batch() {
        let requests = tokio_stream::iter([
            Ok(TestRequest(1)),
            Err(Status::out_of_range("too large")),
            Ok(TestRequest(1)),
        ]);
        let mut responses = batch_service().await.open_batch(&waiting_admin(), requests).unwrap();
        assert_eq!(responses.recv().await.unwrap().unwrap(), (0, vec![0]));
        assert_eq!(responses.recv().await.unwrap().unwrap_err().code(), Code::OutOfRange);
        assert!(responses.recv().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_batch_is_ended() {
        let batches = batch_service().await;
        let (asks, requests) = mpsc::channel::<Result<TestRequest, Status>>(1);
        let mut silent = batches.open_batch(&waiting_admin(), ReceiverStream::new(requests)).unwrap();
        assert_eq!(
            code_and_reason(&silent.recv().await.unwrap().unwrap_err()),
            (Code::Aborted, "IDLE".into())
        );
        drop(asks);
        let mut unread =
            batches.open_batch(&waiting_admin(), tokio_stream::iter([Ok(TestRequest(8))])).unwrap();
        assert_eq!(batches.open.used(), 1);
        // The batch waits for up to twice the limit: once to send a response, and once to send the status that ends it.
        tokio::time::sleep(3 * IDLE_TIMEOUT).await;
        assert_eq!(batches.open.used(), 0);
        assert_eq!(
            unread.recv().await.unwrap().unwrap(),
            (0, vec![0, 1]),
            "sent responses can still be read"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_ends_at_its_deadline() {
        let deadline = Instant::now() + Duration::from_secs(7);
        let hurried = WaitingCaller { deadline: Some(deadline), ..waiting_admin() };
        let never = tokio_stream::pending::<Result<TestRequest, Status>>();
        let mut responses = batch_service().await.open_batch(&hurried, never).unwrap();
        let refused = responses.recv().await.unwrap().unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::DeadlineExceeded, "TOO_LONG".into()));
    }

    #[tokio::test]
    async fn batches_per_caller_are_limited_and_free_their_place_at_the_end() {
        let batches = batch_service().await;
        let open_batch = |caller: Caller| {
            batches
                .open_batch(&waiting_caller(caller), tokio_stream::pending::<Result<TestRequest, Status>>())
        };
        let mut held: Vec<_> =
            (0..MAX_BATCHES_PER_CALLER).map(|_| open_batch(Caller::Admin).unwrap()).collect();
        let refused = open_batch(Caller::Admin).unwrap_err();
        assert_eq!(code_and_reason(&refused), (Code::ResourceExhausted, "TOO_MANY_QUESTIONS".into()));
        assert!(refused.get_details_retry_info().is_some());
        assert!(open_batch(Caller::Viewer).is_ok());
        held.pop();
        let again = async {
            while open_batch(Caller::Admin).is_err() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(20), again).await.expect("its place is free again");
    }
}
