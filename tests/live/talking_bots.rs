//! Bots of the SDK talk on a real server.

use super::host::{Host, exhibition, soon};
use lastnim_bots::HouseBot;
use lastnim_client::{
    AsyncBot, Bot, Choice, MatchEnd, MatchFailure, MatchInfo, MatchView, Message, Options, TalkRound,
    game::{Row, Seat},
    run_async_until, run_until,
};
use lastnim_proto::{
    pb::{self, record_event::Event},
    record::{parse_record, verify_record},
};
use std::sync::mpsc;
use tokio::sync::oneshot;

/// Greets everyone, claims a row to the bot `naive`, and reports what it hears.
struct Talker {
    heard: mpsc::Sender<String>,
}

fn seat_of(game: &MatchInfo, name: &str) -> Seat {
    game.bots.enumerate().find(|(_, bot)| bot.as_str() == name).unwrap().0
}

impl Bot for Talker {
    fn talk(&mut self, round: &TalkRound) -> Option<Vec<Message>> {
        let claim = Message::claim(Row::favouring(2, round.seats()));
        Some(match round.round() {
            0 => vec![Message::text(""), Message::text("hello"), claim.to([seat_of(round, "naive")])],
            _ => Vec::new(),
        })
    }

    fn heard(&mut self, game: &MatchInfo, round: u32) {
        let known = game.messages.iter().map(|message| format!("{}.{}", message.seat, message.number));
        let _ = self.heard.send(format!("round {round}: {}", known.collect::<Vec<_>>().join(" ")));
    }

    fn play(&mut self, _: &MatchView) -> u64 {
        1
    }
}

/// Answers in the second round, and declares the row that the talker has claimed.
struct Naive;

impl AsyncBot for Naive {
    async fn talk(&self, round: &TalkRound) -> Result<Option<Vec<Message>>, MatchFailure> {
        let has_heard = round.last_claim(seat_of(round, "talker")).is_some();
        assert_eq!(has_heard, round.round() == 1, "a claim arrives at the end of its round");
        Ok(Some(if has_heard {
            vec![Message::text("thanks").to([seat_of(round, "talker")])]
        } else {
            Vec::new()
        }))
    }

    async fn declare(&self, game: &MatchInfo) -> Result<Choice<Row>, MatchFailure> {
        Ok(game.last_claim(seat_of(game, "talker")).ok_or("no claim was heard")?.clone().into())
    }

    async fn play(&self, _: &MatchView) -> Result<Choice<u64>, MatchFailure> {
        Ok(1.into())
    }
}

/// Does not talk.
struct Silent {
    ended: mpsc::Sender<String>,
}

impl Bot for Silent {
    fn play(&mut self, _: &MatchView) -> u64 {
        1
    }

    fn ended(&mut self, end: &MatchEnd) {
        let _ = self.ended.send(format!("messages: {}", end.info.messages.len()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_talk_and_hear_what_is_addressed_to_them() {
    let host = Host::start().await;
    let tokens = host.register_all(["talker", "naive", "silent"]).await;
    let options = |bot: usize| Options::new(&host.address, tokens[bot].clone());
    let (heard, reports) = mpsc::channel();
    let (ended, ends) = mpsc::channel();
    let mut stops = Vec::new();
    let mut stop = || {
        let (stop, stopped) = oneshot::channel::<()>();
        stops.push(stop);
        async {
            // The wait ends when the sender is dropped.
            let _ = stopped.await;
        }
    };
    let runs = [
        tokio::spawn(run_until(Talker { heard }, options(0), stop())),
        tokio::spawn(run_async_until(Naive, options(1), stop())),
        tokio::spawn(run_until(Silent { ended }, options(2), stop())),
    ];
    let talk = Some(pb::Talk { rounds: 2, ..pb::Talk::default() });
    let request = pb::CreateMatchRequest { talk, ..exhibition(["talker", "naive", "silent"], &[3]) };
    let id = host.create_match(request).await;
    soon("the end of the match", host.watched_to_its_end(&id)).await;
    let record = host.record(&id).await;
    drop(stops);
    for run in runs {
        run.await.unwrap().unwrap();
    }

    let said = record.events.iter().filter_map(|timed| match timed.event.clone()? {
        Event::Said(said) => Some((said.seat, said.round, said.number, said.to)),
        _ => None,
    });
    let said: Vec<_> = said.collect();
    assert_eq!(said, [(0, 0, 0, vec![]), (0, 0, 1, vec![1]), (1, 1, 0, vec![0])]);
    let declared = record.events.iter().find_map(|timed| match timed.event.clone()? {
        Event::Declared(declared) if declared.seat == 1 => declared.row,
        _ => None,
    });
    assert_eq!(declared.unwrap().offsets, [2, 0, 1], "the naive bot believes the claim");
    assert_eq!(reports.iter().collect::<Vec<_>>(), ["round 0: 0.0 0.1", "round 1: 0.0 0.1 1.0"]);
    assert_eq!(ends.iter().collect::<Vec<_>>(), ["messages: 1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn house_bots_sign_pacts_keep_them_and_break_them() {
    let host = Host::start().await;
    let bots = [HouseBot::Oracle, HouseBot::Naive, HouseBot::Liar, HouseBot::Keeper, HouseBot::Breaker];
    let party = host.house_bots(&bots, 1).await;
    let talk = pb::Talk {
        rounds: 3,
        pacts: true,
        privacy: pb::TalkPrivacy::Published.into(),
        ..pb::Talk::default()
    };
    // Only one row is dealt, so each bot knows what the others want.
    let request = pb::CreateMatchRequest {
        alliance: pb::AllianceMode::Dealt.into(),
        deal_rows: vec![pb::Row { offsets: vec![3, 2, 4, 1, 0] }],
        talk: Some(talk),
        ..exhibition(bots.map(HouseBot::kind), &[5, 3, 4])
    };
    let id = host.create_match(request).await;
    soon("the end of the match", host.watched_to_its_end(&id)).await;
    let record = host.record(&id).await;
    party.dismiss().await;
    verify_record(&record).unwrap();
    let replayed = parse_record(&record).unwrap();
    let state = replayed.state();
    let described = state.pacts().iter().map(|offered| {
        let keeps = |seat| offered.pact.constraint(seat).unwrap().admits(state.row_of_seat(seat).unwrap());
        let members = offered.pact.seat_set();
        let members = members.iter().map(|seat| format!("{} {}", bots[seat.index()], keeps(seat)));
        format!("signed {}: {}", offered.is_signed(), members.collect::<Vec<_>>().join(", "))
    });
    // Offers of one round are recorded in the order in which they arrive.
    let mut described: Vec<_> = described.collect();
    described.sort_unstable();
    assert_eq!(
        described,
        ["signed false: liar false, breaker false", "signed true: keeper true, breaker false"]
    );
    // Each of the two has promised to rank seat 1 first, and the breaker alone gains by another row.
    let declared = [3, 4].map(|seat| {
        let seat = state.setup().seats().seat(seat).unwrap();
        state.row_of_seat(seat).unwrap().to_string()
    });
    assert_eq!(declared, ["3 2 4 1 0", "0 3 2 1 4"]);
}
