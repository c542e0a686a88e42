//! A batch: a stream of requests, each answered in order.

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

/// The most batches of one caller at once.
const BATCHES_OF_CALLER: usize = 4;
/// The most batches at once of all callers together.
const BATCHES: usize = 64;
/// Responses of a batch that wait to be sent, each of at most some megabytes. Nothing more is worked out until one is read.
const UNREAD: usize = 1;
/// How long a batch stays open in which nothing is asked, or nothing read.
const IDLE: Duration = Duration::from_mins(1);

/// The bytes beyond which a response takes no further answer, so that it is far below what clients receive by default.
pub(super) const RESPONSE_BYTES: usize = 1 << 20;
/// The steps after which a response is closed and the next caller has its turn: some ten milliseconds of work.
pub(super) const STEPS_A_RESPONSE: u64 = 4 << 20;

/// One request of a batch.
pub(super) trait BatchRequest: Send + Sync + 'static {
    /// What all questions of a request have in common.
    type Terms: Send + Sync + 'static;
    /// What is answered.
    type Response: Send + 'static;

    /// Reads what all questions of this request have in common. This is done before it waits for its turn, so that a
    /// request with far too many questions takes no memory till then.
    fn parse_terms(&self) -> Result<Self::Terms, Violations>;

    /// Says what is wrong with the request of such a number as a whole.
    fn refusal_response(request: u64, refusal: pb::BatchRefusal) -> Self::Response;

    /// Answers the questions of this request from `start` on, as far as one response goes. It returns where to go on; none
    /// if the request is answered to its end.
    fn answer_part(
        &self,
        terms: &Self::Terms,
        place: ResponsePlace,
        budget: &mut Budget<'_>,
    ) -> Result<(Self::Response, Option<u32>), HaltReason>;
}

/// Where a response belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResponsePlace {
    /// The number of the request in its stream, from 0.
    pub(super) request: u64,
    /// The index of the first question that is answered, from 0.
    pub(super) start: u32,
}

/// The batches of all callers.
#[derive(Debug, Clone)]
pub(super) struct BatchService {
    asking: QuestionScheduler,
    open: Arc<SharedQuota<Caller>>,
}

/// The responses of a batch, as they are sent.
pub(super) type BatchResponses<T> = mpsc::Receiver<Result<T, Status>>;

impl BatchService {
    /// Queues batches with other questions.
    pub(super) fn new(asking: QuestionScheduler) -> Self {
        Self { asking, open: SharedQuota::new(BATCHES_OF_CALLER, BATCHES) }
    }

    /// Answers a stream of requests, unless too many are open. It ends when everything is answered, the responses are not
    /// wanted any more, nothing moves, or the server stops.
    pub(super) fn open_batch<Q: BatchRequest>(
        &self,
        asked: &WaitingCaller,
        requests: impl Stream<Item = Result<Q, Status>> + Send + Unpin + 'static,
    ) -> Result<BatchResponses<Q::Response>, Status> {
        let too_many = || format!("{BATCHES_OF_CALLER} batches of this caller are open: end one first");
        let full = "as many batches are open as there may be: try again later";
        let place = Permit::acquire(&self.open, &asked.asker, "TOO_MANY_QUESTIONS", too_many, full)?;
        let (responses, stream) = mpsc::channel(UNREAD);
        tokio::spawn(self.clone().run_batch(place, asked.wanted_by, requests, responses));
        Ok(stream)
    }

    async fn run_batch<Q: BatchRequest>(
        self,
        place: Permit,
        wanted_by: Option<Instant>,
        requests: impl Stream<Item = Result<Q, Status>> + Unpin,
        responses: mpsc::Sender<Result<Q::Response, Status>>,
    ) {
        let place = Arc::new(place);
        let deadline = async {
            match wanted_by {
                Some(by) => sleep_until(by.into()).await,
                None => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            ended = self.answer_requests(&place, requests, &responses) => ended,
            () = responses.closed() => return,
            () = self.asking.wait_until_stopped() => Err(stopping_status()),
            () = deadline => Err(too_long_status("the batch is not answered to its end")),
        };
        if let Err(status) = ended {
            // Whoever does not read it was told to read, or has gone.
            let _ = timeout(IDLE, responses.send(Err(status))).await;
        }
    }

    async fn answer_requests<Q: BatchRequest>(
        &self,
        place: &Arc<Permit>,
        mut requests: impl Stream<Item = Result<Q, Status>> + Unpin,
        responses: &mpsc::Sender<Result<Q::Response, Status>>,
    ) -> Result<(), Status> {
        for number in 0.. {
            let next = timeout(IDLE, requests.next()).await;
            let Some(request) = next.map_err(|_| idle_status("nothing was asked"))? else { break };
            let request = request?;
            let terms = match request.parse_terms() {
                Ok(terms) => terms,
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
            let request = Arc::new((request, terms));
            let mut unanswered = Some(0);
            while let Some(start) = unanswered {
                let (asked, at) = (Arc::clone(&request), ResponsePlace { request: number, start });
                let question = move |budget: &mut Budget<'_>| {
                    let (request, terms) = &*asked;
                    request.answer_part(terms, at, budget).map_err(QuestionError::from)
                };
                let (response, rest) =
                    self.asking.answer_part(place, QuestionEffort::Quick, question).await?;
                unanswered = rest;
                if send_response(responses, response).await? == ResponseReader::Gone {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Whether anybody reads the responses of a batch.
#[derive(Debug, PartialEq, Eq)]
enum ResponseReader {
    Here,
    Gone,
}

/// Sends a response when the one before it was read.
async fn send_response<T>(
    responses: &mpsc::Sender<Result<T, Status>>,
    response: T,
) -> Result<ResponseReader, Status> {
    match timeout(IDLE, responses.send(Ok(response))).await {
        Ok(Ok(())) => Ok(ResponseReader::Here),
        Ok(Err(_)) => Ok(ResponseReader::Gone),
        Err(_) => Err(idle_status("no answer was read")),
    }
}

fn idle_status(what: &str) -> Status {
    refusal_status(
        Code::Aborted,
        "IDLE",
        &format!("{what} for {} s: end a batch that is done", IDLE.as_secs()),
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

    /// So many questions, of which each response answers two by their number.
    struct Two(u32);

    impl BatchRequest for Two {
        type Terms = ();
        type Response = (u64, Vec<u32>);

        fn parse_terms(&self) -> Result<(), Violations> {
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
            place: ResponsePlace,
            budget: &mut Budget<'_>,
        ) -> Result<(Self::Response, Option<u32>), HaltReason> {
            budget.spend(1)?;
            let end = self.0.min(place.start + 2);
            Ok(((place.request, (place.start..end).collect()), (end < self.0).then_some(end)))
        }
    }

    async fn batches() -> BatchService {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        BatchService::new(QuestionScheduler::new(
            arena.clone(),
            Access::tokens_only(arena, crate::LoginLimits::new(1, Duration::ZERO).into()),
            1,
        ))
    }

    fn by(caller: Caller) -> WaitingCaller {
        WaitingCaller { asker: CallerConnection { caller, source: None }, wanted_by: None }
    }

    fn asked() -> WaitingCaller {
        by(Caller::Admin)
    }

    fn told(status: &Status) -> (Code, String) {
        (status.code(), status.get_details_error_info().unwrap().reason)
    }

    #[tokio::test]
    async fn a_request_is_answered_in_as_many_responses_as_it_takes() {
        let batches = batches().await;
        let requests = tokio_stream::iter([Ok(Two(3)), Ok(Two(11)), Ok(Two(4))]);
        let mut responses = batches.open_batch(&asked(), requests).unwrap();
        let mut seen = Vec::new();
        while let Some(response) = responses.recv().await {
            seen.push(response.unwrap());
        }
        let expected = [(0, vec![0, 1]), (0, vec![2]), (1, vec![]), (2, vec![0, 1]), (2, vec![2, 3])];
        assert_eq!(seen, expected);
    }

    #[tokio::test]
    async fn what_cannot_be_read_ends_the_batch() {
        let requests = tokio_stream::iter([Ok(Two(1)), Err(Status::out_of_range("too large")), Ok(Two(1))]);
        let mut responses = batches().await.open_batch(&asked(), requests).unwrap();
        assert_eq!(responses.recv().await.unwrap().unwrap(), (0, vec![0]));
        assert_eq!(responses.recv().await.unwrap().unwrap_err().code(), Code::OutOfRange);
        assert!(responses.recv().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_in_which_nothing_moves_is_ended() {
        let batches = batches().await;
        let (asks, requests) = mpsc::channel::<Result<Two, Status>>(1);
        let mut silent = batches.open_batch(&asked(), ReceiverStream::new(requests)).unwrap();
        assert_eq!(told(&silent.recv().await.unwrap().unwrap_err()), (Code::Aborted, "IDLE".into()));
        drop(asks);
        let mut unread = batches.open_batch(&asked(), tokio_stream::iter([Ok(Two(8))])).unwrap();
        assert_eq!(batches.open.used(), 1);
        // Twice as long as it may: once for the response, and once for its end.
        tokio::time::sleep(3 * IDLE).await;
        assert_eq!(batches.open.used(), 0);
        assert_eq!(unread.recv().await.unwrap().unwrap(), (0, vec![0, 1]), "what was sent can still be read");
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_ends_at_its_deadline() {
        let by = Instant::now() + Duration::from_secs(7);
        let hurried = WaitingCaller { wanted_by: Some(by), ..asked() };
        let never = tokio_stream::pending::<Result<Two, Status>>();
        let mut responses = batches().await.open_batch(&hurried, never).unwrap();
        let refused = responses.recv().await.unwrap().unwrap_err();
        assert_eq!(told(&refused), (Code::DeadlineExceeded, "TOO_LONG".into()));
    }

    #[tokio::test]
    async fn a_caller_has_so_many_batches_and_they_end_when_it_leaves() {
        let batches = batches().await;
        let open =
            |caller: Caller| batches.open_batch(&by(caller), tokio_stream::pending::<Result<Two, Status>>());
        let mut held: Vec<_> = (0..BATCHES_OF_CALLER).map(|_| open(Caller::Admin).unwrap()).collect();
        let refused = open(Caller::Admin).unwrap_err();
        assert_eq!(told(&refused), (Code::ResourceExhausted, "TOO_MANY_QUESTIONS".into()));
        assert!(refused.get_details_retry_info().is_some());
        assert!(open(Caller::Viewer).is_ok());
        held.pop();
        let again = async {
            while open(Caller::Admin).is_err() {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(20), again).await.expect("its place is given back");
    }
}
