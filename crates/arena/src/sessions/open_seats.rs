//! The seats that bots and guests have in open matches.

use crate::arena::Arena;
use crate::matches::match_table::OpenMatch;
use crate::matches::shard::AnnouncedMatch;
use lastnim_core::game::{BotName, MatchId, Seat, SeatCount};
use lastnim_core::referee::{MatchPhase, MatchSetup, Timestamp};
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

/// The seat of a bot or guest in an open match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenSeat {
    /// The seat.
    pub seat: Seat,
    /// The number of seats in the match.
    pub seats: SeatCount,
    /// Whether rows are still being declared.
    pub is_declaring: bool,
    /// The number of takes announced so far.
    pub plies: u32,
    /// Whether the match is waiting for the seat.
    pub is_awaited: bool,
    /// The time left for the seats that the match is waiting for; `None` if no clock is running.
    pub left: Option<Duration>,
}

/// An open match as one of its bots sees it.
#[derive(Debug, Clone)]
pub struct OpenGame {
    /// The match.
    pub id: MatchId,
    /// The setup of the match.
    pub setup: Arc<MatchSetup>,
    /// The seat of the bot.
    pub open: OpenSeat,
}

impl OpenMatch {
    fn seat_of(&self, name: &BotName, now: Timestamp) -> Option<OpenSeat> {
        let (seat, _) = self.setup.bots.enumerate().find(|(_, bot)| *bot == name)?;
        let AnnouncedMatch { phase, plies, awaited, .. } = self.handle.view()?;
        Some(OpenSeat {
            seat,
            seats: self.handle.seats(),
            is_declaring: matches!(phase, MatchPhase::Talking | MatchPhase::Declaring),
            plies,
            is_awaited: awaited.contains(seat),
            left: awaited.elapsed_and_remaining(now).map(|(_, left)| left),
        })
    }

    /// Returns how long the match has waited for a bot; `None` if it is not waiting for that bot, or no clock is
    /// running.
    pub(crate) fn waiting_time(&self, name: &BotName, now: Timestamp) -> Option<Duration> {
        let (seat, _) = self.setup.bots.enumerate().find(|(_, bot)| *bot == name)?;
        let awaited = self.handle.view()?.awaited;
        let (waited, _) = awaited.elapsed_and_remaining(now).filter(|_| awaited.contains(seat))?;
        Some(waited)
    }
}

impl Arena {
    /// Returns the seat of a bot or guest in an open match; `None` if the bot or guest has no seat there, or the match
    /// is over. Does not block.
    pub fn open_seat(&self, name: &BotName, id: MatchId) -> Option<OpenSeat> {
        self.open_match(id)?.seat_of(name, self.now())
    }

    /// Returns up to `limit` open matches of a bot, and whether there are more. Matches that wait for the bot come
    /// first, the one with the least time left at the top; the others follow, the newest first. Does not block.
    pub fn open_games(&self, name: &BotName, limit: usize) -> (Vec<OpenGame>, bool) {
        let now = self.now();
        let presence = self.inner.roster.existing_presence(name);
        let ids = presence.map(|presence| presence.open_match_ids(usize::MAX)).unwrap_or_default();
        let game = |id| {
            let game = self.open_match(id)?;
            Some(OpenGame { id, open: game.seat_of(name, now)?, setup: game.setup })
        };
        let mut games: Vec<_> = ids.into_iter().filter_map(game).collect();
        games.sort_by_key(|game| {
            let left = game.open.left.filter(|_| game.open.is_awaited).unwrap_or(Duration::MAX);
            (!game.open.is_awaited, left, Reverse(game.id))
        });
        let has_more = games.len() > limit;
        games.truncate(limit);
        (games, has_more)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::fixture::{arena, duel_setup, name};

    #[tokio::test]
    async fn matches_that_wait_for_a_bot_come_first() {
        let arena = arena().await;
        let older = arena.create_match(duel_setup()).await.unwrap().id;
        let mut setup = duel_setup();
        setup.first = setup.seats().seat(1).unwrap();
        let newer = arena.create_match(setup).await.unwrap().id;
        for (bot, ids) in [("first", [older, newer]), ("second", [newer, older])] {
            let (games, has_more) = arena.open_games(&name(bot), 2);
            let listed: Vec<_> = games.iter().map(|game| (game.id, game.open.is_awaited)).collect();
            assert_eq!(
                (listed.as_slice(), has_more),
                (&[(ids[0], true), (ids[1], false)][..], false),
                "{bot}"
            );
            let (games, has_more) = arena.open_games(&name(bot), 1);
            assert!(has_more && games.len() == 1 && games[0].id == ids[0], "{games:?}");
        }
        let (games, has_more) = arena.open_games(&name("nobody"), 2);
        assert!(games.is_empty() && !has_more);
    }
}
