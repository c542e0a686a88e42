//! The current activity of a tournament.

use super::{
    host::{Host, exhibition, round_robin, soon},
    session::{BotSession, reason},
};
use lastnim_bots::HouseBot;
use lastnim_proto::pb;
use tonic::Code;
use tonic_types::StatusExt as _;

async fn activity(host: &Host, id: &str, limit: u32) -> pb::TournamentActivity {
    let request = pb::GetTournamentActivityRequest { tournament_id: id.to_owned(), most: limit };
    let shown = host.tournaments().get_tournament_activity(request).await.unwrap().into_inner();
    shown.activity.expect("the tournament is running")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connected_and_awaited_bots_are_listed() {
    let host = Host::start().await;
    let names = ["one", "two", "three"];
    let tokens = host.register_all(names).await;
    let settings = pb::TournamentSettings { concurrency: 4, ..round_robin(&[&[3, 1], &[2, 2]]) };
    let id = host.create_tournament(settings, &names).await;
    let (mut one, _) = BotSession::open(&host, &tokens[0]).await;
    let before = activity(&host, &id, 1).await;
    assert_eq!((before.connected_bots, before.absent_bots, before.absent), (1, 2, vec!["two".to_owned()]));
    assert_eq!((before.open_matches, before.awaited_bots, before.time_left), (0, 0, None));

    host.start_tournament(&id).await;
    for _ in 0..4 {
        one.started().await;
    }
    // Exhibitions do not count.
    host.create_match(exhibition(["one", "two"], &[1])).await;
    let declaring = soon("matches wait for rows", async {
        loop {
            let shown = activity(&host, &id, 0).await;
            if shown.matches.iter().filter(|open| open.waited_ms.is_some()).count() == 4 {
                break shown;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!((declaring.open_matches, declaring.matches.len()), (4, 4));
    for open in &declaring.matches {
        assert!(open.declaring && !open.frozen && open.plies == 0, "{open:?}");
        assert_eq!(open.awaited_seats, [0, 1, 2]);
        assert!(open.left_ms.is_some_and(|left| left > 1 && left <= 60_000), "{open:?}");
    }
    let mut awaited: Vec<_> = declaring
        .awaited
        .iter()
        .map(|awaited| (awaited.bot.as_str(), awaited.connected, awaited.matches))
        .collect();
    awaited.sort_unstable();
    assert_eq!(awaited, [("one", true, 4), ("three", false, 4), ("two", false, 4)]);
    let waited: Vec<_> = declaring.matches.iter().map(|open| open.waited_ms).collect();
    assert!(waited.is_sorted_by(|one, other| one >= other), "{waited:?}");
    let left = declaring.time_left.unwrap();
    assert_eq!((left.matches, left.estimate_ms, left.paced_matches), (6, None, 0));
    // There are six matches, four at a time: the estimate is twice the declaration time plus all banks with lag and
    // increments for four plies.
    assert_eq!(left.longest_ms, 2 * (60_000 + 3 * 60_000));

    let cut = activity(&host, &id, 2).await;
    assert_eq!((cut.matches.len(), cut.awaited.len(), cut.open_matches, cut.awaited_bots), (2, 2, 4, 3));

    let pause = pb::PauseTournamentRequest {
        tournament_id: id.clone(),
        open_matches: pb::OpenMatches::Freeze.into(),
    };
    host.tournaments().pause_tournament(pause).await.unwrap();
    let frozen = soon("stopped clocks", async {
        loop {
            let shown = activity(&host, &id, 0).await;
            if shown.matches.iter().all(|open| open.frozen) {
                break shown;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(frozen.matches.iter().all(|open| open.left_ms.is_some()), "{frozen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn remaining_time_is_estimated_from_the_pace() {
    let host = Host::start().await;
    let bots = [HouseBot::Timid, HouseBot::Greedy, HouseBot::Oracle];
    let party = host.house_bots(&bots, 1).await;
    let positions: Vec<Vec<u64>> = (1..40).map(|pile| vec![pile, 3, 4]).collect();
    let positions: Vec<&[u64]> = positions.iter().map(Vec::as_slice).collect();
    let settings = pb::TournamentSettings { concurrency: 1, ..round_robin(&positions) };
    let id = host.create_tournament(settings, &["timid", "greedy", "oracle"]).await;
    host.start_tournament(&id).await;
    let left = soon("a match is over", async {
        loop {
            let left = activity(&host, &id, 0).await.time_left.unwrap();
            if left.paced_matches > 2 {
                break left;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(left.matches + left.paced_matches, 39 * 3);
    // The pace is rounded to milliseconds.
    let scale = |millis: u64| millis * left.matches / left.paced_matches;
    let estimate = left.estimate_ms.unwrap();
    assert!((scale(left.paced_ms)..=scale(left.paced_ms + 1)).contains(&estimate), "{left:?}");
    let cancel = pb::CancelTournamentRequest { tournament_id: id.clone() };
    host.tournaments().cancel_tournament(cancel).await.unwrap();
    host.tournament_over(&id).await;
    let request = pb::GetTournamentActivityRequest { tournament_id: id.clone(), most: 3 };
    let over = host.tournaments().get_tournament_activity(request).await.unwrap().into_inner();
    assert_eq!(over.activity, None);
    let shown = host.tournaments().get_tournament(pb::GetTournamentRequest { tournament_id: id }).await;
    assert_eq!(shown.unwrap().into_inner().activity, None);
    party.dismiss().await;
}

#[tokio::test]
async fn invalid_fields_are_named() {
    let host = Host::start().await;
    let ask = async |tournament_id: &str, most| {
        let request = pb::GetTournamentActivityRequest { tournament_id: tournament_id.to_owned(), most };
        host.tournaments().get_tournament_activity(request).await.unwrap_err()
    };
    let refused = ask("no id", 101).await;
    let fields = refused.get_details_bad_request().unwrap().field_violations;
    let fields: Vec<_> = fields.into_iter().map(|violation| violation.field).collect();
    assert_eq!(fields, ["tournament_id", "most"]);
    let refused = ask("01890a5d-ac96-774b-bcce-b302099a8057", 0).await;
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "NO_SUCH_TOURNAMENT"));
}
