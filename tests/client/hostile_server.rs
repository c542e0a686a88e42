//! The SDK against servers that send without end, do not read, or are silent.

use super::script::{LONG, Script, Scripted, TOURNAMENT, ended, started, tournament_ended};
use super::thinker;
use lastnim_client::{ByteStream, OpeningConnection, Options, ServerAddress, Transport, run};
use lastnim_proto::pb::{self, arena_service_server::ArenaServiceServer, play_response::Event};
use std::{io, sync::Arc, time::Duration};
use tokio::{
    io::{DuplexStream, duplex},
    sync::mpsc,
    time::{Instant, timeout},
};
use tokio_stream::{StreamExt as _, wrappers::ReceiverStream};
use tonic::transport::Server;

#[tokio::test]
async fn a_server_can_open_only_a_limited_number_of_matches() {
    let mut script = Script::start().await;
    let (bot, _permit, _log) = thinker();
    let run = tokio::spawn(run(bot, script.options()));
    let mut session = script.next_session().await;
    session.welcome(0).await;
    for number in 0_u64.. {
        let match_id = format!("01890a5d-ac96-774b-bcce-{number:012x}");
        let event = Event::MatchStarted(Box::new(pb::MatchStarted { match_id, ..started() }));
        if session.tell.send(Ok(pb::PlayResponse { event: Some(event) })).await.is_err() {
            break;
        }
    }
    let expected = "the server sent match 01890a5d-ac96-774b-bcce-000000004e20, but the bot already has 20000 open matches, the maximum";
    assert_eq!(ended(run).await.unwrap_err().to_string(), expected);
}

#[tokio::test]
async fn a_server_that_reads_no_pongs_can_send_only_a_limited_number_of_pings() {
    // The HTTP/2 library closes connections with too many small unread frames, unless the window is large.
    let builder =
        Server::builder().initial_stream_window_size(1_024).initial_connection_window_size(64 << 20);
    let mut script = Script::start_with(builder).await;
    let (bot, _permit, _log) = thinker();
    let run = tokio::spawn(run(bot, script.options()));
    let mut session = script.next_session().await;
    session.welcome(0).await;
    let _pinging = tokio::spawn(async move {
        for id in 0.. {
            session.tell(Event::Ping(pb::Ping { id })).await;
        }
    });
    let expected = "the server sent more requests, but did not read the 41024 replies that are waiting";
    assert_eq!(ended(run).await.unwrap_err().to_string(), expected);
}

/// Connections in memory: time can be paused with them.
struct MemoryTransport(mpsc::Sender<io::Result<DuplexStream>>);

impl Transport for MemoryTransport {
    fn open(&self, _: String) -> OpeningConnection {
        let accepted = self.0.clone();
        Box::pin(async move {
            let (client, server) = duplex(64 << 10);
            accepted.send(Ok(server)).await.map_err(io::Error::other)?;
            Ok(Box::new(client) as Box<dyn ByteStream>)
        })
    }

    fn draw_jitter(&self) -> u32 {
        0
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_falls_silent_is_opened_again() {
    let (sender, sessions) = mpsc::channel(4);
    let (accepted, connections) = mpsc::channel(4);
    let service = ArenaServiceServer::new(Scripted { sessions: sender });
    let connections = ReceiverStream::new(connections);
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(connections.fuse()));
    let server = ServerAddress::new("server:7600").with_transport(Arc::new(MemoryTransport(accepted)));
    let (bot, _permit, _log) = thinker();
    let options = Options::new(server, "right").tournament(TOURNAMENT);
    let run = tokio::spawn(run(bot, options));
    let mut script = Script { server: String::new(), sessions };
    let mut session = script.next_session().await;
    session.welcome_to_the_tournament(0).await;
    // The connection answers keepalive pings all the time, but no event comes.
    let silent_since = Instant::now();
    let mut again = timeout(LONG, script.next_session()).await.expect("it waits forever");
    let waited = silent_since.elapsed();
    assert!((Duration::from_secs(25)..Duration::from_secs(27)).contains(&waited), "{waited:?}");
    again.welcome(0).await;
    again.tell(tournament_ended()).await;
    ended(run).await.unwrap();
}
