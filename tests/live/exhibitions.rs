//! Exhibitions: matches outside of tournaments.

use super::host::{Host, exhibition, round_robin};
use lastnim_bots::HouseBot;
use lastnim_proto::pb;

const TRIO: [HouseBot; 3] = [HouseBot::Timid, HouseBot::Greedy, HouseBot::Oracle];

/// Whether exhibitions are played during a tournament.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exhibitions {
    Played,
    NotPlayed,
}

/// Plays exhibitions of the trio to their ends.
async fn play_exhibitions(host: &Host) {
    for piles in [&[3, 4][..], &[2, 2, 2], &[5]] {
        let id = host.create_match(exhibition(TRIO.map(HouseBot::kind), piles)).await;
        let events = host.watched_to_its_end(&id).await;
        assert!(events.last().is_some_and(|last| last.audit.is_some()));
        let setup = host.get_match(&id).await.r#match.unwrap().setup.unwrap();
        assert_eq!((setup.tournament_id.as_str(), setup.number, setup.group), ("", 0, 0));
    }
}

/// Plays a tournament and returns its standings, when it ends and later.
async fn standings(exhibitions: Exhibitions) -> [Vec<pb::Standing>; 2] {
    let host = Host::start().await;
    let party = host.house_bots(&TRIO, 1).await;
    let id = host.create_tournament(round_robin(&[&[3, 4], &[2, 5]]), &TRIO.map(HouseBot::kind)).await;
    if exhibitions == Exhibitions::Played {
        play_exhibitions(&host).await;
        host.start_tournament(&id).await;
        play_exhibitions(&host).await;
    } else {
        host.start_tournament(&id).await;
    }
    let ended = host.tournament_over(&id).await;
    if exhibitions == Exhibitions::Played {
        play_exhibitions(&host).await;
    }
    let request = pb::GetStandingsRequest { tournament_id: id.clone(), cross_table: false };
    let later = host.tournaments().get_standings(request).await.unwrap().into_inner();
    assert_eq!(host.matches_of(&id).await.len(), 6);
    party.dismiss().await;
    [ended.standings, later.standings]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exhibitions_do_not_affect_standings_or_ratings() {
    let [over, later] = standings(Exhibitions::Played).await;
    assert_eq!(over, later);
    assert!(over.iter().all(|line| line.rating.is_some() && line.skill.is_some()));
    assert_eq!(over, standings(Exhibitions::NotPlayed).await[0]);
}
