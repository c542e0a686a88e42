//! A match at the moment of the bot's own turn.

use super::{
    MatchInfo, SeenTake,
    seen_takes::{NewestTakes, SeenTakes},
};
use lastnim_core::{
    game::{AllianceMatrix, BotName, BySeat, Game, IllegalTake, MatchId, Position},
    oracle::Mover,
    referee::{Clock, MatchSetup, Terms},
};
use std::{
    ops::{Deref, Range},
    sync::Arc,
    time::Duration,
};

/// A match as the seat to move sees it: everything of [`MatchInfo`], everybody's rows, and the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchView {
    pub(super) info: Arc<MatchInfo>,
    pub(super) game: Arc<Game>,
    pub(super) position: Position,
    pub(super) ply: u32,
    pub(super) bank_left: Duration,
    pub(super) seen_takes: NewestTakes,
}

impl MatchView {
    /// Returns the match after `takes`, as the seat to move sees it: to try a bot without a server.
    ///
    /// The bots are named `seat-0`, `seat-1` and so on; the clock stands at an hour. It has seen all takes.
    ///
    /// # Errors
    /// Names the first take that the rules do not allow, or says that no counter is left for the seat to take.
    pub fn practice(game: &Game, takes: &[u64]) -> Result<Self, IllegalTake> {
        let hour = Duration::from_hours(1);
        let bots = BySeat::from_fn(game.matrix.seats(), |seat| {
            format!("seat-{seat}").parse::<BotName>().expect("a name of lower-case letters and digits")
        });
        let clock = Clock { initial: hour, declaration: hour, ..Clock::default() };
        let setup = MatchSetup {
            first: game.first_seat(),
            ending: game.ending,
            terms: Terms { clock, ..Terms::default() },
            ..MatchSetup::new(bots, game.piles.clone())
        };
        Self::replay(MatchId::new(0, &[0; 10]), setup, &game.matrix, takes)
    }

    /// Returns a match after `takes`, as the seat to move sees it that has seen them all: to ask a bot again what it did in a
    /// recorded match. The bank is full.
    ///
    /// # Errors
    /// Names the first take that the rules do not allow, or says that no counter is left for the seat to take.
    ///
    /// # Panics
    /// If the matrix is for another number of seats than the setup.
    pub fn replay(
        id: MatchId,
        setup: MatchSetup,
        matrix: &AllianceMatrix,
        takes: &[u64],
    ) -> Result<Self, IllegalTake> {
        assert_eq!(setup.seats(), matrix.seats(), "a row for each seat of the match");
        let game = Game::new(setup.piles.clone(), matrix.clone(), setup.first.index(), setup.ending)
            .expect("the first seat is one of the match's");
        let mut position = game.first_position();
        let mut seen = SeenTakes::from_start(position.clone());
        for (ply, &take) in (0..).zip(takes) {
            position.take(take)?;
            seen.add_take(ply, take, Mover::Bot);
        }
        if position.is_over() {
            return Err(IllegalTake::Over { take: 1 });
        }
        let bank_left = setup.terms.clock.initial;
        Ok(Self {
            info: Arc::new(MatchInfo { id, seat: position.to_move(), setup }),
            game: Arc::new(game),
            position,
            ply: takes.len() as u32,
            bank_left,
            seen_takes: seen.newest().clone(),
        })
    }

    /// Returns the same as a match of another id: to try a bot that remembers matches.
    #[must_use]
    pub fn with_id(mut self, id: MatchId) -> Self {
        Arc::make_mut(&mut self.info).id = id;
        self
    }

    /// Returns the same as if the takes of these plies had not been heard of: to try a bot that lost its session.
    #[must_use]
    pub fn with_takes_missed(mut self, plies: Range<u32>) -> Self {
        self.seen_takes = self.seen_takes.without_plies(&plies);
        self
    }

    /// Returns what was fixed before the first take.
    pub fn info(&self) -> &MatchInfo {
        &self.info
    }

    /// Returns the game from its start, for the oracle.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the rows of all seats.
    pub fn matrix(&self) -> &AllianceMatrix {
        &self.game.matrix
    }

    /// Returns the position, with the own seat to move.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the number of the take to come, from 0.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the newest takes of all seats that the bot has heard of, the own ones too, in rising order of ply:
    /// [`MAX_SEEN_TAKES`](super::MAX_SEEN_TAKES) (1,024) at the most, and none unless [`Bot::take_feed`](super::Bot::take_feed) is
    /// [`TakeFeed::All`](super::TakeFeed::All).
    ///
    /// Those that were made while there was no session are missing, and so are all that a process before this one heard of.
    pub fn seen_takes(&self) -> &[SeenTake] {
        self.seen_takes.as_slice()
    }

    /// Returns what was left in the own bank when the turn was sent.
    pub fn bank_left(&self) -> Duration {
        self.bank_left
    }
}

impl Deref for MatchView {
    type Target = MatchInfo;

    fn deref(&self) -> &MatchInfo {
        &self.info
    }
}
