//! Information about bots.

use super::{
    host::{Host, exhibition, patient_clock, round_robin, soon},
    session::{BotSession, reason},
};
use lastnim_proto::pb::{self, bot_service_client::BotServiceClient, play_request::Action};
use tonic::Code;

async fn get_bot(host: &Host, name: &str) -> pb::GetBotResponse {
    host.bots().get_bot(pb::GetBotRequest { name: name.into() }).await.unwrap().into_inner()
}

async fn list_lost_seats(host: &Host, request: pb::ListLostSeatsRequest) -> pb::ListLostSeatsResponse {
    host.bots().list_lost_seats(request).await.unwrap().into_inner()
}

/// Plays to the first turn in a match that the bot begins.
async fn first_turn(line: &mut BotSession) -> pb::Turn {
    let started = line.started().await;
    line.declare_standard(&started).await;
    line.turn().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_have_lag_and_open_matches() {
    let host = Host::start().await;
    let [one, two] = host.register_all(["one", "two"]).await;
    let before = get_bot(&host, "one").await.bot.unwrap();
    assert_eq!((before.connected, before.connected_at_us, before.lag_us), (false, 0, None));
    let (one, _) = BotSession::open(&host, &one).await;
    let (two, _) = BotSession::open(&host, &two).await;
    let ids = [
        host.create_match(exhibition(["one", "two"], &[4])).await,
        host.create_match(exhibition(["two", "one"], &[4])).await,
    ];
    let here = get_bot(&host, "one").await;
    assert_eq!(here.open_match_ids, ids);
    let bot = here.bot.unwrap();
    assert!(bot.connected && bot.open_matches == 2);
    // The server keeps its own time, which another clock may not agree with.
    assert!(bot.connected_at_us >= before.registered_at_us, "{bot:?}");
    let playing = [one.playing_timidly(2), two.playing_timidly(2)];
    host.until_bot("one", |bot| bot.lag_us.is_some_and(|lag| lag > 0)).await;
    for line in playing {
        line.await.unwrap();
    }
    assert_eq!(get_bot(&host, "one").await.open_match_ids, Vec::<String>::new());
    host.until_bot("one", |bot| !bot.connected && bot.connected_at_us == 0 && bot.lag_us.is_none()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_waiting_for_a_bot_are_counted() {
    let host = Host::start().await;
    let tokens = host.register_all(["slow", "one", "two"]).await;
    let mut slow = BotSession::open_narrow(&host, &tokens[0]).await;
    assert_eq!(host.bot("two").await.waiting_messages, 0);
    let (one, _) = BotSession::open(&host, &tokens[1]).await;
    let (two, _) = BotSession::open(&host, &tokens[2]).await;
    let clock = pb::Clock { declaration_ms: 1, ..patient_clock() };
    let seated = exhibition(["slow", "one", "two"], &[2; 40]);
    let id = host.create_match(pb::CreateMatchRequest { first: 1, clock: Some(clock), ..seated }).await;
    slow.send(Action::Resign(pb::Resign { match_id: id })).await;
    for playing in [one.playing_timidly(1), two.playing_timidly(1)] {
        soon("the end of the match", playing).await.unwrap();
    }
    host.until_bot("slow", |bot| bot.connected && bot.waiting_messages > 10).await;
    assert_eq!(host.bot("one").await.waiting_messages, 0);
    slow.ended().await;
    host.until_bot("slow", |bot| bot.connected && bot.waiting_messages == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_seats_have_reasons() {
    let host = Host::start().await;
    let [one, two] = host.register_all(["one", "two"]).await;
    let (mut one, _) = BotSession::open(&host, &one).await;
    let (two, _) = BotSession::open(&host, &two).await;
    let playing = two.playing_timidly(4);
    let mut ids = Vec::new();
    for _ in 0..2 {
        let id = host.create_match(exhibition(["one", "two"], &[4])).await;
        let turn = first_turn(&mut one).await;
        if ids.is_empty() {
            one.send(Action::Resign(pb::Resign { match_id: id.clone() })).await;
        } else {
            for _ in 0..3 {
                one.take(&turn, 5).await;
            }
        }
        one.ended().await;
        ids.push(id);
    }
    let settings = pb::TournamentSettings { seats: 2, concurrency: 1, ..round_robin(&[&[2]]) };
    let tournament = host.create_tournament(settings, &["one", "two"]).await;
    host.start_tournament(&tournament).await;
    for _ in 0..2 {
        let started = one.started().await;
        one.send(Action::Resign(pb::Resign { match_id: started.match_id })).await;
        one.ended().await;
    }
    host.tournament_over(&tournament).await;
    playing.await.unwrap();

    let all = pb::ListLostSeatsRequest { bot: "one".into(), ..Default::default() };
    let found = list_lost_seats(&host, all.clone()).await;
    assert_eq!((found.seats.len(), found.next_page_token.as_str()), (4, ""));
    assert_eq!(get_bot(&host, "one").await.lost_seats, found.seats);
    let [.., by_strikes, by_resigning] = &found.seats[..] else { panic!("{found:?}") };
    assert_eq!((&by_resigning.match_id, by_resigning.reason()), (&ids[0], pb::ForfeitReason::Resigned));
    assert_eq!((by_resigning.tournament_id.as_str(), by_resigning.seat), ("", 0));
    assert_eq!((&by_strikes.match_id, by_strikes.reason()), (&ids[1], pb::ForfeitReason::Strikes));
    assert_eq!(by_strikes.strikes().collect::<Vec<_>>(), [pb::RefusalReason::IllegalTake; 3]);
    assert!(by_strikes.at_us > by_resigning.at_us);

    let tournament_request = pb::ListLostSeatsRequest { tournament_id: tournament.clone(), ..all.clone() };
    assert_eq!(list_lost_seats(&host, tournament_request).await.seats, found.seats[..2]);
    assert!(found.seats[..2].iter().all(|seat| seat.tournament_id == tournament));
    let first = list_lost_seats(&host, pb::ListLostSeatsRequest { page_size: 3, ..all.clone() }).await;
    let page_token = first.next_page_token.clone();
    let second = list_lost_seats(&host, pb::ListLostSeatsRequest { page_token, ..all.clone() }).await;
    assert_eq!([first.seats, second.seats].concat(), found.seats);
    assert_eq!(list_lost_seats(&host, pb::ListLostSeatsRequest { bot: "two".into(), ..all }).await.seats, []);
    let nobody = pb::ListLostSeatsRequest { bot: "nobody".into(), ..Default::default() };
    let refused = host.bots().list_lost_seats(nobody).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "NO_SUCH_BOT"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_replace_their_token_and_admins_any_token() {
    let host = Host::start().await;
    let [one, _] = host.register_all(["one", "two"]).await;
    let unnamed = pb::RotateTokenRequest::default();
    let mut own = BotServiceClient::new(host.authorized(&one));
    let new = own.rotate_token(unnamed.clone()).await.unwrap().into_inner().token;
    assert_ne!(new, one);
    let (_line, welcome) = BotSession::open(&host, &new).await;
    assert_eq!(welcome.bot, "one");
    let refused = host.bots().rotate_token(unnamed).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "NO_BOT"));
    let anothers = pb::RotateTokenRequest { name: "two".into() };
    let refused = BotServiceClient::new(host.authorized(&new)).rotate_token(anothers).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "WRONG_ROLE"));
}
