//! Rows are secret before they are revealed.

use super::{
    host::{Host, exhibition, soon},
    session::{BotSession, declare},
};
use lastnim_proto::pb::{self, play_response::Event, record_event};

/// The secret row: nothing else in any message looks like it.
const SECRET: [u32; 4] = [3, 1, 2, 0];

/// Returns whether a string contains the row.
fn shows_secret(shown: &str) -> bool {
    shown.contains("offsets: [3, 1, 2, 0]")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_hidden_until_all_are_declared() {
    let host = Host::start().await;
    let bots = ["first", "second", "third", "fourth"];
    let tokens = host.register_all(bots).await;
    let mut lines = Vec::new();
    for token in &tokens {
        lines.push(BotSession::open(&host, token).await.0);
    }
    let id = host.create_match(exhibition(bots, &[6])).await;
    let watching = pb::WatchMatchRequest { match_id: id.clone() };
    let mut early = host.matches().watch_match(watching.clone()).await.unwrap().into_inner();
    for line in &mut lines {
        line.started().await;
    }
    // Of four seats, one declares a valid row, one an invalid row, and one resigns.
    lines[0].send(declare(&id, SECRET.to_vec())).await;
    let declared = lines[0]
        .until(|event| if let Event::Declared(declared) = event { Some(declared) } else { None })
        .await;
    assert_eq!(declared.row.unwrap().offsets, SECRET, "the acknowledgement is for its owner");
    lines[1].send(declare(&id, vec![0; 4])).await;
    assert_eq!(lines[1].refused().await.reason(), pb::RefusalReason::InvalidRow);
    let resign = pb::Resign { match_id: id.clone() };
    lines[2].send(pb::play_request::Action::Resign(resign)).await;
    let forfeited_seat = |event| if let Event::Forfeited(lost) = event { Some(lost.seat) } else { None };
    assert_eq!(lines[3].until(forfeited_seat).await, 2);

    let record = host.record(&id).await;
    let shown_match = host.get_match(&id).await;
    let list = host.matches().list_matches(pb::ListMatchesRequest::default()).await.unwrap().into_inner();
    let mut late = host.matches().watch_match(watching).await.unwrap().into_inner();
    let mut so_far = Vec::new();
    while so_far.len() < record.events.len() {
        so_far.push(soon("an event", late.message()).await.unwrap().unwrap());
    }
    // Another session of a bot that has not declared sees no more.
    let (mut again, _) = BotSession::open(&host, &tokens[3]).await;
    let snapshot = again.snapshot().await;
    assert_eq!((snapshot.phase(), &snapshot.alliance_matrix), (pb::Phase::Declaring, &None));
    let shown = format!("{record:?} {shown_match:?} {list:?} {so_far:?} {snapshot:?}");
    assert!(!shows_secret(&shown) && !shown.contains("offsets"), "{shown}");
    assert_eq!(event_summaries(&record.events), ["created", "forfeited 2"]);
    assert!(record.events.iter().all(|event| event.hash.is_empty()), "a hash would allow guessing rows");

    again.send(declare(&id, vec![0, 1, 2, 3])).await;
    let revealed =
        again.until(|event| if let Event::Revealed(revealed) = event { Some(revealed) } else { None }).await;
    assert_eq!(revealed.alliance_matrix.unwrap().rows[0].offsets, SECRET);
    assert_eq!(revealed.defaulted, [1, 2]);
    // Now it is public: in the record in order, and for watchers just before the reveal.
    let record = host.record(&id).await;
    assert!(shows_secret(&format!("{record:?}")));
    let revelation = async {
        let mut events = Vec::new();
        loop {
            let event = early.message().await.unwrap().unwrap().event.unwrap();
            let over = matches!(event.event, Some(record_event::Event::Revealed(_)));
            events.push(event);
            if over {
                return events;
            }
        }
    };
    let watched = soon("the revelation", revelation).await;
    assert_eq!(
        event_summaries(&watched),
        ["created", "forfeited 2", "row 0", "row 1", "row 2", "row 3", "revealed"]
    );
    let recorded = &record.events[..watched.len()];
    assert_eq!(
        event_summaries(recorded),
        ["created", "row 0", "row 1", "forfeited 2", "row 2", "row 3", "revealed"]
    );
    let is_ordered = |events: &[pb::RecordEvent]| events.is_sorted_by_key(|event| event.at_us);
    assert!(is_ordered(recorded) && !is_ordered(&watched));
}

/// Summarises events.
fn event_summaries(events: &[pb::RecordEvent]) -> Vec<String> {
    let told = |event: &pb::RecordEvent| match event.event.as_ref().unwrap() {
        record_event::Event::Created(_) => "created".to_owned(),
        record_event::Event::Declared(row) => format!("row {}", row.seat),
        record_event::Event::Revealed(_) => "revealed".to_owned(),
        record_event::Event::Forfeited(lost) => format!("forfeited {}", lost.seat),
        other => format!("{other:?}"),
    };
    events.iter().map(told).collect()
}
