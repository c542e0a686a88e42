//! All house bots.

use super::{
    BlunderRate, BlunderRateError, Epsilon, Greedy, Grudger, Liar, Loyal, Manner, Mcts, Minimax, Mirror,
    Negotiator, Oracle, Playouts, PlayoutsError, Plies, PliesError, Random, Timid, Traitor,
};
use lastnim_client::Bot;
use lastnim_core::game::find_closest_word;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// A house bot. Its name, such as `oracle` or `minimax-3`, is also a valid bot name on a server.
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
    /// See [`Grudger`].
    Grudger,
    /// See [`Mirror`].
    Mirror,
    /// See [`Minimax`].
    Minimax(Plies),
    /// See [`Epsilon`].
    Epsilon(BlunderRate),
    /// See [`Mcts`].
    Mcts(Playouts),
    /// See [`Liar`].
    Liar,
    /// See [`Manner::Naive`].
    Naive,
    /// See [`Manner::Keeper`].
    Keeper,
    /// See [`Manner::Breaker`].
    Breaker,
}

/// The reason why a text is not the name of a house bot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HouseBotError {
    /// There is no house bot of this kind.
    #[error("house bot {0:?}: expected one of {known}", known = HouseBot::EXAMPLES.map(HouseBot::name_pattern).join(", "))]
    Unknown(String),
    /// The number of plies is invalid.
    #[error("house bot {0:?}: {1}")]
    Plies(String, PliesError),
    /// The rate is invalid.
    #[error("house bot {0:?}: {1}")]
    Rate(String, BlunderRateError),
    /// The number of playouts is invalid.
    #[error("house bot {0:?}: {1}")]
    Playouts(String, PlayoutsError),
}

impl HouseBot {
    /// The house bots whose names have no number and that look only at the current position. The demo uses these.
    pub const BASIC: [Self; 6] =
        [Self::Random, Self::Greedy, Self::Timid, Self::Oracle, Self::Loyal, Self::Traitor];

    /// One house bot of each kind.
    pub const EXAMPLES: [Self; 15] = [
        Self::Random,
        Self::Greedy,
        Self::Timid,
        Self::Oracle,
        Self::Loyal,
        Self::Traitor,
        Self::Grudger,
        Self::Mirror,
        Self::Minimax(Plies::EXAMPLE),
        Self::Epsilon(BlunderRate::EXAMPLE),
        Self::Mcts(Playouts::EXAMPLE),
        Self::Liar,
        Self::Naive,
        Self::Keeper,
        Self::Breaker,
    ];

    /// Returns the kind of the bot, which is its name without any number.
    pub fn kind(self) -> &'static str {
        let pattern = self.name_pattern();
        pattern.split_once('-').map_or(pattern, |(kind, _)| kind)
    }

    /// Returns the pattern of the names of this kind, such as `oracle` or `minimax-PLIES`.
    pub fn name_pattern(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Timid => "timid",
            Self::Oracle => "oracle",
            Self::Loyal => "loyal",
            Self::Traitor => "traitor",
            Self::Grudger => "grudger",
            Self::Mirror => "mirror",
            Self::Minimax(_) => "minimax-PLIES",
            Self::Epsilon(_) => "epsilon-RATE",
            Self::Mcts(_) => "mcts-PLAYOUTS",
            Self::Liar => "liar",
            Self::Naive => "naive",
            Self::Keeper => "keeper",
            Self::Breaker => "breaker",
        }
    }

    /// Returns the house bot whose name is most similar to an unknown name, with the number in that name if it is
    /// valid; `None` if no name is similar.
    pub fn closest_to(word: &str) -> Option<Self> {
        let (kind, number) = word.split_once('-').unwrap_or((word, ""));
        let meant = find_closest_word(kind, Self::EXAMPLES.map(Self::kind))?;
        let example = Self::EXAMPLES.into_iter().find(|bot| bot.kind() == meant)?;
        Some(format!("{meant}-{number}").parse().unwrap_or(example))
    }

    /// Returns whether the bot draws takes or rows at random.
    pub fn draws_at_random(self) -> bool {
        let draws_takes = matches!(self, Self::Random | Self::Epsilon(_) | Self::Mcts(_));
        draws_takes || matches!(self, Self::Liar | Self::Naive | Self::Keeper | Self::Breaker)
    }

    /// Creates the bot. Any random draws are derived from the seed.
    pub fn build_bot(self, seed: u64) -> Box<dyn Bot> {
        match self {
            Self::Random => Box::new(Random::new(seed)),
            Self::Greedy => Box::new(Greedy),
            Self::Timid => Box::new(Timid),
            Self::Oracle => Box::new(Oracle),
            Self::Loyal => Box::new(Loyal),
            Self::Traitor => Box::new(Traitor),
            Self::Grudger => Box::new(Grudger),
            Self::Mirror => Box::new(Mirror),
            Self::Minimax(plies) => Box::new(Minimax::new(plies)),
            Self::Epsilon(rate) => Box::new(Epsilon::new(rate, seed)),
            Self::Mcts(playouts) => Box::new(Mcts::new(playouts, seed)),
            Self::Liar => Box::new(Liar::new(seed)),
            Self::Naive => Box::new(Negotiator::new(Manner::Naive, seed)),
            Self::Keeper => Box::new(Negotiator::new(Manner::Keeper, seed)),
            Self::Breaker => Box::new(Negotiator::new(Manner::Breaker, seed)),
        }
    }
}

impl fmt::Display for HouseBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Minimax(plies) => f.pad(&format!("minimax-{plies}")),
            Self::Epsilon(rate) => f.pad(&format!("epsilon-{rate}")),
            Self::Mcts(playouts) => f.pad(&format!("mcts-{playouts}")),
            _ => f.pad(self.kind()),
        }
    }
}

impl FromStr for HouseBot {
    type Err = HouseBotError;

    fn from_str(word: &str) -> Result<Self, HouseBotError> {
        let (kind, number) = word.split_once('-').unwrap_or((word, ""));
        match kind {
            "minimax" => number
                .parse()
                .map(Self::Minimax)
                .map_err(|error| HouseBotError::Plies(word.to_owned(), error)),
            "epsilon" => {
                number.parse().map(Self::Epsilon).map_err(|error| HouseBotError::Rate(word.to_owned(), error))
            }
            "mcts" => number
                .parse()
                .map(Self::Mcts)
                .map_err(|error| HouseBotError::Playouts(word.to_owned(), error)),
            _ => Self::EXAMPLES
                .into_iter()
                .find(|bot| bot.kind() == word)
                .ok_or_else(|| HouseBotError::Unknown(word.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice_games::games;
    use lastnim_client::MatchView;
    use lastnim_core::{
        game::{AllianceMatrix, BotName, Ending, Game, MAX_COUNTERS, MAX_SEATS, Piles, SeatCount},
        oracle::Solution,
    };
    use proptest::prelude::*;

    /// The names of one bot of each kind, all fast enough for tests.
    const FAST_BOT_NAMES: [&str; 15] = [
        "random",
        "greedy",
        "timid",
        "oracle",
        "loyal",
        "traitor",
        "grudger",
        "mirror",
        "minimax-4",
        "epsilon-0.5",
        "mcts-20",
        "liar",
        "naive",
        "keeper",
        "breaker",
    ];

    fn name_patterns() -> String {
        HouseBot::EXAMPLES.map(HouseBot::name_pattern).join(", ")
    }

    #[test]
    fn the_book_lists_all_house_bots() {
        let page = include_str!("../../docs/reference/house-bots.md");
        let (_, table) = page.split_once("| name | declares | takes |\n|---|---|---|\n").unwrap();
        let listed = table.lines().map_while(|row| row.strip_prefix("| `")?.split('`').next());
        assert_eq!(listed.collect::<Vec<_>>().join(", "), name_patterns());
    }

    #[test]
    fn names_round_trip_and_are_valid_bot_names() {
        for bot in HouseBot::EXAMPLES {
            assert_eq!(bot.to_string().parse(), Ok(bot));
            assert!(bot.to_string().parse::<BotName>().is_ok());
            assert!(bot.to_string().starts_with(bot.kind()) && bot.name_pattern().starts_with(bot.kind()));
        }
        assert_eq!(HouseBot::EXAMPLES[..6], HouseBot::BASIC);
        for word in ["minimax-8", "epsilon-0.999999", "mcts-100000"] {
            assert_eq!(word.parse::<HouseBot>().unwrap().to_string(), word);
            assert!(word.parse::<BotName>().is_ok());
        }
        let refusal = |word: &str| word.parse::<HouseBot>().unwrap_err().to_string();
        let known = name_patterns();
        assert_eq!(refusal("gready"), format!("house bot \"gready\": expected one of {known}"));
        assert_eq!(refusal("oracle-3"), format!("house bot \"oracle-3\": expected one of {known}"));
        let cases = [
            ("minimax-9", "PLIES \"9\": expected a whole number from 1 to 8, as in minimax-3"),
            ("minimax", "PLIES \"\": expected a whole number from 1 to 8, as in minimax-3"),
            (
                "epsilon-2",
                "RATE \"2\": expected a number from 0 to 1 with at most 6 decimals, as in epsilon-0.1",
            ),
            ("mcts-0", "PLAYOUTS \"0\": expected a whole number from 1 to 100000, as in mcts-1000"),
        ];
        for (word, why) in cases {
            assert_eq!(refusal(word), format!("house bot {word:?}: {why}"));
        }
    }

    #[test]
    fn suggestions_for_mistyped_names_keep_the_number() {
        let cases = [
            ("gready", Some("greedy")),
            ("oracle-3", Some("oracle")),
            ("minimx-5", Some("minimax-5")),
            ("minimx-50", Some("minimax-3")),
            ("minimx", Some("minimax-3")),
            ("epsilom-0.25", Some("epsilon-0.25")),
            ("mtcs-7", Some("mcts-7")),
            ("alphabeta-5", None),
        ];
        for (word, meant) in cases {
            assert_eq!(HouseBot::closest_to(word), meant.map(|name| name.parse().unwrap()), "{word}");
        }
    }

    proptest! {
        #[test]
        fn all_house_bots_declare_valid_rows_and_make_legal_takes(
            game in games(),
            seed: u64,
            order in prop::collection::vec(0..FAST_BOT_NAMES.len(), 1..40),
        ) {
            let mut bots = FAST_BOT_NAMES.map(|word| word.parse::<HouseBot>().unwrap().build_bot(seed));
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
                let row = if seat == view.seat { lastnim_core::game::Row::standard(view.seats()) } else { row.clone() };
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
        fn takes_depend_only_on_the_seed_and_the_match(games in prop::collection::vec(games(), 1..5), seed: u64) {
            let views: Vec<_> = games.iter().map(|game| MatchView::practice(game, &[1]).or_else(|_| MatchView::practice(game, &[])).unwrap()).collect();
            for word in FAST_BOT_NAMES {
                let bot: HouseBot = word.parse().unwrap();
                let forwards: Vec<_> = views.iter().map(|view| bot.build_bot(seed).play(view)).collect();
                let mut one = bot.build_bot(seed);
                let mut backwards: Vec<_> = views.iter().rev().map(|view| one.play(view)).collect();
                backwards.reverse();
                prop_assert_eq!(&forwards, &backwards);
                if !bot.draws_at_random() {
                    let other: Vec<_> = views.iter().map(|view| bot.build_bot(!seed).play(view)).collect();
                    prop_assert_eq!(forwards, other);
                }
            }
        }
    }

    #[test]
    fn takes_are_legal_in_the_largest_games() {
        let seats = SeatCount::new(MAX_SEATS).unwrap();
        let piles = Piles::parse(&[MAX_COUNTERS; 20]).unwrap();
        let game = Game::new(piles, AllianceMatrix::standard(seats), 0, Ending::ToMoveWins).unwrap();
        for word in FAST_BOT_NAMES.into_iter().chain(["minimax-8", "mcts-200"]) {
            let mut bot = word.parse::<HouseBot>().unwrap().build_bot(1);
            let mut takes = Vec::new();
            for _ in 0..20 {
                let view = MatchView::practice(&game, &takes).unwrap();
                let take = bot.play(&view);
                assert!((1..=view.position().counters()).contains(&take), "{word} took {take}");
                takes.push(take);
            }
        }
    }

    #[test]
    fn random_takes_differ_by_seed_and_ply() {
        let matrix = AllianceMatrix::parse(&[vec![0, 1], vec![0, 1]]).unwrap();
        let game = Game::new(Piles::parse(&[MAX_COUNTERS]).unwrap(), matrix, 0, Ending::default()).unwrap();
        let view = |takes: &[u64]| MatchView::practice(&game, takes).unwrap();
        let first = Random::new(1).play(&view(&[]));
        assert_ne!(first, Random::new(2).play(&view(&[])));
        assert_ne!(first, Random::new(1).play(&view(&[1, 1])));
    }

    #[test]
    fn loyal_and_traitor_differ_if_the_ally_wants_another_winner() {
        // Seat 1 prefers a win by seat 0 to a win by seat 2: leaving two counters lets seat 0 win, leaving none lets
        // seat 1 win.
        let rows = [vec![1, 0, 2], vec![2, 0, 1], vec![0, 1, 2]];
        let game = Game::parse(&[3], &rows, 0, Ending::ToMoveWins).unwrap();
        let view = MatchView::practice(&game, &[]).unwrap();
        assert_eq!(Loyal.declare(view.info()), Traitor.declare(view.info()));
        assert_eq!((Loyal.play(&view), Traitor.play(&view)), (3, 1));
    }
}
