//! Calls that are made again when their answer is lost.

use crate::{Failure, remote::RemoteServer, screen};
use lastnim_client::new_request_id;
use lastnim_core::game::BotName;
use lastnim_proto::pb;
use lastnim_store::Token;
use std::{error::Error as _, time::Duration};
use tokio::time::{Instant, sleep};
use tonic::{Code, Response, Status};

/// A call that fails later than this after the first one began is not repeated. A standby server takes over within a
/// second after the active one was killed, and about ten seconds after it froze. A call that gets no answer ends after 30
/// seconds, and is repeated once.
const REPEAT_TIME: Duration = Duration::from_mins(1);
/// The pause before a call is repeated.
const REPEAT_PAUSE: Duration = Duration::from_millis(500);

/// Returns why a call to a server is repeated; `None` if it is not. The answer may be lost, although the call may have
/// been carried out, or the server cannot carry it out now.
fn repetition_cause(server: &str, status: &Status) -> Option<String> {
    // Only a lost connection has a local cause; a refusal has none.
    let is_lost = status.source().is_some() || status.code() == Code::DeadlineExceeded;
    if is_lost {
        return Some(format!("got no answer from {server} ({})", status.message()));
    }
    let is_refused_now = status.code() == Code::Unavailable;
    is_refused_now.then(|| format!("{server} cannot carry out the call now ({})", status.message()))
}

impl RemoteServer {
    /// Makes a call, and repeats it on new connections while no server answers it, until a minute has passed. The call must
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
            let status = match call().await {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(status) => status,
            };
            let cause = repetition_cause(self.name(), &status).filter(|_| began.elapsed() < REPEAT_TIME);
            let Some(cause) = cause else { return Err(status) };
            if repeats == 0 {
                let seconds = REPEAT_TIME.as_secs();
                screen::print_note(format_args!("{cause}: repeating the call for up to {seconds} s"));
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

/// Registers a bot with a profile, and with a token that is made here, so that the call can be repeated if its answer is
/// lost.
///
/// # Errors
/// If the server refuses the call, or no server answers.
pub async fn register_bot(
    remote: &RemoteServer,
    bot: &BotName,
    profile: Option<pb::BotProfile>,
) -> Result<pb::RegisterBotResponse, Status> {
    let token = Token::generate().reveal().to_owned();
    let request = pb::RegisterBotRequest { name: bot.to_string(), token, profile };
    let register = || {
        let (mut bots, request) = (remote.bot_client(), request.clone());
        async move { bots.register_bot(request).await }
    };
    remote.call_repeatedly(register).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_tells_a_lost_answer_from_a_refusal() {
        let cause = |status: &Status| repetition_cause("here:1", status);
        let broken = std::io::Error::other("connection reset");
        let lost = Status::from_error(Box::new(broken));
        assert_eq!(cause(&lost).unwrap(), "got no answer from here:1 (connection reset)");
        let stopping = Status::unavailable("the server is stopping");
        let expected = "here:1 cannot carry out the call now (the server is stopping)";
        assert_eq!(cause(&stopping).unwrap(), expected);
        assert_eq!(cause(&Status::internal("the store failed")), None);
    }
}
