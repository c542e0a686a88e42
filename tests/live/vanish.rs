//! Bots that disconnect during a match, and may return.

use super::{
    host::{Host, exhibition, patient_clock, soon},
    proxy::Proxy,
    session::{BotSession, reason, take},
};
use lastnim_client::connect;
use lastnim_proto::{
    pb::{self, play_request::Action, play_response::Event, record_event},
    record::parse_record,
};
use tonic::Code;

/// How a bot disconnects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disconnection {
    DropsItsStream,
    LosesItsConnection,
}

/// Declares for both bots of a match in their sessions.
async fn declare_both(host: &Host, id: &str, lines: [&mut BotSession; 2]) {
    for line in lines {
        let started = line.started().await;
        assert_eq!(started.match_id, id);
        line.declare_standard(&started).await;
    }
    assert_eq!(host.get_match(id).await.r#match.unwrap().id, id);
}

/// Returns how seats were lost, according to the record.
pub async fn forfeits(host: &Host, id: &str) -> Vec<(u32, pb::ForfeitReason)> {
    let record = host.record(id).await;
    parse_record(&record).expect("the record replays");
    let lost_event = |event: pb::RecordEvent| match event.event {
        Some(record_event::Event::Forfeited(lost)) => Some((lost.seat, lost.reason())),
        _ => None,
    };
    record.events.into_iter().filter_map(lost_event).collect()
}

async fn disconnects_and_returns(how: Disconnection) {
    let host = Host::start().await;
    let [steady, fickle] = host.register_all(["steady", "fickle"]).await;
    let proxy = Proxy::to(&host.address).await;
    let (mut steady, _) = BotSession::open(&host, &steady).await;
    let (mut line, welcome) = BotSession::open_at(&proxy.address, &fickle).await;
    assert_eq!((welcome.bot.as_str(), welcome.open_matches), ("fickle", 0));
    let id = host.create_match(exhibition(["steady", "fickle"], &[5])).await;
    declare_both(&host, &id, [&mut steady, &mut line]).await;
    let turn = steady.turn().await;
    steady.take(&turn, 1).await;
    let turn = line.turn().await;
    assert_eq!((turn.ply, turn.pile, turn.counters), (1, 0, 4));
    match how {
        Disconnection::DropsItsStream => drop(line),
        Disconnection::LosesItsConnection => proxy.cut(),
    }
    host.until_bot("fickle", |bot| !bot.connected && bot.open_matches == 1).await;

    let (mut line, welcome) = BotSession::open(&host, &fickle).await;
    assert_eq!(welcome.open_matches, 1);
    let snapshot = line.snapshot().await;
    assert_eq!(snapshot.started.unwrap().match_id, id);
    assert_eq!(snapshot.phase, i32::from(pb::Phase::Playing));
    assert_eq!(snapshot.alliance_matrix.unwrap().rows.len(), 2);
    assert_eq!((snapshot.ply, snapshot.pile, snapshot.counters, snapshot.to_move), (1, 0, 4, 1));
    assert!(snapshot.banks_ms[1] < 60_000, "the clock ran on");
    let turn = snapshot.turn.expect("the bot is to move");
    assert_eq!((turn.ply, turn.counters), (1, 4));

    line.take(&turn, 1).await;
    let took_event = |event| if let Event::Took(took) = event { Some(took) } else { None };
    let seen = steady.until(|event| took_event(event).filter(|took| took.ply == 1)).await;
    assert_eq!((seen.seat, seen.take), (1, 1));
    // It does not know whether the take arrived, so it sends it again on its return.
    drop(line);
    let (mut line, _) = BotSession::open(&host, &fickle).await;
    let snapshot = line.snapshot().await;
    assert_eq!((snapshot.ply, snapshot.turn), (2, None));
    line.take(&turn, 1).await;
    let again = line.until(took_event).await;
    assert_eq!((again.ply, again.seat, again.take), (1, 1, 1));

    let finishing = line.playing_timidly(1);
    let turn = steady.turn().await;
    steady.take(&turn, 1).await;
    let ended = steady.play_timidly(1).await.remove(0);
    let (_line, heard) = soon("the end of the match", finishing).await.unwrap();
    assert_eq!(heard.as_slice(), std::slice::from_ref(&ended));
    assert_eq!(ended.reason, i32::from(pb::EndReason::Finished));
    assert_eq!(forfeits(&host, &id).await, []);
    let record = parse_record(&host.record(&id).await).unwrap();
    assert_eq!(Some(pb::Audit::from(&record.audit().unwrap())), ended.audit);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_drops_its_stream_returns_and_plays_on() {
    disconnects_and_returns(Disconnection::DropsItsStream).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_loses_its_connection_returns_and_plays_on() {
    disconnects_and_returns(Disconnection::LosesItsConnection).await;
}

#[tokio::test]
async fn a_bot_that_returns_while_rows_are_declared_can_still_declare() {
    let host = Host::start().await;
    let [first, second] = host.register_all(["first", "second"]).await;
    let (line, _) = BotSession::open(&host, &first).await;
    let id = host.create_match(exhibition(["first", "second"], &[1])).await;
    drop(line);
    let (mut line, _) = BotSession::open(&host, &first).await;
    let snapshot = line.snapshot().await;
    assert_eq!((snapshot.phase(), snapshot.turn.clone()), (pb::Phase::Declaring, None));
    assert!((1..=60_000).contains(&snapshot.declaration_left_ms));
    assert_eq!(snapshot.alliance_matrix, None);
    line.declare_standard(&snapshot.started.unwrap()).await;
    // The other bot connects for the first time during the match.
    let (mut late, welcome) = BotSession::open(&host, &second).await;
    assert_eq!(welcome.open_matches, 1);
    let snapshot = late.snapshot().await;
    late.declare_standard(&snapshot.started.unwrap()).await;
    line.play_timidly(1).await;
    late.ended().await;
    assert_eq!(forfeits(&host, &id).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forfeits_distinguish_disconnected_silent_and_absent_bots() {
    let host = Host::start().await;
    let [steady, gone, silent, absent] = ["steady", "gone", "silent", "absent"];
    let tokens = host.register_all([steady, gone, silent, absent]).await;
    let (line, _) = BotSession::open(&host, &tokens[0]).await;
    let (mut leaver, _) = BotSession::open(&host, &tokens[1]).await;
    let (mut sleeper, _) = BotSession::open(&host, &tokens[2]).await;
    let clock = pb::Clock { initial_ms: 6_000, declaration_ms: 6_000, ..patient_clock() };
    let request =
        pb::CreateMatchRequest { clock: Some(clock), ..exhibition([steady, gone, silent, absent], &[3; 9]) };
    let id = host.create_match(request).await;
    let playing = line.playing_timidly(1);
    let started = leaver.started().await;
    leaver.declare_standard(&started).await;
    let started = sleeper.started().await;
    sleeper.declare_standard(&started).await;
    leaver.turn().await;
    drop(leaver);
    soon("the end of the match", playing).await.unwrap();
    let lost = forfeits(&host, &id).await;
    let reasons = [
        (3, pb::ForfeitReason::NoShow),
        (1, pb::ForfeitReason::Disconnected),
        (2, pb::ForfeitReason::TimedOut),
    ];
    assert_eq!(lost, reasons);
}

/// Creates a match of two bots with banks of an hour, which no test can wait for, and a time to return.
async fn create_with_time_to_return(host: &Host, bots: [&str; 2], return_within_ms: u32) -> String {
    let clock =
        pb::Clock { initial_ms: 3_600_000, return_within_ms: Some(return_within_ms), ..patient_clock() };
    let request = pb::CreateMatchRequest { clock: Some(clock), ..exhibition(bots, &[5]) };
    host.create_match(request).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_bot_loses_its_seat_before_its_bank_is_empty() {
    let host = Host::start().await;
    let [steady, killed] = host.register_all(["steady", "killed"]).await;
    let proxy = Proxy::to(&host.address).await;
    let (steady, _) = BotSession::open(&host, &steady).await;
    let (mut line, _) = BotSession::open_at(&proxy.address, &killed).await;
    let id = create_with_time_to_return(&host, ["steady", "killed"], 200).await;
    let playing = steady.playing_timidly(1);
    let started = line.started().await;
    line.declare_standard(&started).await;
    assert_eq!(started.setup.unwrap().clock.unwrap().return_within_ms, Some(200));
    line.turn().await;
    proxy.cut();
    soon("the end of the match", playing).await.unwrap();
    assert_eq!(forfeits(&host, &id).await, [(1, pb::ForfeitReason::Disconnected)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_shows_the_time_to_return_while_a_bot_is_away() {
    const RETURN_MS: u32 = 600_000;
    let host = Host::start().await;
    let [steady, fickle] = host.register_all(["steady", "fickle"]).await;
    let (mut steady, _) = BotSession::open(&host, &steady).await;
    let (mut line, _) = BotSession::open(&host, &fickle).await;
    let id = create_with_time_to_return(&host, ["fickle", "steady"], RETURN_MS).await;
    declare_both(&host, &id, [&mut steady, &mut line]).await;
    line.turn().await;
    let is_away = async |expected: bool| {
        let left_ms = async || host.get_match(&id).await.open.unwrap().left_ms;
        while left_ms().await.is_some_and(|left| left <= u64::from(RETURN_MS)) != expected {}
    };
    soon("the bank", is_away(false)).await;
    drop(line);
    soon("the time to return", is_away(true)).await;
    let (mut line, _) = BotSession::open(&host, &fickle).await;
    let snapshot = line.snapshot().await;
    assert!(snapshot.turn.unwrap().bank_ms > RETURN_MS);
    soon("the bank again", is_away(false)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_without_any_bots_ends() {
    let host = Host::start().await;
    let tokens = host.register_all(["one", "two"]).await;
    let (mut one, _) = BotSession::open(&host, &tokens[0]).await;
    let (mut two, _) = BotSession::open(&host, &tokens[1]).await;
    let clock = pb::Clock { initial_ms: 5_000, ..patient_clock() };
    let id = host
        .create_match(pb::CreateMatchRequest { clock: Some(clock), ..exhibition(["one", "two"], &[9, 9]) })
        .await;
    declare_both(&host, &id, [&mut one, &mut two]).await;
    one.turn().await;
    drop((one, two));
    let events = host.watched_to_its_end(&id).await;
    let Some(record_event::Event::Ended(ended)) = events.last().unwrap().event.clone().unwrap().event else {
        panic!("the last event is the end")
    };
    assert_eq!(ended.reason(), pb::EndReason::AllForfeited);
    assert!(ended.winner.is_some());
    let lost = forfeits(&host, &id).await;
    assert_eq!(lost, [(0, pb::ForfeitReason::Disconnected), (1, pb::ForfeitReason::Disconnected)]);
    assert_eq!(host.bot("one").await.open_matches, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_session_ends_the_older_and_plays_on() {
    let host = Host::start().await;
    let [steady, twice] = host.register_all(["steady", "twice"]).await;
    let (steady, _) = BotSession::open(&host, &steady).await;
    let (mut older, _) = BotSession::open(&host, &twice).await;
    let id = host.create_match(exhibition(["steady", "twice"], &[4])).await;
    let playing = steady.playing_timidly(1);
    let started = older.started().await;
    older.declare_standard(&started).await;
    older.turn().await;
    let (mut newer, welcome) = BotSession::open(&host, &twice).await;
    assert_eq!(welcome.open_matches, 1);
    let end = older.end().await.status();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Aborted, "REPLACED"));
    assert_eq!(newer.play_timidly(1).await.len(), 1);
    soon("the end of the match", playing).await.unwrap();
    assert_eq!(forfeits(&host, &id).await, []);
    assert!(host.bot("twice").await.connected);
}

/// A match that ends with the first take.
fn blitz(bots: [&str; 2], first: u32) -> pb::CreateMatchRequest {
    let row = || pb::Row { offsets: vec![0, 1] };
    let assigned = Some(pb::AllianceMatrix { rows: vec![row(), row()] });
    let alliance = pb::AllianceMode::Given.into();
    pb::CreateMatchRequest { assigned, first, alliance, ..exhibition(bots, &[1]) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_opened_during_match_starts_miss_nothing() {
    let host = Host::start().await;
    let [late, _] = host.register_all(["late", "other"]).await;
    let channel = connect(&host.address).await.unwrap();
    for round in 0..300 {
        let (id, (mut line, welcome)) = tokio::join!(
            host.create_match(blitz(["late", "other"], 0)),
            BotSession::open_on(channel.clone(), &late)
        );
        let first = line.event().await;
        let turn = match first {
            Event::Snapshot(snapshot) => {
                assert_eq!(welcome.open_matches, 1, "round {round}");
                snapshot.turn.expect("the bot is to move")
            }
            Event::MatchStarted(_) => {
                assert_eq!(welcome.open_matches, 0, "round {round}");
                line.turn().await
            }
            other => panic!("round {round}: {other:?}"),
        };
        assert_eq!(turn.match_id, id);
        line.take(&turn, 1).await;
        assert_eq!(line.ended().await.match_id, id);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_opened_during_match_ends_get_the_promised_snapshots() {
    let host = Host::start().await;
    let [ends, returns] = host.register_all(["ends", "returns"]).await;
    let (mut ender, _) = BotSession::open(&host, &ends).await;
    let channel = connect(&host.address).await.unwrap();
    let mut promised = 0;
    // The race condition occurs at some point.
    for round in 0..20_000 {
        if round >= 400 && promised > 0 {
            break;
        }
        let id = host.create_match(blitz(["ends", "returns"], 0)).await;
        let turn = ender.turn().await;
        let ((), (mut line, welcome)) =
            tokio::join!(ender.send(take(&id, turn.ply, 1)), BotSession::open_on(channel.clone(), &returns));
        promised += welcome.open_matches;
        if welcome.open_matches == 1 {
            let snapshot = line.snapshot().await;
            assert_eq!(snapshot.started.unwrap().match_id, id, "round {round}");
            assert_eq!(line.ended().await.match_id, id, "round {round}");
        }
        ender.ended().await;
    }
    assert!(promised > 0, "the race condition did not occur");
}

#[tokio::test]
async fn actions_in_ended_matches_are_refused_with_reasons() {
    let host = Host::start().await;
    let [token, _] = host.register_all(["only", "other"]).await;
    let (mut line, _) = BotSession::open(&host, &token).await;
    let id = host.create_match(blitz(["only", "other"], 0)).await;
    let turn = line.turn().await;
    line.take(&turn, 1).await;
    line.ended().await;
    line.send(Action::Resign(pb::Resign { match_id: id.clone() })).await;
    let refused = line.refused().await;
    let reasons = [pb::RefusalReason::UnknownMatch, pb::RefusalReason::MatchEnded];
    assert!(reasons.contains(&refused.reason()) && refused.match_id == id, "{refused:?}");
}
