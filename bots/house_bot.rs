//! The index of the house bots.

use super::{Greedy, Loyal, Oracle, Random, Timid, Traitor};
use crate::client::Bot;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// A house bot by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HouseBot {
    /// See [`Random`].
    Random,
    /// See [`Greedy`].
    Greedy,
    /// See [`Timid`].
    Timid,
    /// See [`Oracle`].
    Oracle,
    /// See [`Loyal`].
    Loyal,
    /// See [`Traitor`].
    Traitor,
}

/// A word that names no house bot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("house bot {0:?}: there are {names}", names = list_names())]
pub struct HouseBotError(pub String);

fn list_names() -> String {
    HouseBot::ALL.map(HouseBot::name).join(", ")
}

impl HouseBot {
    /// All house bots.
    pub const ALL: [Self; 6] =
        [Self::Random, Self::Greedy, Self::Timid, Self::Oracle, Self::Loyal, Self::Traitor];

    /// Returns its name, which is also a valid name for a bot on a server.
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Timid => "timid",
            Self::Oracle => "oracle",
            Self::Loyal => "loyal",
            Self::Traitor => "traitor",
        }
    }

    /// Makes the bot; [`Random`] draws its takes from the seed.
    pub fn build_bot(self, seed: u64) -> Box<dyn Bot> {
        match self {
            Self::Random => Box::new(Random::new(seed)),
            Self::Greedy => Box::new(Greedy),
            Self::Timid => Box::new(Timid),
            Self::Oracle => Box::new(Oracle),
            Self::Loyal => Box::new(Loyal),
            Self::Traitor => Box::new(Traitor),
        }
    }
}

impl fmt::Display for HouseBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for HouseBot {
    type Err = HouseBotError;

    fn from_str(word: &str) -> Result<Self, HouseBotError> {
        Self::ALL.into_iter().find(|bot| bot.name() == word).ok_or_else(|| HouseBotError(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        client::MatchView,
        game::{AllianceMatrix, BotName, Ending, Game, Piles},
        oracle::Solution,
    };
    use proptest::{prelude::*, sample::subsequence};

    #[test]
    fn names_round_trip_and_are_names_for_a_server() {
        for bot in HouseBot::ALL {
            assert_eq!(bot.to_string().parse(), Ok(bot));
            assert!(bot.name().parse::<BotName>().is_ok());
        }
        assert_eq!(
            "gready".parse::<HouseBot>().unwrap_err().to_string(),
            "house bot \"gready\": there are random, greedy, timid, oracle, loyal, traitor"
        );
    }

    fn games() -> impl Strategy<Value = Game> {
        let pile = prop_oneof![1_u64..12, Just(crate::game::MAX_COUNTERS)];
        (2_usize..7, prop::collection::vec(pile, 1..6), any::<prop::sample::Index>()).prop_flat_map(
            |(n, piles, first)| {
                let row = Just((0..n as u64).collect::<Vec<_>>()).prop_shuffle();
                let ending = subsequence(Ending::ALL.to_vec(), 1);
                (prop::collection::vec(row, n), ending).prop_map(move |(rows, ending)| {
                    let matrix = AllianceMatrix::parse(&rows).unwrap();
                    Game::new(Piles::parse(&piles).unwrap(), matrix, first.index(n), ending[0]).unwrap()
                })
            },
        )
    }

    proptest! {
        #[test]
        fn they_declare_fitting_rows_and_make_legal_takes(
            game in games(),
            seed: u64,
            order in prop::collection::vec(0_usize..6, 1..40),
        ) {
            let mut bots = HouseBot::ALL.map(|bot| bot.build_bot(seed));
            let mut takes = Vec::new();
            for index in order {
                let Ok(view) = MatchView::practice(&game, &takes) else { break };
                prop_assert_eq!(bots[index].declare(view.info()).seats(), game.matrix.seats());
                let take = bots[index].play(&view);
                prop_assert!((1..=view.position().counters()).contains(&take));
                takes.push(take);
            }
        }

        #[test]
        fn optimal_bots_are_optimal_for_the_row_they_play_for(game in games()) {
            let view = MatchView::practice(&game, &[]).unwrap();
            let optimal = Solution::new(&game).optimal_takes(view.position());
            prop_assert!(optimal.contains(Oracle.play(&view)));
            prop_assert!(optimal.contains(Loyal.play(&view)));
            let rows: Vec<Vec<u64>> = game.matrix.rows().enumerate().map(|(seat, row)| {
                let row = if seat == view.seat { crate::game::Row::standard(view.seats()) } else { row.clone() };
                row.offsets().iter().copied().map(u64::from).collect()
            }).collect();
            let own = Game::new(
                game.piles.clone(),
                AllianceMatrix::parse(&rows).unwrap(),
                game.first_seat().index(),
                game.ending,
            ).unwrap();
            prop_assert!(Solution::new(&own).optimal_takes(view.position()).contains(Traitor.play(&view)));
        }

        #[test]
        fn random_follows_from_its_seed_and_the_match_alone(games in prop::collection::vec(games(), 1..5), seed: u64) {
            let views: Vec<_> = games.iter().map(|game| MatchView::practice(game, &[]).unwrap()).collect();
            let forwards: Vec<_> = views.iter().map(|view| Random::new(seed).play(view)).collect();
            let mut one = Random::new(seed);
            let mut backwards: Vec<_> = views.iter().rev().map(|view| one.play(view)).collect();
            backwards.reverse();
            prop_assert_eq!(forwards, backwards);
        }
    }

    #[test]
    fn random_takes_differ_by_seed_and_ply() {
        let matrix = AllianceMatrix::parse(&[vec![0, 1], vec![0, 1]]).unwrap();
        let game =
            Game::new(Piles::parse(&[crate::game::MAX_COUNTERS]).unwrap(), matrix, 0, Ending::default())
                .unwrap();
        let view = |takes: &[u64]| MatchView::practice(&game, takes).unwrap();
        let first = Random::new(1).play(&view(&[]));
        assert_ne!(first, Random::new(2).play(&view(&[])));
        assert_ne!(first, Random::new(1).play(&view(&[1, 1])));
    }

    #[test]
    fn loyal_and_traitor_part_where_the_ally_is_not_oneself() {
        // Seat 1 would rather see seat 0 win than seat 2: two counters left to it make seat 0 win, none makes seat 1.
        let rows = [vec![1, 0, 2], vec![2, 0, 1], vec![0, 1, 2]];
        let game = Game::parse(&[3], &rows, 0, Ending::ToMoveWins).unwrap();
        let view = MatchView::practice(&game, &[]).unwrap();
        assert_eq!(Loyal.declare(view.info()), Traitor.declare(view.info()));
        assert_eq!((Loyal.play(&view), Traitor.play(&view)), (3, 1));
    }
}
