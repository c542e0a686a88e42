//! A bot that errs at a set rate.

use super::{BlunderRate, turn_draw::draw_of_turn};
use lastnim_client::{Bot, MatchView};
use lastnim_core::oracle::{OptimalTakes, Solution};
use lastnim_tournament::SeededDraw;

/// Errs at a fixed rate and otherwise makes the smallest optimal take; declares the standard row.
///
/// An error is drawn uniformly from all takes that cost the bot a rank or more. In a position where every take is
/// optimal it cannot err. So it is expected to err in `RATE` of the turns in which it can, and its expected accuracy over
/// all turns is at least `1 - RATE`. Its random draws are derived from the seed, the match and the ply.
#[derive(Debug, Clone)]
pub struct Epsilon {
    rate: BlunderRate,
    seed: u64,
}

impl Epsilon {
    /// Creates a bot with an error rate and a seed.
    pub fn new(rate: BlunderRate, seed: u64) -> Self {
        Self { rate, seed }
    }
}

impl Bot for Epsilon {
    fn play(&mut self, game: &MatchView) -> u64 {
        let optimal = Solution::new(game.game()).optimal_takes(game.position());
        let mut draw = draw_of_turn(self.seed, game);
        let errs = self.rate.draw_is_error(&mut draw);
        let erroneous_take =
            errs.then(|| draw_erroneous_take(&optimal, game.position().counters(), &mut draw)).flatten();
        erroneous_take.or(optimal.smallest()).expect("an unfinished position has an optimal take")
    }
}

/// Draws a take uniformly from the takes that are not optimal; returns `None` if all takes are optimal.
pub(super) fn draw_erroneous_take(
    optimal: &OptimalTakes,
    counters: u64,
    draw: &mut SeededDraw,
) -> Option<u64> {
    let errors = counters - optimal.iter().map(|range| range.hi - range.lo + 1).sum::<u64>();
    (errors > 0).then(|| {
        let place = 1 + draw.number_below(errors);
        // The drawn take is number `place` among the errors. To find it, the optimal takes below it are skipped in
        // ascending order.
        optimal
            .iter()
            .fold(place, |take, range| if take < range.lo { take } else { take + (range.hi - range.lo + 1) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice_games::{games, random_game};
    use lastnim_core::game::{Ending, Game};
    use proptest::prelude::*;

    fn epsilon(rate: &str, seed: u64) -> Epsilon {
        Epsilon::new(rate.parse().unwrap(), seed)
    }

    proptest! {
        #[test]
        fn rate_0_never_errs_and_rate_1_errs_whenever_possible(game in games(), seed: u64) {
            let view = MatchView::practice(&game, &[]).unwrap();
            let optimal = Solution::new(&game).optimal_takes(view.position());
            let counters = view.position().counters();
            let can_err = optimal.as_slice() != [lastnim_core::oracle::TakeRange { lo: 1, hi: counters }];
            prop_assert_eq!(optimal.contains(epsilon("1", seed).play(&view)), !can_err);
            prop_assert_eq!(Some(epsilon("0", seed).play(&view)), optimal.smallest());
        }
    }

    #[test]
    fn every_error_is_equally_likely() {
        // In the pile of 7 counters, which is played first, some takes are optimal and others are not.
        let game = Game::parse(&[2, 7], &[vec![0, 1], vec![0, 1]], 0, Ending::ToMoveWins).unwrap();
        let view = MatchView::practice(&game, &[]).unwrap();
        let optimal = Solution::new(&game).optimal_takes(view.position());
        let errors: Vec<u64> = (1..=7).filter(|&take| !optimal.contains(take)).collect();
        assert!(errors.len() > 1, "{optimal}");
        let mut counts = [0_u32; 8];
        for seed in 0..6_000 {
            counts[epsilon("1", seed).play(&view) as usize] += 1;
        }
        let expected = 6_000 / errors.len() as u32;
        for take in 1..=7 {
            let count = counts[take as usize];
            let range = if errors.contains(&take) { expected * 4 / 5..expected * 6 / 5 } else { 0..1 };
            assert!(range.contains(&count), "{take}: {counts:?}");
        }
    }

    #[test]
    fn the_bot_errs_at_its_rate_over_many_turns() {
        let (mut turns, mut errors) = (0_u32, 0_u32);
        for number in 0..4_000 {
            let game = random_game(number, 3, 2, 9);
            let view = MatchView::practice(&game, &[]).unwrap();
            let optimal = Solution::new(&game).optimal_takes(view.position());
            if optimal.as_slice()
                != [lastnim_core::oracle::TakeRange { lo: 1, hi: view.position().counters() }]
            {
                turns += 1;
                errors += u32::from(!optimal.contains(epsilon("0.25", number).play(&view)));
            }
        }
        // The standard deviation of the share is at most 0.014; the seeds are fixed.
        let share = f64::from(errors) / f64::from(turns);
        assert!(turns > 1_000 && (0.2..0.3).contains(&share), "{errors} of {turns}");
    }
}
