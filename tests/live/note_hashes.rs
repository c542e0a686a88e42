//! Note hashes: recorded with rows and takes, or refused if invalid.

use super::{
    host::{Host, exhibition, soon},
    session::{BotSession, declare, take},
};
use lastnim_client::{Bot, MatchView, Options, run_until};
use lastnim_proto::{
    pb::{self, play_request::Action, record_event::Event},
    record::verify_record,
};
use tokio::sync::oneshot;

/// A bot that takes one counter at a time, and counts its calls in its note hashes.
struct Noting {
    asked: u8,
}

impl Bot for Noting {
    fn play(&mut self, _: &MatchView) -> u64 {
        1
    }

    fn note_hash(&mut self) -> Option<[u8; 32]> {
        self.asked += 1;
        Some([self.asked; 32])
    }
}

fn add_note_hash(action: Action, note_hash: Vec<u8>) -> Action {
    match action {
        Action::Declare(declare) => Action::Declare(pb::Declare { note_hash, ..declare }),
        Action::Take(take) => Action::Take(pb::Take { note_hash, ..take }),
        other => panic!("a row or a take: {other:?}"),
    }
}

/// Returns the seats and note hashes of rows and takes.
fn note_hashes(events: &[pb::RecordEvent]) -> Vec<(u32, Vec<u8>)> {
    let note_hash = |event: &pb::RecordEvent| match event.event.clone()? {
        Event::Declared(declared) => Some((declared.seat, declared.note_hash)),
        Event::Took(took) => Some((took.seat, took.note_hash)),
        _ => None,
    };
    events.iter().filter_map(note_hash).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn note_hashes_are_recorded_and_shown_to_watchers() {
    let host = Host::start().await;
    let tokens = host.register_all(["by-hand", "by-sdk"]).await;
    let (mut line, _) = BotSession::open(&host, &tokens[0]).await;
    let (dismiss, dismissed) = oneshot::channel::<()>();
    let options = Options::new(&host.address, tokens[1].clone());
    let playing = tokio::spawn(run_until(Noting { asked: 0 }, options, async {
        // Dropping this at the end of a test stops the bot.
        let _ = dismissed.await;
    }));
    let id = host.create_match(exhibition(["by-hand", "by-sdk"], &[4])).await;
    let watching = {
        let started = line.started().await;
        assert_eq!(started.match_id, id);
        host.watched_to_its_end(&id)
    };
    let hand_play = async {
        for bytes in [31, 33] {
            line.send(add_note_hash(declare(&id, vec![0, 1]), vec![9; bytes])).await;
            let refused = line.refused().await;
            assert_eq!(refused.reason(), pb::RefusalReason::Malformed);
            assert_eq!(
                refused.message,
                format!("a note hash of {bytes} bytes: expected 32 bytes, or no note hash")
            );
            assert!(line.snapshot().await.declaration_left_ms > 0, "the server still waits for its row");
        }
        line.send(add_note_hash(declare(&id, vec![0, 1]), vec![9; 32])).await;
        let turn = line.turn().await;
        line.send(add_note_hash(take(&id, turn.ply, 1), vec![9; 8])).await;
        assert_eq!(line.refused().await.reason(), pb::RefusalReason::Malformed);
        let turn = line.turn().await;
        line.send(add_note_hash(take(&id, turn.ply, 1), vec![10; 32])).await;
        line.send(add_note_hash(take(&id, turn.ply, 1), vec![11; 32])).await;
        let turn = line.turn().await;
        line.take(&turn, 1).await;
        assert_eq!(line.ended().await.reason(), pb::EndReason::Finished);
    };
    let (watched, ()) = soon("the end of the match", async { tokio::join!(watching, hand_play) }).await;
    drop(dismiss);
    soon("the end of the bot", playing).await.unwrap().unwrap();

    let record = host.record(&id).await;
    verify_record(&record).unwrap();
    let mut expected = vec![
        (0, vec![9; 32]),
        (0, vec![10; 32]),
        (0, Vec::new()),
        (1, vec![1; 32]),
        (1, vec![2; 32]),
        (1, vec![3; 32]),
    ];
    let hashes_by_seat = |events: &[pb::RecordEvent]| {
        let mut found = note_hashes(events);
        found.sort_by_key(|(seat, _)| *seat);
        found
    };
    expected.sort_by_key(|(seat, _)| *seat);
    assert_eq!(hashes_by_seat(&record.events), expected);
    let shown: Vec<_> = watched.into_iter().filter_map(|shown| shown.event).collect();
    assert_eq!(hashes_by_seat(&shown), expected);
}
