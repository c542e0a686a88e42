//! Attacks on long-lived streams.

use super::{
    host::{Host, exhibition, patient_clock, soon},
    http2::PREFACE,
    pages::get,
    proxy::Proxy,
    raw,
    session::{BotSession, End, reason, take},
    vanish::forfeits,
};
use lastnim_arena::Limits;
use lastnim_client::connect;
use lastnim_proto::pb::{self, play_request::Action};
use lastnim_server::Config;
use prost::bytes::Bytes;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{MissedTickBehavior, interval},
};
use tokio_stream::StreamExt as _;
use tonic::Code;
use tonic_types::StatusExt as _;

const UNKNOWN: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// Plays a match between two sessions, to show that they still work.
async fn still_playable(host: &Host, bots: [&str; 2], one: BotSession, two: BotSession) {
    let id = host.create_match(exhibition(bots, &[2, 2])).await;
    for playing in [one.playing_timidly(1), two.playing_timidly(1)] {
        soon("the end of the match", playing).await.unwrap();
    }
    assert_eq!(forfeits(host, &id).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_small_frames_do_not_affect_other_streams() {
    let limits = Limits { idle_message_burst: 1 << 40, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let tokens = host.register_all(["flood", "calm"]).await;
    let channel = connect(&host.address).await.unwrap();
    let (mut flood, _) = BotSession::open_on(channel.clone(), &tokens[0]).await;
    let (calm, _) = BotSession::open_on(channel, &tokens[1]).await;
    for id in 100..20_100 {
        flood.send(Action::Pong(pb::Pong { id })).await;
    }
    still_playable(&host, ["flood", "calm"], flood, calm).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn closing_the_sending_side_closes_the_session() {
    let host = Host::start().await;
    let token = host.register("polite").await;
    let (BotSession { outbound, inbound }, _) = BotSession::open(&host, &token).await;
    assert!(host.bot("polite").await.connected);
    drop(outbound);
    let (spare, _) = tokio::sync::mpsc::channel(1);
    assert!(matches!(BotSession { outbound: spare, inbound }.end().await, End::Clean));
    host.until_bot("polite", |bot| !bot.connected).await;
    let (_line, welcome) = BotSession::open(&host, &token).await;
    assert_eq!(welcome.bot, "polite");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_peer_counts_as_disconnected() {
    // This is long enough for a healthy peer to answer on a busy machine.
    let keepalive = Duration::from_secs(3);
    let host = Host::with(Config {
        keepalive_interval: keepalive,
        keepalive_timeout: keepalive,
        ..Config::default()
    })
    .await;
    let [steady, frozen] = host.register_all(["steady", "frozen"]).await;
    let proxy = Proxy::to(&host.address).await;
    let (steady, _) = BotSession::open(&host, &steady).await;
    let (mut line, _) = BotSession::open_at(&proxy.address, &frozen).await;
    let clock = pb::Clock { initial_ms: 20_000, ..patient_clock() };
    let request = pb::CreateMatchRequest { clock: Some(clock), ..exhibition(["steady", "frozen"], &[3]) };
    let id = host.create_match(request).await;
    let playing = steady.playing_timidly(1);
    let started = line.started().await;
    line.declare_standard(&started).await;
    line.turn().await;
    proxy.freeze();
    host.until_bot("frozen", |bot| !bot.connected).await;
    soon("the end of the match", playing).await.unwrap();
    assert_eq!(forfeits(&host, &id).await, [(1, pb::ForfeitReason::Disconnected)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_above_the_limit_are_refused_and_can_retry() {
    let limits = Limits { sessions: 2, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let tokens = host.register_all(["one", "two", "three"]).await;
    let (one, _) = BotSession::open(&host, &tokens[0]).await;
    let (mut two, _) = BotSession::open(&host, &tokens[1]).await;
    let refused = BotSession::try_open_on(host.channel.clone(), &tokens[2]).await.err().unwrap();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "FULL"));
    let retry = refused.get_details_retry_info().and_then(|info| info.retry_delay);
    assert!(retry.is_some_and(|delay| delay > Duration::ZERO));
    // A reconnecting session keeps its slot.
    let (newer, _) = BotSession::open(&host, &tokens[1]).await;
    assert_eq!(two.end().await.reason(), "REPLACED");
    drop(one);
    let entering = async {
        loop {
            if let Ok(line) = BotSession::try_open_on(host.channel.clone(), &tokens[2]).await {
                return line;
            }
        }
    };
    let three = soon("a place", entering).await;
    still_playable(&host, ["two", "three"], newer, three).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_above_the_limit_are_closed() {
    let host = Host::with(Config { connections: 2, ..Config::default() }).await;
    let token = host.register("first").await;
    let is_rejected = |mut stream: TcpStream| async move {
        let mut byte = [0];
        // Only reading tells for certain that a connection is closed.
        let _ = stream.write_all(PREFACE).await;
        soon("a word of the server", stream.read(&mut byte)).await.unwrap_or(0) == 0
    };
    // Both slots are used by connections with a token.
    let (kept, _) = BotSession::open(&host, &token).await;
    for _ in 0..20 {
        assert!(is_rejected(TcpStream::connect(&host.address).await.unwrap()).await);
    }
    let answer = get(&host, "/").await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, "10"), "browsers are told why");
    host.register("second").await;
    drop(kept);
    let entering = async { while is_rejected(TcpStream::connect(&host.address).await.unwrap()).await {} };
    soon("a place", entering).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_never_reads_loses_its_session() {
    let host = Host::start().await;
    let tokens = host.register_all(["slow", "one", "two"]).await;
    let mut slow = BotSession::open_narrow(&host, &tokens[0]).await;
    let (one, _) = BotSession::open(&host, &tokens[1]).await;
    let (two, _) = BotSession::open(&host, &tokens[2]).await;
    let clock = pb::Clock { declaration_ms: 1, ..patient_clock() };
    let request = pb::CreateMatchRequest {
        first: 1,
        clock: Some(clock),
        ..exhibition(["slow", "one", "two"], &[2; 400])
    };
    let id = host.create_match(request).await;
    // It resigns, so that nobody has to wait for its clock.
    slow.send(Action::Resign(pb::Resign { match_id: id.clone() })).await;
    for playing in [one.playing_timidly(1), two.playing_timidly(1)] {
        soon("the end of the match", playing).await.unwrap();
    }
    host.until_bot("slow", |bot| !bot.connected).await;
    let lost: Vec<u32> = forfeits(&host, &id).await.into_iter().map(|(seat, _)| seat).collect();
    assert_eq!(lost, [0]);
    let end = slow.end().await.status();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::ResourceExhausted, "SLOW_READER"));
    assert!(end.message().contains("messages waited)"), "{end:?}");
}

#[tokio::test]
async fn too_many_repeated_takes_only_end_the_session() {
    let limits = Limits { idle_message_burst: 20, idle_messages_per_second: 0, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let tokens = host.register_all(["hasty", "calm"]).await;
    let (mut hasty, _) = BotSession::open(&host, &tokens[0]).await;
    let (calm, _) = BotSession::open(&host, &tokens[1]).await;
    let id = host.create_match(exhibition(["hasty", "calm"], &[4])).await;
    let playing = calm.playing_timidly(1);
    let started = hasty.started().await;
    hasty.declare_standard(&started).await;
    let turn = hasty.turn().await;
    for _ in 0..50 {
        hasty.outbound.try_send(pb::PlayRequest { action: Some(take(&id, turn.ply, 1)) }).unwrap();
    }
    let end = hasty.end().await.status();
    assert_eq!(
        (end.code(), reason(&end).as_str()),
        (Code::ResourceExhausted, "TOO_MANY_UNPRODUCTIVE_MESSAGES")
    );
    let (mut hasty, _) = BotSession::open(&host, &tokens[0]).await;
    hasty.play_timidly(1).await;
    soon("the end of the match", playing).await.unwrap();
    assert_eq!(forfeits(&host, &id).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_large_messages_only_end_their_session() {
    let host = Host::start().await;
    let tokens = host.register_all(["large", "calm"]).await;
    let channel = connect(&host.address).await.unwrap();
    let (mut large, _) = BotSession::open_on(channel.clone(), &tokens[0]).await;
    let (calm, _) = BotSession::open_on(channel.clone(), &tokens[1]).await;
    large.send(take(&"x".repeat(60_000), 0, 1)).await;
    assert_eq!(large.refused().await.reason(), pb::RefusalReason::UnknownMatch);
    large.send(take(&"x".repeat(66_000), 0, 1)).await;
    let end = large.end().await.status();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::InvalidArgument, "MALFORMED"));
    assert!(end.message().contains("65536"), "it names the limit: {end:?}");
    let (large, _) = BotSession::open_on(channel, &tokens[0]).await;
    still_playable(&host, ["large", "calm"], large, calm).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_protobuf_only_ends_its_session() {
    let host = Host::start().await;
    let tokens = host.register_all(["garbler", "calm"]).await;
    let channel = connect(&host.address).await.unwrap();
    let (calm, _) = BotSession::open_on(channel.clone(), &tokens[1]).await;
    for garbage in [&[0xff; 20][..], &[0x0a, 0x7f, 1], &[0x08], &[0x12, 0xff, 0xff, 0xff, 0xff, 0x0f]] {
        let messages = tokio_stream::iter([Bytes::copy_from_slice(garbage)]).chain(tokio_stream::pending());
        let mut stream = raw::play(channel.clone(), &tokens[0], messages).await.unwrap();
        let end = loop {
            match soon("the end of the stream", stream.message()).await {
                Ok(message) => assert!(message.is_some(), "{garbage:?}: the stream ended well"),
                Err(status) => break status,
            }
        };
        assert_eq!((end.code(), reason(&end).as_str()), (Code::InvalidArgument, "MALFORMED"), "{garbage:?}");
        assert!(end.message().contains("failed to decode"), "it names the error: {end:?}");
    }
    let huge = "\0\u{7f}\u{7f}\u{7f}\u{7f}".to_owned();
    for body in [String::new(), "\0".into(), "\u{1}\0\0\0\0".into(), "\u{7}\0\0\0\u{1}x".into(), huge] {
        assert!(raw::post(channel.clone(), &tokens[0], body.clone()).await.is_success(), "{body:?}");
    }
    host.until_bot("garbler", |bot| !bot.connected).await;
    let (garbler, _) = BotSession::open_on(channel, &tokens[0]).await;
    still_playable(&host, ["garbler", "calm"], garbler, calm).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_idle_messages_only_end_the_session() {
    let limits = Limits { idle_message_burst: 60, idle_messages_per_second: 0, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let tokens = host.register_all(["noisy", "calm"]).await;
    let (mut noisy, _) = BotSession::open(&host, &tokens[0]).await;
    let (calm, _) = BotSession::open(&host, &tokens[1]).await;
    let clock = pb::Clock { initial_ms: 8_000, ..patient_clock() };
    let request = pb::CreateMatchRequest { clock: Some(clock), ..exhibition(["noisy", "calm"], &[4]) };
    let id = host.create_match(request).await;
    let playing = calm.playing_timidly(1);
    let started = noisy.started().await;
    noisy.declare_standard(&started).await;
    noisy.turn().await;
    for ply in 0..2_000 {
        // The server closes the stream at some point, so sending may fail.
        let _ = noisy.outbound.try_send(pb::PlayRequest { action: Some(take(UNKNOWN, ply, 1)) });
    }
    let end = noisy.end().await.status();
    assert_eq!(
        (end.code(), reason(&end).as_str()),
        (Code::ResourceExhausted, "TOO_MANY_UNPRODUCTIVE_MESSAGES")
    );
    let (_, ended) = soon("the end of the match", playing).await.unwrap();
    assert_eq!(ended[0].reason(), pb::EndReason::Finished);
    assert_eq!(forfeits(&host, &id).await, [(0, pb::ForfeitReason::Disconnected)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_idle_messages_do_not_allow_a_larger_burst_later() {
    let limits = Limits { idle_message_burst: 100, idle_messages_per_second: 100, ..Limits::default() };
    let host = Host::with(Config { limits, ..Config::default() }).await;
    let token = host.register("chatty").await;
    let (mut chatty, _) = BotSession::open(&host, &token).await;
    let idle_message = |ply| pb::PlayRequest { action: Some(take(UNKNOWN, ply, 1)) };
    // The messages come at half of the allowed pace, for longer than the burst lasts.
    let mut pace = interval(Duration::from_millis(20));
    // After a stall, the messages do not come faster.
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for ply in 0..125 {
        pace.tick().await;
        chatty.outbound.send(idle_message(ply)).await.unwrap();
    }
    let mut ply = 0;
    while chatty.outbound.send(idle_message(ply)).await.is_ok() {
        assert!(ply < 100_000, "the stream stays open");
        ply += 1;
    }
    let end = chatty.end().await.status();
    assert_eq!(reason(&end), "TOO_MANY_UNPRODUCTIVE_MESSAGES");
}
