//! Duplicate groups that have been played, for simulations to draw from.

use super::typical_field::play_match;
use lastnim_core::game::{AllianceMatrix, BySeat, Game};
use lastnim_tournament::{AllianceSource, SeatResult, SeededDraw, Settings, draw_matrix};
use std::collections::HashMap;

/// Maximum number of groups that are played between bots of the same kinds. After that, these groups are drawn again.
const MAX_GROUPS: usize = 200;
/// Minimum number of played groups that are drawn from.
const MIN_GROUPS: usize = 20;
/// The number of plies, in all groups together, after which no more groups are played and played ones are drawn again.
const MAX_PLIES: u64 = 1_500_000;

/// The groups that bots of some kinds have played.
#[derive(Debug)]
pub(super) struct GroupPool<'a> {
    settings: &'a Settings,
    draw: SeededDraw,
    plies_left: u64,
    /// The groups by the kinds of the bots, in ascending order.
    groups: HashMap<Vec<u8>, Vec<PlayedGroup>>,
}

/// A duplicate group: for each rotation, the place of the winner and the results of all places. A place is an index of
/// the kinds in ascending order.
pub(super) type PlayedGroup = Vec<PlayedMatch>;

/// A match of a played group.
#[derive(Debug, Clone)]
pub(super) struct PlayedMatch {
    pub(super) winner: usize,
    pub(super) places: Vec<SeatResult>,
}

impl<'a> GroupPool<'a> {
    pub(super) fn new(settings: &'a Settings) -> Self {
        let draw = SeededDraw::from_numbers([settings.seed]);
        Self { settings, draw, plies_left: MAX_PLIES, groups: HashMap::new() }
    }

    /// Returns a group between bots of these kinds, which are in ascending order: a new one as long as the bounds allow
    /// it, then a drawn one. `None` if there are too few to draw from.
    pub(super) fn draw_group(&mut self, kinds: &[u8]) -> Option<&PlayedGroup> {
        let known = self.groups.get(kinds).map_or(0, Vec::len);
        if known < MAX_GROUPS && self.plies_left > 0 {
            let group = self.play_group(kinds);
            let plies: u64 =
                group.iter().flat_map(|played| &played.places).map(|seat| u64::from(seat.plies)).sum();
            self.plies_left = self.plies_left.saturating_sub(plies);
            let groups = self.groups.entry(kinds.to_vec()).or_default();
            groups.push(group);
            groups.last()
        } else {
            self.draw.choose(self.groups.get(kinds).filter(|groups| groups.len() >= MIN_GROUPS)?)
        }
    }

    /// Plays a position in every rotation. The position, the rows and the order of the bots are drawn.
    fn play_group(&mut self, kinds: &[u8]) -> PlayedGroup {
        let (seats, draw) = (self.settings.seats, &mut self.draw);
        let position = draw.number_below(self.settings.positions.count() as u64) as usize;
        let piles = self.settings.piles(position).expect("the position is one of the tournament's");
        let group = draw.next_bits();
        let mut order: Vec<usize> = (0..seats.get()).collect();
        draw.shuffle(&mut order);
        let rotations = (0..seats.get()).map(|rotation| {
            let place = |seat: usize| order[(seat + rotation) % seats.get()];
            let matrix = match &self.settings.alliance {
                AllianceSource::Standard | AllianceSource::Declared => AllianceMatrix::standard(seats),
                AllianceSource::Random => draw_matrix(seats, self.settings.seed, group),
                AllianceSource::Given(matrix) => matrix.clone(),
                AllianceSource::Dealt(rule) => {
                    let rows = BySeat::from_fn(seats, |_| rule.draw_row(seats, |n| draw.number_below(n)));
                    AllianceMatrix::from_rows(rows).expect("each row has one offset for each seat")
                }
            };
            let game = Game::new(piles.clone(), matrix, 0, self.settings.ending);
            let game = game.expect("the first seat is one of the match's");
            let seat_kinds = BySeat::from_fn(seats, |seat| kinds[place(seat.index())]);
            let outcome = play_match(&game, &seat_kinds, draw);
            let mut places = vec![SeatResult::default(); seats.get()];
            for (seat, result) in outcome.seats.enumerate() {
                places[place(seat.index())] = result.clone();
            }
            PlayedMatch { winner: place(outcome.winner.index()), places }
        });
        rotations.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::SeatCount;
    use lastnim_tournament::{Positions, SettingsDraft};

    #[test]
    fn groups_are_reused_once_the_plies_are_used_up() {
        let positions = Positions::drawn(20, (3, 5), (1, 9)).unwrap();
        let (title, seats) = ("study".parse().unwrap(), SeatCount::new(2).unwrap());
        let settings = Settings::new(SettingsDraft::new(title, seats, positions, AllianceSource::Random));
        let settings = settings.unwrap();
        let mut pool = GroupPool::new(&settings);
        for _ in 0..MIN_GROUPS - 1 {
            let group = pool.draw_group(&[0, 3]).unwrap();
            assert!(group.len() == 2 && group.iter().all(|played| played.places[0].regret == 0), "{group:?}");
        }
        let spent = MAX_PLIES - pool.plies_left;
        assert!(spent > 2 * 3 * (MIN_GROUPS as u64 - 1), "every pile takes a ply or more: {spent}");
        let mut too_few =
            GroupPool { plies_left: 0, groups: pool.groups.clone(), ..GroupPool::new(&settings) };
        assert!(too_few.draw_group(&[0, 3]).is_none());
        pool.draw_group(&[0, 3]).unwrap();
        pool.plies_left = 0;
        assert!(pool.draw_group(&[0, 3]).is_some() && pool.draw_group(&[0, 4]).is_none());
        assert_eq!(pool.groups[&vec![0, 3]].len(), MIN_GROUPS);
    }
}
