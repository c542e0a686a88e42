//! Whole tournaments of house bots.

use super::host::{Host, round_robin, soon};
use lastnim_bots::HouseBot;
use lastnim_client::{Bot, MatchEnd, MatchView, Options, run_until};
use lastnim_proto::{pb, record::parse_record};
use lastnim_server::Config;
use std::{
    collections::{BTreeMap, BTreeSet},
    future::pending,
    sync::{Arc, Mutex},
};

const POSITIONS: [&[u64]; 2] = [&[1, 2, 2], &[2, 1, 3]];
/// 6 bots make 20 sets of 3, on 2 positions, in 3 rotations.
const MATCHES: usize = 120;

/// Plays a tournament of house bots to its end.
async fn play_tournament(
    host: &Host,
    settings: pb::TournamentSettings,
) -> (String, pb::WatchTournamentResponse) {
    let party = host.house_bots(&HouseBot::BASIC, 3).await;
    let names = HouseBot::BASIC.map(HouseBot::kind);
    let id = host.create_tournament(settings, &names).await;
    host.start_tournament(&id).await;
    let last = host.tournament_over(&id).await;
    party.dismiss().await;
    (id, last)
}

fn assert_sums_up(last: &pb::WatchTournamentResponse, matches: usize) {
    let tournament = last.tournament.as_ref().unwrap();
    assert_eq!(tournament.state(), pb::TournamentState::Finished);
    assert_eq!((tournament.matches_played, tournament.matches_total), (matches as u64, matches as u64));
    let wins: u32 = last.standings.iter().map(|line| line.wins).sum();
    assert_eq!(wins as usize, matches, "each match has one winner");
    let seats: u32 = last.standings.iter().map(|line| line.matches).sum();
    assert_eq!(seats as usize, 3 * matches);
    for line in &last.standings {
        assert_eq!((line.forfeits, line.no_shows), (0, 0), "{line:?}");
        assert!(
            (line.points - f64::from(line.wins)).abs() < 1e-9,
            "declared rows are scored by wins: {line:?}"
        );
    }
    assert!(last.standings.windows(2).all(|two| two[0].place <= two[1].place));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn results_agree_with_audits_of_all_records() {
    let host = Host::start().await;
    let (id, last) = play_tournament(&host, round_robin(&POSITIONS)).await;
    assert_sums_up(&last, MATCHES);
    for line in &last.standings {
        if ["oracle", "loyal"].contains(&line.bot.as_str()) {
            assert_eq!(line.accuracy, Some(1.0), "{line:?}");
        }
    }

    let matches = host.matches_of(&id).await;
    let numbers: BTreeSet<u64> = matches.iter().map(|one| one.setup.as_ref().unwrap().number).collect();
    assert_eq!(numbers, (0..MATCHES as u64).collect());
    assert_eq!(matches.len(), MATCHES);
    let pairings: BTreeSet<_> = matches
        .iter()
        .map(|one| {
            let setup = one.setup.as_ref().unwrap();
            (setup.bots.clone(), setup.piles.clone())
        })
        .collect();
    assert_eq!(pairings.len(), MATCHES, "seatings are unique");

    let mut wins = BTreeMap::<String, u32>::new();
    for one in &matches {
        let record = parse_record(&host.record(&one.id).await).unwrap();
        let audit = pb::Audit::from(&record.audit().unwrap());
        let shown = host.get_match(&one.id).await;
        assert_eq!(shown.audit.as_ref(), Some(&audit), "{}", one.id);
        assert_eq!(shown.r#match.as_ref(), Some(one));
        assert_eq!(one.winner, Some(audit.winner));
        let winner = &one.setup.as_ref().unwrap().bots[audit.winner as usize];
        *wins.entry(winner.clone()).or_default() += 1;
    }
    for line in &last.standings {
        assert_eq!(line.wins, wins.get(&line.bot).copied().unwrap_or(0), "{line:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_seed_gives_the_same_standings_at_any_concurrency() {
    let mut seen = Vec::new();
    for (seed, concurrency) in [(7, 1), (7, 64)] {
        let host = Host::start().await;
        let alliance = pb::AllianceMode::Random.into();
        let settings = pb::TournamentSettings { seed, concurrency, alliance, ..round_robin(&POSITIONS[..1]) };
        seen.push(play_tournament(&host, settings).await.1.standings);
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn a_server_on_one_thread_plays_two_tournaments_at_once() {
    let host = Host::start().await;
    let party = host.house_bots(&HouseBot::BASIC, 3).await;
    let names = HouseBot::BASIC.map(HouseBot::kind);
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(host.create_tournament(round_robin(&POSITIONS[..1]), &names).await);
    }
    for id in &ids {
        host.start_tournament(id).await;
    }
    for id in &ids {
        assert_sums_up(&host.tournament_over(id).await, MATCHES / 2);
    }
    let summaries = party.dismiss().await;
    assert!(summaries.iter().all(|summary| (summary.forfeits, summary.unseen) == (0, 0)));
}

/// A match and its winner.
type MatchWinner = (String, Option<u32>);

/// A bot that records how its matches end.
struct Listener(Arc<Mutex<Vec<MatchWinner>>>);

impl Bot for Listener {
    fn play(&mut self, _: &MatchView) -> u64 {
        1
    }

    fn ended(&mut self, end: &MatchEnd) {
        let winner = end.winner.map(u32::from);
        self.0.lock().unwrap().push((end.info.id.to_string(), winner));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ends_sent_to_bots_agree_with_records() {
    let host = Host::with(Config::default()).await;
    let token = host.register("listener").await;
    let party = host.house_bots(&[HouseBot::Random, HouseBot::Greedy], 3).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let settings = pb::TournamentSettings { start_when: 3, ..round_robin(&POSITIONS) };
    let id = host.create_tournament(settings, &["random", "greedy"]).await;
    let options = Options::new(&host.address, token).tournament(&id);
    let listener = Listener(Arc::clone(&heard));
    let run = run_until(listener, options, pending());
    let summary = soon("the end of the tournament", run).await.unwrap();
    assert_eq!((summary.matches, summary.unseen, summary.forfeits), (6, 0, 0));
    let matches = host.matches_of(&id).await;
    let heard = heard.lock().unwrap().clone();
    let heard: BTreeMap<_, _> = heard.into_iter().collect();
    let recorded: BTreeMap<_, _> = matches.into_iter().map(|one| (one.id, one.winner)).collect();
    assert_eq!(heard, recorded);
    party.dismiss().await;
}
