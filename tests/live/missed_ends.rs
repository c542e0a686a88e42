//! Messages about missed ends of matches and tournaments.

use super::{
    host::{Host, patient_clock, soon},
    session::BotSession,
};
use lastnim_proto::pb::{self, play_response::Event};

/// Reads until the session has caught up, and returns the ends that were sent.
async fn missed_ends(line: &mut BotSession) -> (Vec<pb::MatchEnded>, Vec<pb::TournamentEnded>, pb::CaughtUp) {
    let (mut matches, mut tournaments) = (Vec::new(), Vec::new());
    let reading = async {
        loop {
            let response = line.inbound.message().await.unwrap().expect("the stream is open");
            match response.event.expect("an event") {
                Event::MatchEnded(ended) => matches.push(*ended),
                Event::TournamentEnded(ended) => tournaments.push(*ended),
                Event::CaughtUp(caught_up) => return caught_up,
                _ => {}
            }
        }
    };
    let caught_up = soon("the last of the missed ends", reading).await;
    (matches, tournaments, caught_up)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missed_ends_are_sent_on_reconnecting() {
    let host = Host::start().await;
    let tokens = host.register_all(["present", "away"]).await;
    let (mut present, _) = BotSession::open(&host, &tokens[0]).await;
    let settings = pb::TournamentSettings {
        title: "Spring".into(),
        seats: 2,
        positions: vec![pb::Piles { counters: vec![2, 1] }],
        clock: Some(pb::Clock { initial_ms: 3_000, ..patient_clock() }),
        ..Default::default()
    };
    let id = host.create_tournament(settings, &["present", "away"]).await;
    host.start_tournament(&id).await;
    // It plays both rotations, and gets both ends and then that of the tournament.
    let ends = present.play_timidly(2).await;
    let tournament_end = |event| if let Event::TournamentEnded(ended) = event { Some(*ended) } else { None };
    let ended = present.until(tournament_end).await;
    assert_eq!((ended.tournament_id.as_str(), ended.title.as_str(), ended.bots), (id.as_str(), "Spring", 2));
    assert_eq!(ended.state(), pb::TournamentState::Finished);
    let standing = ended.standing.unwrap();
    assert_eq!((standing.bot.as_str(), standing.matches), ("present", 2));
    assert!(ends.iter().all(|end| end.started.is_none()), "it was there");

    let (mut away, welcome) = BotSession::open(&host, &tokens[1]).await;
    assert_eq!(welcome.open_matches, 0);
    let (matches, tournaments, caught_up) = missed_ends(&mut away).await;
    assert_eq!((caught_up.missed_ends, caught_up.left_out), (2, 0));
    for end in &matches {
        let told = ends.iter().find(|told| told.match_id == end.match_id).expect("the same matches");
        assert_eq!((end.reason, end.winner, &end.audit), (told.reason, told.winner, &told.audit));
        let started = end.started.as_ref().unwrap();
        assert_eq!(started.setup.as_ref().unwrap().bots[started.seat as usize], "away");
        let [lost] = &end.forfeited[..] else { panic!("{end:?}") };
        assert_eq!((lost.seat, lost.reason()), (started.seat, pb::ForfeitReason::NoShow));
    }
    let [ended] = &tournaments[..] else { panic!("{tournaments:?}") };
    let standing = ended.standing.as_ref().unwrap();
    assert_eq!((standing.bot.as_str(), standing.no_shows), ("away", 2));
    assert_eq!((ended.tournament_id.as_str(), ended.state()), (id.as_str(), pb::TournamentState::Finished));
}
