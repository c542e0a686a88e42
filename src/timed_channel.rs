//! A channel whose calls have a time limit.

use lastnim_core::duration_text::duration_text;
use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::timeout;
use tonic::{
    Status,
    body::Body,
    codegen::{
        Service, StdError,
        http::{Request, Response},
    },
};

/// The maximum time until a server begins its response.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum time for calls that count, rate or remove many matches.
const LONG_CALL_TIMEOUT: Duration = Duration::from_mins(10);
/// The methods that count, rate or remove many matches.
const LONG_CALLS: [&str; 6] =
    ["DisqualifyBot", "FinishTournament", "GetManifest", "GetStandings", "PruneRecords", "VoidMatches"];

/// A channel to a server. A call that the server does not answer in time ends with `DEADLINE_EXCEEDED`.
///
/// Pings detect a lost connection, but not a server that answers only pings.
#[derive(Debug, Clone)]
pub struct TimedChannel<C> {
    channel: C,
    server: String,
}

impl<C> TimedChannel<C> {
    /// Creates a channel that limits how long calls to this server may take.
    pub fn new(channel: C, server: &str) -> Self {
        Self { channel, server: server.to_owned() }
    }
}

type Answer = Result<Response<Body>, StdError>;

impl<C> Service<Request<Body>> for TimedChannel<C>
where
    C: Service<Request<Body>, Response = Response<Body>, Error: Into<StdError>, Future: Send + 'static>,
{
    type Response = Response<Body>;
    type Error = StdError;
    type Future = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), StdError>> {
        self.channel.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let limit = if LONG_CALLS.contains(&method.as_str()) { LONG_CALL_TIMEOUT } else { CALL_TIMEOUT };
        let server = self.server.clone();
        let call = self.channel.call(request);
        Box::pin(async move {
            match timeout(limit, call).await {
                Ok(answer) => answer.map_err(Into::into),
                Err(_) => Err(Status::deadline_exceeded(format!(
                    "the server at {server} did not answer {method} within {}",
                    duration_text(limit)
                ))
                .into()),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::pb::{self, match_service_client::MatchServiceClient};
    use std::{
        convert::Infallible,
        future::{Pending, pending},
    };
    use tokio::time::Instant;
    use tonic::Code;

    /// A server that never answers.
    #[derive(Clone)]
    struct Silent;

    impl Service<Request<Body>> for Silent {
        type Response = Response<Body>;
        type Error = Infallible;
        type Future = Pending<Result<Response<Body>, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Request<Body>) -> Self::Future {
            pending()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_error_names_the_server_and_the_call() {
        let mut client = MatchServiceClient::new(TimedChannel::new(Silent, "host:1"));
        let began = Instant::now();
        let refused = client.get_match(pb::GetMatchRequest::default()).await.unwrap_err();
        assert_eq!((refused.code(), began.elapsed()), (Code::DeadlineExceeded, CALL_TIMEOUT));
        assert_eq!(refused.message(), "the server at host:1 did not answer GetMatch within 30s");
        let refused = client.prune_records(pb::PruneRecordsRequest::default()).await.unwrap_err();
        assert_eq!(refused.message(), "the server at host:1 did not answer PruneRecords within 10m");
        assert_eq!(began.elapsed(), CALL_TIMEOUT + LONG_CALL_TIMEOUT);
    }

    #[test]
    fn every_long_call_exists_in_the_protocol() {
        let services = include_str!("../proto/lastnim/v1/tournament_service.proto").to_owned()
            + include_str!("../proto/lastnim/v1/match_service.proto");
        for call in LONG_CALLS {
            assert!(services.contains(&format!("rpc {call}(")), "{call}");
        }
    }
}
