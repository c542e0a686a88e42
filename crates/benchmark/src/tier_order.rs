//! Tests that imperfect bots lose more in higher tiers.

use crate::{BENCHMARK_SET, SetItem, Tier};
use lastnim_bots::HouseBot;
use lastnim_client::MatchView;
use lastnim_core::{
    game::MatchId,
    oracle::{Audit, Mover, PlayedTake},
    referee::MatchSetup,
};

/// Plays an item without a server, and returns the bot's loss in total and by its first take, as shares of all ranks.
fn play_item(item: &SetItem, bot: HouseBot) -> [f64; 2] {
    let setup = MatchSetup {
        first: item.game.first_seat(),
        assigned: Some(item.game.matrix.clone()),
        ..MatchSetup::new(item.bots(), item.game.piles.clone())
    };
    let seats = item.game.matrix.seats().get();
    let (mut takes, mut position) = (Vec::new(), item.game.first_position());
    while !position.is_over() {
        let view = MatchView::replay(MatchId::new(0, &[0; 10]), setup.clone(), &item.game.matrix, &takes);
        let mover = (takes.len() % seats).checked_sub(1).map_or(bot, |place| item.opponents[place]);
        let take = mover.build_bot(0).play(&view.unwrap());
        position.take(take).unwrap();
        takes.push(take);
    }
    let played: Vec<_> = takes.iter().map(|&take| PlayedTake { take, mover: Mover::Bot }).collect();
    let audit = Audit::of_finished(&item.game, &played).unwrap();
    let all = f64::from(seats as u32) - 1.0;
    let lost = f64::from(audit.seats[item.game.first_seat()].regret);
    [(lost / all).min(1.0), f64::from(audit.plies[0].regret) / all]
}

/// Returns the mean losses of a bot in the first items of each tier.
fn mean_losses(bot: &str, items: usize) -> Vec<[f64; 2]> {
    let bot: HouseBot = bot.parse().unwrap();
    let mean = |tier: Tier| {
        let played: Vec<_> =
            BENCHMARK_SET.items_of_tier(tier).iter().take(items).map(|item| play_item(item, bot)).collect();
        [0, 1].map(|figure| {
            played.iter().map(|losses| losses[figure]).sum::<f64>() / f64::from(played.len() as u32)
        })
    };
    Tier::all().map(mean).collect()
}

#[test]
fn reference_bots_lose_more_in_higher_tiers() {
    for bot in ["random", "timid", "minimax-1", "minimax-2", "minimax-4", "mcts-10", "mcts-100"] {
        let losses = mean_losses(bot, 120);
        for figure in [0, 1] {
            let rising = losses.windows(2).all(|tiers| tiers[1][figure] > tiers[0][figure]);
            assert!(rising, "{bot}: {losses:?}");
        }
    }
}

#[test]
fn a_bot_with_a_constant_error_rate_loses_most_where_errors_cost_most() {
    let losses = mean_losses("epsilon-0.2", 120);
    assert!((0..4).all(|tier| losses[4][0] > losses[tier][0]), "{losses:?}");
}

#[test]
fn perfect_play_loses_nothing() {
    assert_eq!(mean_losses("oracle", 30), [[0.0; 2]; 5]);
}
