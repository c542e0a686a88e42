//! A match at the moment of the bot's own turn.

use super::MatchInfo;
use crate::{
    game::{AllianceMatrix, BotName, BySeat, Game, IllegalTake, MatchId, Position},
    referee::{Clock, MatchSetup, Terms},
};
use std::{ops::Deref, sync::Arc, time::Duration};

/// A match as the seat to move sees it: everything of [`MatchInfo`], everybody's rows, and the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchView {
    pub(super) info: Arc<MatchInfo>,
    pub(super) game: Arc<Game>,
    pub(super) position: Position,
    pub(super) ply: u32,
    pub(super) bank_left: Duration,
}

impl MatchView {
    /// Returns the match after `takes`, as the seat to move sees it: to try a bot without a server.
    ///
    /// The bots are named `seat-0`, `seat-1` and so on; the clock stands at an hour.
    ///
    /// # Errors
    /// Names the first take that the rules do not allow, or says that no counter is left for the seat to take.
    pub fn practice(game: &Game, takes: &[u64]) -> Result<Self, IllegalTake> {
        let mut position = game.first_position();
        for &take in takes {
            position.take(take)?;
        }
        if position.is_over() {
            return Err(IllegalTake::Over { take: 1 });
        }
        let hour = Duration::from_hours(1);
        let bots = BySeat::from_fn(position.seats(), |seat| {
            format!("seat-{seat}").parse::<BotName>().expect("a name of lower-case letters and digits")
        });
        let clock = Clock { initial: hour, declaration: hour, ..Clock::default() };
        let setup = MatchSetup {
            first: game.first_seat(),
            ending: game.ending,
            terms: Terms { clock, ..Terms::default() },
            ..MatchSetup::new(bots, game.piles.clone())
        };
        let info = MatchInfo { id: MatchId::new(0, &[0; 10]), seat: position.to_move(), setup };
        let ply = takes.len() as u32;
        Ok(Self { info: Arc::new(info), game: Arc::new(game.clone()), position, ply, bank_left: hour })
    }

    /// Returns the same as a match of another id: to try a bot that remembers matches.
    #[must_use]
    pub fn with_id(mut self, id: MatchId) -> Self {
        Arc::make_mut(&mut self.info).id = id;
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
