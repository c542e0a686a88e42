//! Talk: a message reaches its audience alone, when its round ends, and costs nothing if it is refused.

use super::{
    host::{Host, exhibition},
    session::{BotSession, declare},
};
use lastnim_proto::{
    pb::{self, play_request::Action, play_response::Event, record_event},
    record::{parse_record, verify_record},
};

const BOTS: [&str; 3] = ["ann", "bob", "cleo"];
/// The text of a private message, which nothing else contains.
const SECRET: &str = "let us favour cleo";

fn say(id: &str, number: u32, to: &[u32], text: &str) -> Action {
    let content = pb::TalkContent { content: Some(pb::talk_content::Content::Text(text.to_owned())) };
    Action::Say(pb::Say {
        match_id: id.to_owned(),
        round: 0,
        number,
        to: to.to_vec(),
        content: Some(content),
    })
}

fn end_talk(id: &str, round: u32) -> Action {
    Action::EndTalk(pb::EndTalk { match_id: id.to_owned(), round })
}

async fn accepted(line: &mut BotSession) -> (u32, Option<u32>) {
    line.until(|event| match event {
        Event::TalkAccepted(accepted) => Some((accepted.round, accepted.number)),
        _ => None,
    })
    .await
}

async fn heard(line: &mut BotSession) -> pb::Heard {
    line.until(|event| if let Event::Heard(heard) = event { Some(heard) } else { None }).await
}

fn texts(messages: &[pb::TalkMessage]) -> Vec<(u32, &str)> {
    let text = |message: &pb::TalkMessage| (message.seat, message.content.clone());
    assert!(messages.iter().map(text).all(|(_, content)| content.is_some()));
    messages
        .iter()
        .filter_map(|message| match message.content.as_ref()?.content.as_ref()? {
            pb::talk_content::Content::Text(text) => Some((message.seat, text.as_str())),
            pb::talk_content::Content::Claim(_) => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_reaches_its_audience_alone() {
    let host = Host::start().await;
    let tokens = host.register_all(BOTS).await;
    let mut lines = Vec::new();
    for token in &tokens {
        lines.push(BotSession::open(&host, token).await.0);
    }
    let talk = Some(pb::Talk { rounds: 1, ..pb::Talk::default() });
    let id = host.create_match(pb::CreateMatchRequest { talk, ..exhibition(BOTS, &[1]) }).await;
    for line in &mut lines {
        let setup = line.started().await.setup.unwrap();
        let expected = pb::Talk {
            rounds: 1,
            round_ms: 60_000,
            text_chars: 500,
            privacy: pb::TalkPrivacy::Private.into(),
        };
        assert_eq!(setup.talk, Some(expected));
    }
    lines[0].send(say(&id, 0, &[], "hello")).await;
    assert_eq!(accepted(&mut lines[0]).await, (0, Some(0)));
    lines[0].send(say(&id, 1, &[1], SECRET)).await;
    assert_eq!(accepted(&mut lines[0]).await, (0, Some(1)));
    lines[0].send(say(&id, 1, &[1], SECRET)).await;
    assert_eq!(accepted(&mut lines[0]).await, (0, Some(1)), "the same message again is accepted again");
    lines[0].send(say(&id, 2, &[0], "myself")).await;
    let refused = lines[0].refused().await;
    assert_eq!((refused.reason(), refused.strikes), (pb::RefusalReason::InvalidTalk, 0));
    let before = host.record(&id).await;
    assert_eq!(before.events.len(), 1, "nobody sees a message before its round ends");

    // A session that begins in the round knows what its own seat has said.
    let (mut again, _) = BotSession::open(&host, &tokens[0]).await;
    let snapshot = again.snapshot().await;
    let state = snapshot.talk.clone().unwrap();
    assert_eq!((snapshot.phase(), state.round, state.ended), (pb::Phase::Declaring, Some(0), false));
    assert_eq!(texts(&state.messages), [(0, "hello"), (0, SECRET)]);
    again.send(end_talk(&id, 0)).await;
    assert_eq!(accepted(&mut again).await, (0, None));
    lines[0] = again;
    // A bot that does not talk may declare at once.
    lines[1].send(declare(&id, vec![0, 1, 2])).await;
    lines[2].send(end_talk(&id, 0)).await;
    assert_eq!(texts(&heard(&mut lines[0]).await.messages), []);
    assert_eq!(texts(&heard(&mut lines[1]).await.messages), [(0, "hello"), (0, SECRET)]);
    assert_eq!(texts(&heard(&mut lines[2]).await.messages), [(0, "hello")]);
    let (mut late, _) = BotSession::open(&host, &tokens[2]).await;
    let snapshot = late.snapshot().await;
    let state = snapshot.talk.clone().unwrap();
    assert_eq!((state.round, texts(&state.messages)), (None, vec![(0, "hello")]));
    assert!(snapshot.declaration_left_ms > 0);
    lines[2] = late;
    for seat in [0, 2] {
        lines[seat].send(declare(&id, vec![0, 1, 2])).await;
    }
    let turn = lines[0].turn().await;
    lines[0].take(&turn, 1).await;
    for line in &mut lines {
        line.ended().await;
    }

    let record = host.record(&id).await;
    let watched = host.watched_to_its_end(&id).await;
    let shown = format!("{record:?} {watched:?}");
    assert!(shown.contains("hello") && !shown.contains(SECRET), "{shown}");
    let said = record.events.iter().filter(|timed| matches!(timed.event, Some(record_event::Event::Said(_))));
    assert_eq!(said.count(), 2, "everybody sees that a private message was sent");
    parse_record(&record).unwrap();
    verify_record(&record).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seats_with_assigned_rows_do_not_talk() {
    let host = Host::start().await;
    host.register_all(["ann", "bob"]).await;
    let talk = Some(pb::Talk { rounds: 1, ..pb::Talk::default() });
    let alliance = pb::AllianceMode::Standard.into();
    let request = pb::CreateMatchRequest { talk, alliance, ..exhibition(["ann", "bob"], &[1]) };
    let refused = host.matches().create_match(request).await.unwrap_err();
    assert!(refused.message().contains("talk in a match with assigned rows"), "{refused:?}");
    let talk = Some(pb::Talk { rounds: 9, ..pb::Talk::default() });
    let alliance = pb::AllianceMode::Declared.into();
    let request = pb::CreateMatchRequest { talk, alliance, ..exhibition(["ann", "bob"], &[1]) };
    let refused = host.matches().create_match(request).await.unwrap_err();
    assert!(refused.message().contains("rounds of 9: expected a whole number from 1 to 4"), "{refused:?}");
}
