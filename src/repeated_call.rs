//! Calls that are made again when their answer is lost.

use crate::{Failure, remote::RemoteServer, screen};
use lastnim_client::new_request_id;
use lastnim_proto::pb;
use std::{error::Error as _, time::Duration};
use tokio::time::{Instant, sleep};
use tonic::{Code, Response, Status};

/// How long a call is repeated. A standby server takes over about ten seconds after the active one is gone. A call that
/// gets no answer ends after 30 seconds, and is repeated once.
const REPEAT_TIME: Duration = Duration::from_mins(1);
/// The pause before a call is repeated.
const REPEAT_PAUSE: Duration = Duration::from_millis(500);

/// Returns whether a call may have been carried out although its answer was lost, or may succeed on a server that takes
/// over.
fn is_lost(status: &Status) -> bool {
    // Only a lost connection has a local cause; a refusal has none.
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded) || status.source().is_some()
}

impl RemoteServer {
    /// Makes a call, and repeats it on new connections for up to a minute while no server answers it. The call must
    /// have the same effect if the server carries it out twice.
    ///
    /// # Errors
    /// If the server refuses the call, or no server answers.
    pub async fn call_repeatedly<T, F>(&self, call: impl Fn() -> F) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let began = Instant::now();
        let mut repeats = 0;
        loop {
            let lost = match call().await {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(status) if is_lost(&status) && began.elapsed() < REPEAT_TIME => status,
                Err(status) => return Err(status),
            };
            if repeats == 0 {
                screen::print_note(format_args!(
                    "the answer of {} was lost ({}): repeating the call for up to {} s",
                    self.name(),
                    lost.message(),
                    REPEAT_TIME.as_secs()
                ));
            }
            repeats += 1;
            sleep(REPEAT_PAUSE).await;
            // If no server answers now, the next call fails as well and is repeated.
            let _ = self.reconnect().await;
        }
    }

    /// Makes a call as [`call_repeatedly`](Self::call_repeatedly) does.
    ///
    /// # Errors
    /// If the server refuses the call, or no server answers.
    pub async fn answer_repeatedly<T, F>(&self, call: impl Fn() -> F) -> Result<T, Failure>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        self.call_repeatedly(call).await.map_err(|status| self.refusal_failure(&status))
    }
}

/// Creates a tournament. If the answer is lost, the request is repeated with the same id.
///
/// # Errors
/// If the server refuses the call, or no server answers.
pub async fn create_tournament(
    remote: &RemoteServer,
    settings: pb::TournamentSettings,
) -> Result<pb::Tournament, Failure> {
    let request = pb::CreateTournamentRequest { settings: Some(settings), request_id: new_request_id() };
    let create = || {
        let (mut tournaments, request) = (remote.tournament_client(), request.clone());
        async move { tournaments.create_tournament(request).await }
    };
    let created = remote.answer_repeatedly(create).await?;
    created.tournament.ok_or_else(|| remote.missing_part_failure("tournament"))
}
