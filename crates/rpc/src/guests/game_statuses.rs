//! The statuses of all games of a player.

use super::game_status::GameStatus;
use lastnim_core::game::MatchId;
use lastnim_proto::MatchEvent;
use std::collections::BTreeMap;

/// The maximum number of games to keep. If it is exceeded, the oldest finished game is dropped, or the oldest game if
/// no game is finished.
const MAX_GAMES: usize = 32;

/// The statuses of a player's games, as known to its session.
#[derive(Debug)]
pub(super) struct GameStatuses {
    by_match: BTreeMap<MatchId, GameStatus>,
    /// The revision before any event.
    first_revision: u64,
    /// The number of events so far.
    heard: u64,
    /// The revision of unknown games, higher than the revisions of all dropped games.
    dropped_revision: u64,
}

impl GameStatuses {
    /// Creates an empty collection that starts at this revision.
    pub(super) fn with_first_revision(first_revision: u64) -> Self {
        let (by_match, heard) = Default::default();
        Self { by_match, first_revision, heard, dropped_revision: first_revision }
    }

    /// Returns the status of a game. The status of a dropped game has only a revision, which is higher than any that a
    /// page has seen.
    pub(super) fn status_of(&self, id: MatchId) -> GameStatus {
        let unkept = || GameStatus::with_revision(self.dropped_revision);
        self.by_match.get(&id).cloned().unwrap_or_else(unkept)
    }

    /// Returns a number that grows with each event.
    pub(super) fn revision(&self) -> u64 {
        self.first_revision + self.heard
    }

    pub(super) fn has_open_game(&self) -> bool {
        self.by_match.values().any(|game| !game.is_over)
    }

    /// Applies an event of a game.
    pub(super) fn apply(&mut self, id: MatchId, event: &MatchEvent) {
        self.heard += 1;
        let unkept = GameStatus::with_revision(self.dropped_revision);
        self.by_match.entry(id).or_insert(unkept).apply(event);
        if self.by_match.len() > MAX_GAMES {
            self.drop_oldest_game(id);
        }
    }

    /// Drops the oldest game except `kept`, preferably one that is over. Match ids grow with time.
    fn drop_oldest_game(&mut self, kept: MatchId) {
        let other_games = || self.by_match.iter().filter(|(id, _)| **id != kept);
        let oldest_over = other_games().find(|(_, game)| game.is_over);
        if let Some(id) = oldest_over.or_else(|| other_games().next()).map(|(id, _)| *id) {
            self.by_match.remove(&id);
            // No game has a higher revision, because each event raises this revision and that of one game by one.
            self.dropped_revision = self.revision();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::SeatCount;
    use lastnim_core::referee::{EndReason, ForfeitReason};

    fn match_id(number: usize) -> MatchId {
        format!("0192f0c1-2e6b-7c3a-8f4d-{number:012x}").parse().unwrap()
    }

    #[test]
    fn finished_games_are_dropped_first() {
        let mut games = GameStatuses::with_first_revision(7);
        let seat = SeatCount::new(2).unwrap().seat(0).unwrap();
        let begun = MatchEvent::Forfeited { seat, reason: ForfeitReason::Resigned };
        let ended = MatchEvent::Ended { reason: EndReason::Finished, winner: None, audit: None, dealt: None };
        games.apply(match_id(0), &begun);
        let mut last = 0;
        for number in 1..10 * MAX_GAMES {
            games.apply(match_id(number), &begun);
            games.apply(match_id(number), &ended);
            assert!(games.by_match.len() <= MAX_GAMES && games.by_match.contains_key(&match_id(0)));
            let ended = games.status_of(match_id(number));
            assert!(
                ended.is_over && (9..=games.revision()).contains(&ended.revision) && ended.revision >= last
            );
            last = ended.revision;
        }
        assert!(games.has_open_game());
        for number in 1_000..1_000 + 2 * MAX_GAMES {
            games.apply(match_id(number), &begun);
        }
        assert_eq!(games.by_match.len(), MAX_GAMES);
        assert!(!games.by_match.contains_key(&match_id(0)), "game 0 is the oldest open game");
    }

    #[test]
    fn revisions_of_a_game_never_repeat() {
        let mut games = GameStatuses::with_first_revision(7);
        let seat = SeatCount::new(2).unwrap().seat(0).unwrap();
        let event = MatchEvent::Forfeited { seat, reason: ForfeitReason::Resigned };
        let mut shown = vec![7; 2 * MAX_GAMES];
        for _ in 0..3 {
            for (number, last) in shown.iter_mut().enumerate() {
                let before = games.status_of(match_id(number)).revision;
                games.apply(match_id(number), &event);
                let heard = games.status_of(match_id(number)).revision;
                assert!(before >= *last && heard > before, "{last}, {before} and {heard}");
                assert!(heard <= games.revision(), "{heard}");
                *last = heard;
            }
        }
        let behind = games.status_of(match_id(0)).revision;
        assert!(behind > shown[0] && !games.by_match.contains_key(&match_id(0)), "{behind}");
    }
}
