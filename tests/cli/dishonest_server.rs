//! A server that lists one match under any id, and sends the frozen record for it.

use super::record_fixture::{FROZEN_KEY, Folder, LASTNIM, frozen, json, offline};
use lastnim_core::referee::PublicKey;
use lastnim_proto::{
    pb::{
        self,
        match_service_server::{MatchService, MatchServiceServer},
    },
    record_file::read_record,
};
use std::{
    convert::Infallible,
    future::{Pending, Ready, pending, ready},
    net::SocketAddr,
    process::Command,
    task::{Context, Poll},
};
use tokio::net::TcpListener;
use tokio_stream::{Empty, wrappers::TcpListenerStream};
use tonic::{
    Request, Response, Status,
    body::Body,
    codegen::{BoxFuture, Service},
    server::{Grpc, NamedService, UnaryService},
    transport::Server,
};
use tonic_prost::ProstCodec;

/// The contents of its answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Dishonest {
    /// The id under which it lists the match.
    pub(super) listed_id: String,
    /// The bots that it lists.
    pub(super) bots: Vec<String>,
    /// The message with which it refuses everything else.
    pub(super) refusal: String,
}

impl Dishonest {
    /// Starts it on a free port. It ends with the process.
    pub(super) fn start(self) -> SocketAddr {
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                send.send(listener.local_addr().unwrap()).unwrap();
                let service = MatchServiceServer::new(self);
                Server::builder()
                    .add_service(service)
                    .add_service(AnyTournament)
                    .add_service(SilentBots)
                    .serve_with_incoming(TcpListenerStream::new(listener))
                    .await
                    .unwrap();
            });
        });
        receive.recv().unwrap()
    }

    fn refuse<T>(&self) -> Result<Response<T>, Status> {
        Err(Status::not_found(self.refusal.clone()))
    }
}

#[tonic::async_trait]
impl MatchService for Dishonest {
    type WatchMatchStream = Empty<Result<pb::WatchMatchResponse, Status>>;

    async fn list_matches(
        &self,
        _: Request<pb::ListMatchesRequest>,
    ) -> Result<Response<pb::ListMatchesResponse>, Status> {
        let game = pb::Match {
            id: self.listed_id.clone(),
            phase: pb::Phase::Ended.into(),
            setup: Some(pb::MatchSetup { bots: self.bots.clone(), ..Default::default() }),
            ..Default::default()
        };
        Ok(Response::new(pb::ListMatchesResponse { matches: vec![game], ..Default::default() }))
    }

    async fn get_record(
        &self,
        _: Request<pb::GetRecordRequest>,
    ) -> Result<Response<pb::GetRecordResponse>, Status> {
        let record = read_record(&frozen("record.json")).unwrap();
        Ok(Response::new(pb::GetRecordResponse { record: Some(record) }))
    }

    async fn get_public_key(
        &self,
        _: Request<pb::GetPublicKeyRequest>,
    ) -> Result<Response<pb::GetPublicKeyResponse>, Status> {
        let key: PublicKey = FROZEN_KEY.parse().unwrap();
        Ok(Response::new(pb::GetPublicKeyResponse { public_key: key.as_bytes().to_vec() }))
    }

    async fn create_match(
        &self,
        _: Request<pb::CreateMatchRequest>,
    ) -> Result<Response<pb::CreateMatchResponse>, Status> {
        self.refuse()
    }

    async fn get_match(
        &self,
        _: Request<pb::GetMatchRequest>,
    ) -> Result<Response<pb::GetMatchResponse>, Status> {
        self.refuse()
    }

    async fn watch_match(
        &self,
        _: Request<pb::WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        self.refuse()
    }

    async fn prune_records(
        &self,
        _: Request<pb::PruneRecordsRequest>,
    ) -> Result<Response<pb::PruneRecordsResponse>, Status> {
        self.refuse()
    }
}

/// A service that finds every tournament.
#[derive(Debug, Clone)]
struct AnyTournament;

impl NamedService for AnyTournament {
    const NAME: &'static str = "lastnim.v1.TournamentService";
}

impl UnaryService<pb::GetTournamentRequest> for AnyTournament {
    type Response = pb::GetTournamentResponse;
    type Future = Ready<Result<Response<pb::GetTournamentResponse>, Status>>;

    fn call(&mut self, _: Request<pb::GetTournamentRequest>) -> Self::Future {
        ready(Ok(Response::new(pb::GetTournamentResponse {
            tournament: Some(pb::Tournament::default()),
            ..pb::GetTournamentResponse::default()
        })))
    }
}

impl Service<http::Request<Body>> for AnyTournament {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<http::Response<Body>, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async move { Ok(Grpc::new(ProstCodec::default()).unary(Self, request).await) })
    }
}

/// A register of bots that answers nothing.
#[derive(Debug, Clone)]
struct SilentBots;

impl NamedService for SilentBots {
    const NAME: &'static str = "lastnim.v1.BotService";
}

impl Service<http::Request<Body>> for SilentBots {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pending<Result<http::Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: http::Request<Body>) -> Self::Future {
        pending()
    }
}

/// The id of the frozen record.
const FROZEN_ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn export(listed_id: &str, folder: &Folder) -> (i32, String, String) {
    let server = Dishonest { listed_id: listed_id.to_owned(), ..Dishonest::default() }.start().to_string();
    let dir = folder.path("in/records");
    offline(&["record", "export", "--dir", &dir, "--server", &server], "")
}

#[test]
fn an_export_writes_only_into_its_folder() {
    let folder = Folder::new("dishonest-export");
    let (code, _, errors) = export(FROZEN_ID, &folder);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(folder.files("in/records"), [format!("{FROZEN_ID}.json")]);
    for bad in ["../../x", "/tmp/x", "", "x", &FROZEN_ID.to_uppercase()] {
        let (code, _, errors) = export(bad, &folder);
        assert_eq!(code, 1, "{bad:?}: {errors}");
        assert!(errors.contains(&format!("the server listed match {bad:?}: ")), "{errors}");
        assert!(errors.contains(FROZEN_ID), "{errors}");
    }
    assert_eq!(folder.files("."), ["in"]);
    assert_eq!(folder.files("in"), ["records"]);
}

#[test]
fn a_record_of_another_match_is_refused() {
    let folder = Folder::new("dishonest-record");
    let other = "01890a5d-ac96-774b-bcce-b302099a8058";
    let (code, _, errors) = export(other, &folder);
    let why = format!(
        "left out: match {other}: its record does not verify: the record belongs to match {FROZEN_ID}"
    );
    assert!(code == 1 && errors.contains(&why), "{errors}");
    assert_eq!(folder.files("in/records"), [""; 0]);
    let server = Dishonest::default().start().to_string();
    let output = Command::new(LASTNIM).args(["record", "get", other, "--server", &server]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains(&format!("of match {other} that does not verify")), "{errors}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_record_of_another_tournament_is_refused() {
    let folder = Folder::new("dishonest-tournament");
    let server = Dishonest { listed_id: FROZEN_ID.to_owned(), ..Dishonest::default() }.start().to_string();
    let dir = folder.path("records");
    let export =
        |id: &str| offline(&["record", "export", "--dir", &dir, "--server", &server, "--tournament", id], "");
    let other = "01890a5d-ac96-774b-bcce-b302099a8099";
    for _ in 0..2 {
        let (code, _, errors) = export(other);
        let why = format!("left out: match {FROZEN_ID}: its record belongs to tournament ");
        assert!(code == 1 && errors.contains(&why), "{errors}");
        assert!(errors.contains(&format!(", not to --tournament {other}")), "{errors}");
        // The second time, there is a record that another export wrote.
        let (code, output, errors) = offline(&["record", "export", "--dir", &dir, "--server", &server], "");
        assert_eq!(code, 0, "{output}{errors}");
    }
}

#[test]
fn a_server_that_does_not_answer_causes_a_timeout_error() {
    let server = Dishonest::default().start().to_string();
    let (code, _, errors) = offline(&["login", "--server", &server], "token\n");
    let why = format!("error: the server at {server} did not answer GetCaller within 30s\n");
    assert_eq!((code, errors), (1, why));
}

#[test]
fn text_from_a_server_does_not_control_the_terminal() {
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}";
    let shown = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202e";
    let server = Dishonest {
        listed_id: FROZEN_ID.to_owned(),
        bots: vec![format!("alice{hostile}"), "bob".to_owned()],
        refusal: format!("no match {hostile}"),
    };
    let server = server.start().to_string();
    for (command, is_json) in [
        (&["match", "show", FROZEN_ID][..], false),
        (&["match", "show", FROZEN_ID, "--json"], true),
        (&["match", "watch", FROZEN_ID], false),
        (&["match", "list"], false),
        (&["match", "list", "--csv"], false),
        (&["match", "list", "--json"], true),
    ] {
        let (_, output, errors) = offline(&[command, &["--server", &server]].concat(), "");
        let all_output = output + &errors;
        assert!(all_output.contains(shown), "{command:?}: {all_output:?}");
        assert!(
            all_output.chars().all(|char| char == '\n' || (' '..='~').contains(&char)),
            "{command:?}: {all_output:?}"
        );
        if is_json {
            assert!(json(&all_output).to_string().contains('\u{202e}'), "{all_output}");
        }
    }
}
