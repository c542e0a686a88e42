//! A match at the bot's turn.

use super::{
    MatchInfo, SeenTake, TalkMessage,
    seen_takes::{NewestTakes, SeenTakes},
};
use lastnim_core::{
    game::{AllianceMatrix, BotName, BySeat, Game, IllegalTake, MatchId, Position, Row},
    oracle::Mover,
    referee::{Clock, MatchSetup, Terms},
};
use std::{
    ops::{Deref, Range},
    sync::Arc,
    time::Duration,
};

/// A match as the seat to move sees it: the [`MatchInfo`], all rows, and the position.
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
    /// Returns the match after `takes` as the seat to move sees it, for testing a bot without a server.
    ///
    /// The bots are named `seat-0`, `seat-1` and so on, each bank is one hour, and all takes are visible.
    ///
    /// # Errors
    /// Returns an error that names the first illegal take, or says that no counter is left.
    pub fn practice(game: &Game, takes: &[u64]) -> Result<Self, IllegalTake> {
        let hour = Duration::from_hours(1);
        let bots = BySeat::from_fn(game.matrix.seats(), |seat| {
            format!("seat-{seat}")
                .parse::<BotName>()
                .expect("the name has only lower-case letters and digits")
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

    /// Returns a match after `takes` as the seat to move sees it, for asking a bot again about a recorded match. All
    /// takes are visible, and the bank is full.
    ///
    /// # Errors
    /// Returns an error that names the first illegal take, or says that no counter is left.
    ///
    /// # Panics
    /// If the number of rows differs from the number of seats.
    pub fn replay(
        id: MatchId,
        setup: MatchSetup,
        matrix: &AllianceMatrix,
        takes: &[u64],
    ) -> Result<Self, IllegalTake> {
        assert_eq!(setup.seats(), matrix.seats(), "the matrix has a row for each seat");
        let game = Game::new(setup.piles.clone(), matrix.clone(), setup.first.index(), setup.ending)
            .expect("the first seat is in the match");
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
            info: Arc::new(MatchInfo {
                id,
                seat: position.to_move(),
                setup,
                dealt_row: None,
                messages: Vec::new(),
            }),
            game: Arc::new(game),
            position,
            ply: takes.len() as u32,
            bank_left,
            seen_takes: seen.newest().clone(),
        })
    }

    /// Replaces the match id, for testing a bot that remembers matches.
    #[must_use]
    pub fn with_id(mut self, id: MatchId) -> Self {
        Arc::make_mut(&mut self.info).id = id;
        self
    }

    /// Deals a row to the bot, for testing a bot that declares.
    #[must_use]
    pub fn with_dealt_row(mut self, row: Row) -> Self {
        Arc::make_mut(&mut self.info).dealt_row = Some(row);
        self
    }

    /// Sets the messages that the bot has sent or heard, for testing a bot that listens.
    #[must_use]
    pub fn with_messages(mut self, messages: Vec<TalkMessage>) -> Self {
        Arc::make_mut(&mut self.info).messages = messages;
        self
    }

    /// Hides the takes at these plies, for testing a bot that lost its session.
    #[must_use]
    pub fn with_takes_missed(mut self, plies: Range<u32>) -> Self {
        self.seen_takes = self.seen_takes.without_plies(&plies);
        self
    }

    /// Returns the facts that are fixed before the first take.
    pub fn info(&self) -> &MatchInfo {
        &self.info
    }

    /// Returns the game that the oracle solves: the piles before the first take, the rows, and the first seat.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the rows of all seats.
    pub fn matrix(&self) -> &AllianceMatrix {
        &self.game.matrix
    }

    /// Returns the position, with the bot's seat to move.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the number of the next take, from 0.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the latest takes that the bot has received, in order of ply: at most
    /// [`MAX_SEEN_TAKES`](super::MAX_SEEN_TAKES) (1,024), including its own. It is empty unless
    /// [`Bot::take_feed`](super::Bot::take_feed) is [`TakeFeed::All`](super::TakeFeed::All).
    ///
    /// Takes made while there was no session, or before this process started, are missing.
    pub fn seen_takes(&self) -> &[SeenTake] {
        self.seen_takes.as_slice()
    }

    /// Returns the time that was left in the bot's bank when the server sent the turn.
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
