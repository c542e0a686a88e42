//! Limits on the lines that strangers and bots can make the server log, over real sockets.

mod running_server;

use lastnim_client::{connect, token_authorization};
use lastnim_proto::pb::{
    self, PlayRequest, arena_service_client::ArenaServiceClient, bot_service_client::BotServiceClient,
    match_service_client::MatchServiceClient,
};
use running_server::RunningServer;
use std::{
    io::{BufRead as _, BufReader},
    net::Ipv4Addr,
    process::Stdio,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpSocket,
};
use tokio_stream::wrappers::ReceiverStream;

const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/// A timeout that no wait reaches unless something is wrong.
const TIMEOUT: Duration = Duration::from_mins(2);
const CONNECTIONS: usize = 400;
const MAX_LINES: usize = 300;

/// A running server and its log.
struct LoggedServer {
    server: RunningServer,
    log: mpsc::Receiver<String>,
}

impl LoggedServer {
    fn start() -> Self {
        let mut server = RunningServer::start(ADMIN, |command| {
            command.env_remove("LASTNIM_LOG").env_remove("RUST_LOG").stderr(Stdio::piped());
        });
        let lines = BufReader::new(server.process.stderr.take().unwrap()).lines();
        let (sender, log) = mpsc::channel();
        // The thread ends with the program.
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { server, log }
    }

    /// Returns the lines of the log up to the first that sums others up.
    fn lines_to_sum(&self, words: &str) -> Vec<String> {
        let (began, mut lines) = (Instant::now(), Vec::new());
        loop {
            let left = TIMEOUT.saturating_sub(began.elapsed());
            lines.push(
                self.log.recv_timeout(left).unwrap_or_else(|_| panic!("no line {words:?}: {lines:#?}")),
            );
            let last: &String = lines.last().unwrap();
            if last.contains(" more lines like this") && last.contains(words) {
                return lines;
            }
        }
    }
}

/// Returns the number in a line that sums others up.
fn dropped_lines(sum: &str) -> usize {
    sum.split(" more lines like this").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn takeovers_of_one_bot_are_summed_up() {
    let program = LoggedServer::start();
    let channel = connect(&program.server.address).await.unwrap();
    let mut bots = BotServiceClient::with_interceptor(channel.clone(), token_authorization(ADMIN).unwrap());
    let token =
        bots.register_bot(pb::RegisterBotRequest { name: "one".into(), ..Default::default() }).await.unwrap();
    let token = token_authorization(&token.into_inner().token).unwrap();
    let mut arena = ArenaServiceClient::with_interceptor(channel, token);
    for _ in 0..CONNECTIONS {
        let (requests, outbound) = tokio::sync::mpsc::channel::<PlayRequest>(1);
        let mut responses = arena.play(ReceiverStream::new(outbound)).await.unwrap().into_inner();
        responses.message().await.unwrap();
        drop(requests);
    }
    let lines = program.lines_to_sum("bot connected");
    assert!(lines.len() < MAX_LINES, "{} lines", lines.len());
    let sum = lines.last().unwrap();
    let written =
        lines.iter().filter(|line| line.contains("bot connected") && !line.contains("more like")).count();
    assert!(sum.contains("from 127.0.0.1 in 10 s"), "{sum}");
    assert!(written + dropped_lines(sum) >= CONNECTIONS / 2, "{written} lines and {sum}");
}

/// Returns the bytes of a client that opens streams and resets them at once.
fn reset_frames(streams: u32) -> Vec<u8> {
    let mut frames = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
    for stream in (0..streams).map(|number| (2 * number + 1).to_be_bytes()) {
        // GET / without an authority, in the static table of HPACK.
        frames.extend([&[0, 0, 3, 1, 5], &stream[..], &[0x82, 0x84, 0x86]].concat());
        frames.extend([&[0, 0, 4, 3, 0], &stream[..], &[0, 0, 0, 8]].concat());
    }
    frames
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rapid_resets_handshakes_and_wrong_tokens_are_summed_up() {
    let program = LoggedServer::start();
    let resets = reset_frames(100);
    let handshake = [22, 3, 1, 0, 5, 1, 0, 0, 1, 0];
    for number in 0..CONNECTIONS {
        for bytes in [&resets[..], &handshake] {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind((Ipv4Addr::new(127, 0, 0, (number % 5) as u8 + 1), 0).into()).unwrap();
            let mut stream = socket.connect(program.server.address.parse().unwrap()).await.unwrap();
            // The server may close the connection first.
            let _ = stream.write_all(bytes).await;
            let _ = stream.shutdown().await;
            let _ = stream.read_to_end(&mut Vec::new()).await;
        }
    }
    let channel = connect(&program.server.address).await.unwrap();
    let wrong = token_authorization("lastnim_wrong").unwrap();
    let mut matches = MatchServiceClient::with_interceptor(channel, wrong);
    for _ in 0..CONNECTIONS {
        matches.get_public_key(pb::GetPublicKeyRequest {}).await.unwrap_err();
    }
    let lines = program.lines_to_sum("recv_reset");
    let size: usize = lines.iter().map(String::len).sum();
    assert!(lines.len() < MAX_LINES && size < 60_000, "{} lines with {size} bytes", lines.len());
    let written = lines.iter().filter(|line| line.contains("recv_reset")).count();
    assert!(written + dropped_lines(lines.last().unwrap()) > CONNECTIONS / 2, "{written}: {lines:#?}");
}
