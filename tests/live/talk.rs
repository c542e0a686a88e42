//! Talk: a message reaches its audience alone, when its round ends, and costs nothing if it is refused.

use super::{
    host::{Host, exhibition},
    session::{BotSession, declare},
};
use lastnim_core::referee::OfferedPact;
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

async fn next_acceptance(line: &mut BotSession) -> (u32, Option<u32>) {
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
            _ => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_reaches_only_its_audience() {
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
            pacts: false,
        };
        assert_eq!(setup.talk, Some(expected));
    }
    lines[0].send(say(&id, 0, &[], "hello")).await;
    assert_eq!(next_acceptance(&mut lines[0]).await, (0, Some(0)));
    lines[0].send(say(&id, 1, &[1], SECRET)).await;
    assert_eq!(next_acceptance(&mut lines[0]).await, (0, Some(1)));
    lines[0].send(say(&id, 1, &[1], SECRET)).await;
    assert_eq!(
        next_acceptance(&mut lines[0]).await,
        (0, Some(1)),
        "the same message again is accepted again"
    );
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
    assert_eq!(next_acceptance(&mut again).await, (0, None));
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
async fn invalid_talk_settings_are_refused() {
    let host = Host::start().await;
    host.register_all(["ann", "bob"]).await;
    let talk = Some(pb::Talk { rounds: 1, ..pb::Talk::default() });
    let alliance = pb::AllianceMode::Standard.into();
    let request = pb::CreateMatchRequest { talk, alliance, ..exhibition(["ann", "bob"], &[1]) };
    let refused = host.matches().create_match(request).await.unwrap_err();
    assert!(refused.message().contains("talk in a match in which nobody declares"), "{refused:?}");
    let talk = Some(pb::Talk { rounds: 9, ..pb::Talk::default() });
    let alliance = pb::AllianceMode::Declared.into();
    let request = pb::CreateMatchRequest { talk, alliance, ..exhibition(["ann", "bob"], &[1]) };
    let refused = host.matches().create_match(request).await.unwrap_err();
    assert!(refused.message().contains("rounds is 9: expected a whole number from 1 to 4"), "{refused:?}");
}

fn say_in(id: &str, round: u32, number: u32, content: pb::talk_content::Content) -> Action {
    let content = Some(pb::TalkContent { content: Some(content) });
    Action::Say(pb::Say { match_id: id.to_owned(), round, number, to: Vec::new(), content })
}

/// Returns a pact in which each of these seats promises to rank seat 2 first.
fn favour_last(seats: &[u32]) -> pb::Pact {
    let relations = |seat| {
        let others = (0..3).filter(|&other| other != 2);
        let relations = others.map(|after| pb::PactRelation { before: 2, after });
        pb::PactMember { seat, relations: relations.collect() }
    };
    pb::Pact { members: seats.iter().map(|&seat| relations(seat)).collect() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_sign_pacts_and_one_bot_breaks_its_pact() {
    use pb::talk_content::Content;
    let host = Host::start().await;
    let tokens = host.register_all(BOTS).await;
    let mut lines = Vec::new();
    for token in &tokens {
        lines.push(BotSession::open(&host, token).await.0);
    }
    let privacy = pb::TalkPrivacy::Published.into();
    let talk = Some(pb::Talk { rounds: 2, privacy, pacts: true, ..pb::Talk::default() });
    let id = host.create_match(pb::CreateMatchRequest { talk, ..exhibition(BOTS, &[1]) }).await;
    for line in &mut lines {
        line.started().await;
    }
    lines[0].send(say_in(&id, 0, 0, Content::Offer(favour_last(&[1, 2])))).await;
    let refused = lines[0].refused().await;
    assert_eq!((refused.reason(), refused.strikes), (pb::RefusalReason::InvalidTalk, 0));
    lines[0].send(say_in(&id, 0, 0, Content::Offer(favour_last(&[0, 1])))).await;
    assert_eq!(next_acceptance(&mut lines[0]).await, (0, Some(0)));
    lines[2].send(say_in(&id, 0, 0, Content::Offer(favour_last(&[0, 1, 2])))).await;
    assert_eq!(next_acceptance(&mut lines[2]).await, (0, Some(0)));
    for line in &mut lines {
        line.send(end_talk(&id, 0)).await;
    }
    let mut offers = Vec::new();
    for line in &mut lines {
        offers.push(heard(line).await.messages.len());
    }
    assert_eq!(offers, [1, 2, 0], "each offer reaches the other members");
    let [first, second] = [0, 2].map(|seat| Content::Accept(pb::OfferId { seat, round: 0, number: 0 }));
    lines[2].send(say_in(&id, 1, 0, first.clone())).await;
    assert_eq!(lines[2].refused().await.reason(), pb::RefusalReason::InvalidTalk, "seat 2 is not a member");
    lines[1].send(say_in(&id, 1, 0, first)).await;
    assert_eq!(next_acceptance(&mut lines[1]).await, (1, Some(0)));
    for seat in [0, 1] {
        let number = u32::from(seat == 1);
        lines[seat].send(say_in(&id, 1, number, second.clone())).await;
        assert_eq!(next_acceptance(&mut lines[seat]).await, (1, Some(number)));
    }
    for line in &mut lines {
        line.send(end_talk(&id, 1)).await;
    }
    let mut acceptances = Vec::new();
    for line in &mut lines {
        acceptances.push(heard(line).await.messages.len());
    }
    assert_eq!(acceptances, [2, 1, 2], "each acceptance reaches the other members");
    let (mut lines, mut known) = (Vec::new(), Vec::new());
    for token in &tokens {
        let (mut line, _) = BotSession::open(&host, token).await;
        let pacts = line.snapshot().await.talk.unwrap().pacts;
        assert!(pacts.iter().all(|offered| offered.signed));
        known.push(pacts.len());
        lines.push(line);
    }
    assert_eq!(known, [2, 2, 1]);
    // Seat 0 ranks seat 2 first, and seat 1 breaks both pacts.
    for (line, row) in lines.iter_mut().zip([vec![2, 0, 1], vec![0, 1, 2], vec![0, 1, 2]]) {
        line.send(declare(&id, row)).await;
    }
    let turn = lines[0].turn().await;
    lines[0].take(&turn, 1).await;
    for line in &mut lines {
        line.ended().await;
    }
    let record = host.record(&id).await;
    verify_record(&record).unwrap();
    let replayed = parse_record(&record).unwrap();
    let pacts = replayed.state().pacts();
    let kept = |offered: &OfferedPact| {
        let members = offered.pact.members().iter();
        let kept =
            members.filter(|member| member.is_kept_by(replayed.state().row_of_seat(member.seat).unwrap()));
        (offered.is_signed(), kept.map(|member| member.seat.index()).collect())
    };
    assert_eq!(pacts.iter().map(kept).collect::<Vec<_>>(), [(true, vec![0]), (true, vec![0, 2])]);
    let talk = host.get_match(&id).await.audit.unwrap().talk.unwrap();
    let kept_words =
        talk.pacts.iter().map(|pact| pact.members.iter().map(pb::PactMemberAudit::word).collect());
    let [kept, broken] = [pb::WordKept::Kept, pb::WordKept::Broken];
    assert_eq!(kept_words.collect::<Vec<Vec<_>>>(), [vec![kept, broken], vec![kept, broken, kept]]);
    assert_eq!((talk.offers, talk.may_hide_pacts), (vec![1, 0, 1], false));
}
