//! The takes of a match that the bot has received.

use lastnim_core::{game::Position, oracle::Mover};
use std::{ops::Range, sync::Arc};

/// Maximum number of takes in [`MatchView::seen_takes`](super::MatchView::seen_takes), which keeps the latest.
pub const MAX_SEEN_TAKES: usize = 1_024;

/// A take that the bot has received, its own or another seat's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenTake {
    /// The number of the take, from 0.
    pub ply: u32,
    /// The position before the take.
    pub before: Position,
    /// The counters taken.
    pub take: u64,
    /// Whether the bot or the steward moved.
    pub mover: Mover,
}

/// The latest takes, in order of ply. Views share this list. It is copied only if a take is added while a view exists.
///
/// Old takes are dropped in batches, so that each remaining take is moved at most once.
#[derive(Debug, Clone, Default)]
pub(super) struct NewestTakes(Arc<Vec<SeenTake>>);

impl NewestTakes {
    /// Returns the latest takes, at most [`MAX_SEEN_TAKES`].
    pub(super) fn as_slice(&self) -> &[SeenTake] {
        &self.0[self.0.len().saturating_sub(MAX_SEEN_TAKES)..]
    }

    fn push(&mut self, seen: SeenTake) {
        let takes = Arc::make_mut(&mut self.0);
        if takes.len() >= 2 * MAX_SEEN_TAKES {
            takes.drain(..takes.len() - MAX_SEEN_TAKES);
        }
        takes.push(seen);
    }

    /// Drops the takes at `ply` and all later plies.
    fn truncate_at(&mut self, ply: u32) {
        let kept = self.0.partition_point(|seen| seen.ply < ply);
        if kept < self.0.len() {
            Arc::make_mut(&mut self.0).truncate(kept);
        }
    }

    /// Returns a copy without the takes at these plies.
    pub(super) fn without_plies(&self, plies: &Range<u32>) -> Self {
        let kept = self.as_slice().iter().filter(|seen| !plies.contains(&seen.ply));
        Self(Arc::new(kept.cloned().collect()))
    }

    /// Returns whether a view shares the takes.
    #[cfg(test)]
    pub(super) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}

impl PartialEq for NewestTakes {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for NewestTakes {}

/// The latest takes of a match, and its current position.
///
/// A take is kept only if the position before it is known. After a lost session, the next turn or snapshot gives the
/// position, so that only the takes made in between are missing.
#[derive(Debug, Clone)]
pub(super) struct SeenTakes {
    takes: NewestTakes,
    /// The current ply and position, if known.
    reached: Option<(u32, Position)>,
}

impl SeenTakes {
    /// Creates an empty list for a match at its first position.
    pub(super) fn from_start(start: Position) -> Self {
        Self { takes: NewestTakes::default(), reached: Some((0, start)) }
    }

    pub(super) fn newest(&self) -> &NewestTakes {
        &self.takes
    }

    /// Notes the current position, unless a later one is known.
    pub(super) fn note_position(&mut self, ply: u32, position: &Position) {
        let is_new = match &self.reached {
            Some((known, _)) => *known < ply,
            None => self.takes.as_slice().last().is_none_or(|last| last.ply < ply),
        };
        if is_new {
            self.reached = Some((ply, position.clone()));
        }
    }

    /// Notes the position in a snapshot, which may be earlier: the server then lost the takes from `ply` on.
    pub(super) fn resume_at(&mut self, ply: u32, position: Position) {
        self.takes.truncate_at(ply);
        self.reached = Some((ply, position));
    }

    /// Adds a take, unless it was added before, the position before it is unknown, or it is illegal.
    pub(super) fn add_take(&mut self, ply: u32, take: u64, mover: Mover) {
        let Some((reached, before)) = self.reached.take_if(|(reached, _)| *reached <= ply) else { return };
        if reached < ply {
            return;
        }
        let mut after = before.clone();
        if after.take(take).is_ok() {
            self.takes.push(SeenTake { ply, before, take, mover });
            self.reached = Some((ply.saturating_add(1), after));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::{Piles, Seat, SeatCount};

    fn start() -> Position {
        Position::new(Piles::parse(&[2, 5]).unwrap(), Seat::FIRST, SeatCount::new(3).unwrap())
    }

    fn position_after(takes: &[u64]) -> Position {
        let mut position = start();
        for &take in takes {
            position.take(take).unwrap();
        }
        position
    }

    fn seen(takes: &SeenTakes) -> Vec<(u32, u64)> {
        takes.newest().as_slice().iter().map(|seen| (seen.ply, seen.take)).collect()
    }

    #[test]
    fn takes_are_kept_with_their_positions() {
        let mut takes = SeenTakes::from_start(start());
        for (ply, take) in [(0, 2), (1, 3), (1, 3), (0, 2), (2, 1)] {
            takes.add_take(ply, take, Mover::Bot);
        }
        assert_eq!(seen(&takes), [(0, 2), (1, 3), (2, 1)], "a repeated take is kept only once");
        assert_eq!(takes.newest().as_slice()[2].before, position_after(&[2, 3]));
    }

    #[test]
    fn only_missed_takes_are_missing() {
        let mut takes = SeenTakes::from_start(start());
        takes.add_take(0, 1, Mover::Bot);
        // Plies 1 and 2 were missed, so the position before ply 3 is unknown.
        takes.add_take(3, 1, Mover::Bot);
        takes.note_position(0, &start());
        takes.add_take(0, 1, Mover::Bot);
        assert_eq!(seen(&takes), [(0, 1)]);
        takes.note_position(4, &position_after(&[1, 1, 1, 1]));
        takes.add_take(4, 1, Mover::Steward);
        assert_eq!(seen(&takes), [(0, 1), (4, 1)]);
        takes.note_position(2, &position_after(&[1, 1]));
        takes.add_take(5, 2, Mover::Bot);
        assert_eq!(
            takes.newest().as_slice()[2].before,
            position_after(&[1, 1, 1, 1, 1]),
            "an older position is ignored"
        );
    }

    #[test]
    fn snapshot_removes_takes_lost_by_the_server() {
        let mut takes = SeenTakes::from_start(start());
        for ply in 0..4 {
            takes.add_take(ply, 1, Mover::Bot);
        }
        let shown = takes.newest().clone();
        takes.resume_at(2, position_after(&[1, 1]));
        assert_eq!(seen(&takes), [(0, 1), (1, 1)]);
        takes.add_take(2, 3, Mover::Bot);
        takes.add_take(3, 2, Mover::Steward);
        assert_eq!(seen(&takes), [(0, 1), (1, 1), (2, 3), (3, 2)]);
        let [.., third, last] = takes.newest().as_slice() else { panic!("{takes:?}") };
        assert_eq!((&third.before, &last.before), (&position_after(&[1, 1]), &position_after(&[1, 1, 3])));
        assert_eq!((shown.as_slice().len(), shown.as_slice()[2].take), (4, 1), "views do not change");

        // A snapshot also sets the position if it was unknown.
        takes.resume_at(2, position_after(&[1, 1]));
        takes.add_take(3, 1, Mover::Bot);
        takes.resume_at(1, position_after(&[1]));
        takes.add_take(1, 4, Mover::Bot);
        assert_eq!(seen(&takes), [(0, 1), (1, 4)]);
        takes.resume_at(2, position_after(&[1, 4]));
        assert_eq!(seen(&takes), [(0, 1), (1, 4)], "nothing was lost");
    }

    #[test]
    fn only_the_latest_takes_are_kept_and_compared() {
        let piles = Piles::parse(&[1_000_000]).unwrap();
        let start = Position::new(piles, Seat::FIRST, SeatCount::new(3).unwrap());
        let mut takes = SeenTakes::from_start(start);
        let max = MAX_SEEN_TAKES as u32;
        for ply in 0..5 * max {
            takes.add_take(ply, 1 + u64::from(ply) % 7, Mover::Bot);
            let newest = takes.newest();
            let first = (ply + 1).saturating_sub(max);
            assert!(newest.as_slice().iter().map(|seen| seen.ply).eq(first..=ply), "ply {ply}");
            assert!(newest.0.len() <= 2 * MAX_SEEN_TAKES);
        }
        assert_eq!(takes.newest(), &takes.newest().without_plies(&(0..4 * max)));
        assert_ne!(takes.newest(), &takes.newest().without_plies(&(0..4 * max + 1)));
    }

    #[test]
    fn impossible_take_is_dropped() {
        let mut takes = SeenTakes::from_start(start());
        takes.add_take(0, 6, Mover::Bot);
        takes.add_take(0, 5, Mover::Bot);
        assert_eq!(seen(&takes), []);
        takes.note_position(1, &position_after(&[5]));
        takes.add_take(1, 2, Mover::Bot);
        assert_eq!(seen(&takes), [(1, 2)]);
    }
}
