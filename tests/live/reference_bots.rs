//! House bots that look beyond the position: their takes, held against what they would do anew.

use super::host::{Host, exhibition, round_robin};
use lastnim_bots::HouseBot;
use lastnim_client::MatchView;
use lastnim_core::referee::Event;
use lastnim_proto::{pb, record::parse_record};
use lastnim_server::Config;

/// What the draws of the bots follow from.
const SEED: u64 = 11;

/// Asks the bots of a match anew for every take that its record says they made, and returns how many there were.
fn recompute_takes(record: &pb::MatchRecord, seed: u64) -> usize {
    let record = parse_record(record).unwrap();
    let state = record.state();
    let (setup, game) = (state.setup(), state.game().unwrap());
    let mut takes: Vec<u64> = Vec::new();
    for timed in record.events() {
        let &Event::Took { seat, take, .. } = &timed.event else { continue };
        let view = MatchView::replay(record.id(), setup.clone(), &game.matrix, &takes).unwrap();
        let bot: HouseBot = setup.bots[seat].as_str().parse().unwrap();
        // Each take is asked of a new bot: what it remembers of a match is what it sees.
        assert_eq!(bot.build_bot(seed).play(&view), take, "{bot} at ply {} of {setup:?}", takes.len());
        takes.push(take);
    }
    takes.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_takes_of_a_tournament_follow_from_its_records() {
    let host = Host::start().await;
    let words = ["grudger", "mirror", "minimax-3", "epsilon-0.4", "mcts-30"];
    let bots = words.map(|word| word.parse::<HouseBot>().unwrap());
    let party = host.house_bots(&bots, SEED).await;
    let settings = pb::TournamentSettings {
        alliance: pb::AllianceMode::Random.into(),
        ..round_robin(&[&[3, 4, 5], &[2, 40]])
    };
    let id = host.create_tournament(settings, &words).await;
    host.start_tournament(&id).await;
    host.tournament_over(&id).await;
    let mut takes = 0;
    let played = host.matches_of(&id).await;
    assert_eq!(played.len(), 10 * 2 * 3, "every three of five bots, on two positions, in three rotations");
    for one in played {
        takes += recompute_takes(&host.record(&one.id).await, SEED);
    }
    assert!(takes >= 180, "{takes}");
    let summaries = party.dismiss().await;
    assert!(summaries.iter().all(|summary| summary.forfeits == 0), "{summaries:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_hosts_them() {
    let words = ["grudger", "mirror", "minimax-8", "epsilon-0.05", "mcts-20"];
    let house = words.iter().map(|word| word.parse().unwrap()).collect();
    let host = Host::with(Config { house, ..Config::default() }).await;
    for word in words {
        assert_eq!(host.bot(word).await.house_bot, word);
    }
    let id = host.create_match(exhibition(words, &[4, 3, 5])).await;
    host.watched_to_its_end(&id).await;
    // Hosted bots draw from the seed 0.
    assert!(recompute_takes(&host.record(&id).await, 0) >= 3);
}
