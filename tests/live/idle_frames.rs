//! Floods of HTTP/2 frames that lead to no work.

use super::{
    host::{Host, exhibition, soon},
    http2::{PREFACE, SETTINGS, local, read_frame, socket},
    session::BotSession,
};
use lastnim_server::Config;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

const GOAWAY: u8 = 7;
const ENHANCE_YOUR_CALM: [u8; 4] = [0, 0, 0, 11];

/// Frames that a client may send at any time.
const IDLE_FRAMES: [(&str, &[u8]); 5] = [
    ("WINDOW_UPDATE", &[0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    ("PING", &[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ("SETTINGS", SETTINGS),
    ("PRIORITY", &[0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]),
    ("an unknown frame", &[0, 0, 0, 99, 0, 0, 0, 0, 0]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_idle_frames_closes_the_connection() {
    // Here silence does not close connections.
    let hour = Duration::from_hours(1);
    let host = Host::with(Config { first_call_timeout: hour, ..Config::default() }).await;
    let tokens = host.register_all(["one", "two"]).await;
    let (one, _) = BotSession::open(&host, &tokens[0]).await;
    let (two, _) = BotSession::open(&host, &tokens[1]).await;
    for (name, frame) in IDLE_FRAMES {
        let (mut reading, mut writing) = socket(&host.address, local(1)).await.into_split();
        writing.write_all(&[PREFACE, SETTINGS].concat()).await.unwrap();
        let flood = frame.repeat(1_000);
        let flooding = tokio::spawn(async move { while writing.write_all(&flood).await.is_ok() {} });
        let answered = async {
            let mut last = None;
            while let Ok(frame) = read_frame(&mut reading).await {
                last = Some(frame);
            }
            last.expect("a frame of the server")
        };
        let last = soon("the end of a flooded connection", answered).await;
        assert_eq!((last.kind, &last.payload[4..8]), (GOAWAY, &ENHANCE_YOUR_CALM[..]), "{name}");
        soon("the end of a flood", flooding).await.unwrap();
    }
    host.create_match(exhibition(["one", "two"], &[2, 2])).await;
    for playing in [one.playing_timidly(1), two.playing_timidly(1)] {
        soon("the end of the match", playing).await.unwrap();
    }
}
