//! Reference house bots: their takes can be recomputed.

use super::host::{Host, exhibition, round_robin};
use lastnim_bots::HouseBot;
use lastnim_client::MatchView;
use lastnim_core::referee::Event;
use lastnim_proto::{pb, record::parse_record};
use lastnim_server::Config;

/// The seed of the bots.
const SEED: u64 = 11;

/// Recomputes every take of the bots in a record, and returns their number.
fn recompute_takes(record: &pb::MatchRecord, seed: u64) -> usize {
    let record = parse_record(record).unwrap();
    let state = record.state();
    let (setup, game) = (state.setup(), state.game().unwrap());
    let mut takes: Vec<u64> = Vec::new();
    for timed in record.events() {
        let &Event::Took { seat, take, .. } = &timed.event else { continue };
        let view = MatchView::replay(record.id(), setup.clone(), &game.matrix, &takes).unwrap();
        let bot: HouseBot = setup.bots[seat].as_str().parse().unwrap();
        // Each take is computed by a new bot, whose memory of the match comes from its view.
        assert_eq!(bot.build_bot(seed).play(&view), take, "{bot} at ply {} of {setup:?}", takes.len());
        takes.push(take);
    }
    takes.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn takes_can_be_recomputed_from_records() {
    let host = Host::start().await;
    let names = ["grudger", "mirror", "minimax-3", "epsilon-0.4", "mcts-30"];
    let bots = names.map(|word| word.parse::<HouseBot>().unwrap());
    let party = host.house_bots(&bots, SEED).await;
    let settings = pb::TournamentSettings {
        alliance: pb::AllianceMode::Random.into(),
        ..round_robin(&[&[3, 4, 5], &[2, 40]])
    };
    let id = host.create_tournament(settings, &names).await;
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
async fn takes_of_hosted_bots_can_be_recomputed() {
    let names = ["grudger", "mirror", "minimax-8", "epsilon-0.05", "mcts-20"];
    let house = names.iter().map(|word| word.parse().unwrap()).collect();
    let host = Host::with(Config { house, ..Config::default() }).await;
    for word in names {
        assert_eq!(host.bot(word).await.house_bot, word);
    }
    let id = host.create_match(exhibition(names, &[4, 3, 5])).await;
    host.watched_to_its_end(&id).await;
    // Hosted bots use the seed 0.
    assert!(recompute_takes(&host.record(&id).await, 0) >= 3);
}
