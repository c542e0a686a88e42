//! Merges the matches that were read for different parts of an audit.

use super::seen_matches::{BitPage, MAX_EXHIBITIONS, MAX_PAGES, SeenMatches, TournamentMatches};
use lastnim_core::{
    game::{MatchId, TournamentId},
    shown_number::shown_number,
};
use std::collections::{BTreeSet, btree_map::Entry};
use thiserror::Error;

/// Why the matches of two parts cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MatchConflict {
    #[error(
        "match {} of tournament {tournament} is also in another part: expected each match in one part",
        shown_number(*number)
    )]
    NumberInBoth { tournament: TournamentId, number: u64 },
    #[error("match {0} is also in another part: expected each match in one part")]
    ExhibitionInBoth(MatchId),
    #[error("the duplicate groups of tournament {0} have a different size in another part")]
    GroupSizes(TournamentId),
    #[error(
        "duplicate group {} of tournament {tournament} has a match with the same bots at the same seats in two parts: expected each seating once",
        shown_number(*group)
    )]
    RotationInBoth { tournament: TournamentId, group: u64 },
    #[error(
        "together with the other parts, there are too many matches to detect repeated ones: merge fewer parts"
    )]
    TooMany,
}

impl SeenMatches {
    /// Adds the matches of another part.
    ///
    /// # Errors
    /// If both parts have the same match or matches that exclude each other, or if there are too many matches.
    pub fn merge(&mut self, other: Self) -> Result<(), MatchConflict> {
        for (tournament, matches) in other.tournaments {
            match self.tournaments.entry(tournament) {
                Entry::Vacant(place) => drop(place.insert(matches)),
                Entry::Occupied(mut known) => known.get_mut().merge(tournament, matches)?,
            }
        }
        self.pages = self.tournaments.values().map(|matches| matches.pages.len()).sum();
        for (id, check) in other.exhibitions {
            if self.exhibitions.insert(id, check).is_some() {
                return Err(MatchConflict::ExhibitionInBoth(id));
            }
        }
        if self.pages > MAX_PAGES || self.exhibitions.len() > MAX_EXHIBITIONS {
            return Err(MatchConflict::TooMany);
        }
        Ok(())
    }
}

impl TournamentMatches {
    fn merge(&mut self, tournament: TournamentId, other: Self) -> Result<(), MatchConflict> {
        self.seats = self.seats.filter(|_| self.seats == other.seats);
        self.max_seats = self.max_seats.max(other.max_seats);
        for (fits, fits_other) in self.group_sizes.iter_mut().zip(other.group_sizes) {
            *fits &= fits_other;
        }
        for (number, page) in other.pages {
            let known = self.pages.entry(number).or_insert_with(|| Box::new(BitPage::empty()));
            let common: Vec<u64> =
                known.counted.iter().zip(page.counted).map(|(marks, more)| marks & more).collect();
            if let Some(number) = BitPage::marked_numbers(number, &common).next() {
                return Err(MatchConflict::NumberInBoth { tournament, number });
            }
            for place in BitPage::marked_numbers(0, &page.counted) {
                known.checks[place as usize] = page.checks[place as usize];
            }
            for (marks, more) in known.counted.iter_mut().zip(page.counted) {
                *marks |= more;
            }
            for (marks, more) in known.given.iter_mut().zip(page.given) {
                *marks |= more;
            }
        }
        let size = match self.group_sizes {
            [false, false] => return Err(MatchConflict::GroupSizes(tournament)),
            [true, false] => self.max_seats,
            [_, true] => self.max_seats.saturating_mul(2),
        };
        self.check_rotations(size).map_err(|group| MatchConflict::RotationInBoth { tournament, group })
    }

    /// Checks that no group of this size has two matches with the same bots at the same seats. The error is the number
    /// of the group.
    fn check_rotations(&self, size: u64) -> Result<(), u64> {
        let (mut last_group, mut seatings) = (None, BTreeSet::new());
        for (&number, page) in &self.pages {
            let places = BitPage::marked_numbers(0, &page.counted);
            for (place, number) in places.zip(BitPage::marked_numbers(number, &page.counted)) {
                let group = number / size.max(1);
                if last_group.replace(group) != Some(group) {
                    seatings.clear();
                }
                if !seatings.insert(page.checks[place as usize].seating) {
                    return Err(group);
                }
            }
        }
        Ok(())
    }
}
