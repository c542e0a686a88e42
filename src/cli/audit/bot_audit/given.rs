//! Which matches were given already, so that none counts twice, and which of a tournament were not given.

use crate::{
    game::{MatchId, TournamentId},
    referee::{Origin, Record},
};
use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    iter,
};

/// The matches of a tournament that are kept together.
const PAGE: u64 = 256;
/// The pages that are kept, of all tournaments: about 40 MiB.
const MAX_PAGES: usize = 1 << 16;
/// The exhibitions that are told apart: about 10 MiB.
const MAX_EXHIBITIONS: usize = 1 << 18;

/// What a match is to those given before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchSighting {
    /// It is the first record of its match.
    First,
    /// The same record was given before.
    Again,
    /// Another record of the same match was given before.
    Other,
    /// There are too many to tell.
    Untold,
}

/// The matches that were given: of a tournament a bit and a check of 16 bits each, of exhibitions more.
///
/// Two records of a match are taken for the same if the first 16 bits of the hash of their last event are.
#[derive(Debug, Default)]
pub struct SeenMatches {
    tournaments: BTreeMap<TournamentId, TournamentMatches>,
    pages: usize,
    exhibitions: HashMap<MatchId, u16>,
}

/// The matches of one tournament.
#[derive(Debug)]
struct TournamentMatches {
    /// The seats of each; none if groups are not as many matches in a row as there are seats.
    seats: Option<u64>,
    pages: BTreeMap<u64, Box<BitPage>>,
}

#[derive(Debug)]
struct BitPage {
    /// Matches that count.
    counted: [u64; PAGE as usize / 64],
    /// Matches of which there is a record, be it one that does not count.
    given: [u64; PAGE as usize / 64],
    checks: [u16; PAGE as usize],
}

/// What of a tournament was not given, or does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingMatches {
    pub tournament: TournamentId,
    /// The duplicate groups of which a match counts, and those of them of which not all do, where that can be told.
    pub groups: Option<(u64, u64)>,
    /// The numbers up to the highest of which there is no record.
    pub numbers: u64,
}

impl SeenMatches {
    /// Marks a match that would count.
    pub fn mark_counted(&mut self, record: &Record) -> MatchSighting {
        let check = u16::from_be_bytes([record.last_hash().as_bytes()[0], record.last_hash().as_bytes()[1]]);
        let setup = record.state().setup();
        let Some(origin) = &setup.origin else { return self.mark_exhibition_counted(record.id(), check) };
        let Some((page, at)) = self.page_of_match(origin, setup.seats().get() as u64) else {
            return MatchSighting::Untold;
        };
        let (word, bit) = (at / 64, 1 << (at % 64));
        page.given[word] |= bit;
        if page.counted[word] & bit == 0 {
            page.counted[word] |= bit;
            page.checks[at] = check;
            return MatchSighting::First;
        }
        if page.checks[at] == check { MatchSighting::Again } else { MatchSighting::Other }
    }

    /// Marks a match of which there is a record that does not count.
    pub fn mark_uncounted(&mut self, record: &Record) {
        let setup = record.state().setup();
        if let Some(origin) = &setup.origin
            && let Some((page, at)) = self.page_of_match(origin, setup.seats().get() as u64)
        {
            page.given[at / 64] |= 1 << (at % 64);
        }
    }

    fn mark_exhibition_counted(&mut self, id: MatchId, check: u16) -> MatchSighting {
        let is_full = self.exhibitions.len() >= MAX_EXHIBITIONS;
        match self.exhibitions.entry(id) {
            Entry::Occupied(other) if *other.get() == check => MatchSighting::Again,
            Entry::Occupied(_) => MatchSighting::Other,
            Entry::Vacant(_) if is_full => MatchSighting::Untold,
            Entry::Vacant(place) => {
                place.insert(check);
                MatchSighting::First
            }
        }
    }

    /// Returns the page of a match and its place in it; none if there are too many pages.
    fn page_of_match(&mut self, origin: &Origin, seats: u64) -> Option<(&mut BitPage, usize)> {
        let is_full = self.pages >= MAX_PAGES;
        if is_full && !self.tournaments.contains_key(&origin.tournament) {
            return None;
        }
        let matches = self
            .tournaments
            .entry(origin.tournament)
            .or_insert_with(|| TournamentMatches { seats: Some(seats), pages: BTreeMap::new() });
        if matches.seats != Some(seats) || origin.group != origin.number / seats {
            matches.seats = None;
        }
        let number = origin.number / PAGE;
        if !matches.pages.contains_key(&number) {
            if is_full {
                return None;
            }
            self.pages += 1;
        }
        let page = matches.pages.entry(number).or_insert_with(|| Box::new(BitPage::empty()));
        Some((page, (origin.number % PAGE) as usize))
    }

    /// Returns, by tournament, what is missing, be it nothing.
    pub fn missing_by_tournament(&self) -> impl Iterator<Item = MissingMatches> {
        self.tournaments.iter().map(|(&tournament, matches)| MissingMatches {
            tournament,
            groups: matches.seats.map(|seats| matches.count_groups(seats)),
            numbers: matches.count_missing_numbers(),
        })
    }
}

impl TournamentMatches {
    /// Counts the groups of which a match counts, and those of them of which not all do.
    fn count_groups(&self, seats: u64) -> (u64, u64) {
        let (mut groups, mut incomplete) = (0, 0);
        let mut numbers = self
            .pages
            .iter()
            .flat_map(|(&page, marks)| BitPage::marked_numbers(page, &marks.counted))
            .peekable();
        while let Some(first) = numbers.next() {
            let group = first / seats;
            let further = iter::from_fn(|| numbers.next_if(|number| number / seats == group)).count() as u64;
            groups += 1;
            incomplete += u64::from(1 + further < seats);
        }
        (groups, incomplete)
    }

    fn count_missing_numbers(&self) -> u64 {
        let numbers =
            self.pages.iter().flat_map(|(&page, marks)| BitPage::marked_numbers(page, &marks.given));
        // The highest of n numbers is n - 1 if none is missing.
        numbers.enumerate().last().map_or(0, |(before, highest)| highest - before as u64)
    }
}

impl BitPage {
    fn empty() -> Self {
        Self { counted: [0; PAGE as usize / 64], given: [0; PAGE as usize / 64], checks: [0; PAGE as usize] }
    }

    /// Returns the numbers that are marked, rising.
    fn marked_numbers(page: u64, marks: &[u64]) -> impl Iterator<Item = u64> {
        let marked = (0..PAGE).filter(|at| marks[(at / 64) as usize] & (1 << (at % 64)) != 0);
        marked.map(move |at| page * PAGE + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(numbers: impl IntoIterator<Item = u64>) -> SeenMatches {
        let mut given = SeenMatches::default();
        for number in numbers {
            let origin = Origin { tournament: TournamentId::new(1, &[0; 10]), number, group: number / 3 };
            let (page, at) = given.page_of_match(&origin, 3).unwrap();
            page.given[at / 64] |= 1 << (at % 64);
            page.counted[at / 64] |= 1 << (at % 64);
        }
        given
    }

    #[test]
    fn what_is_missing_is_counted() {
        let missing = |numbers: &[u64]| {
            marked(numbers.iter().copied())
                .missing_by_tournament()
                .map(|missing| (missing.groups, missing.numbers))
                .next()
        };
        assert_eq!(missing(&[]), None);
        assert_eq!(missing(&[0, 1, 2, 3, 4, 5]), Some((Some((2, 0)), 0)));
        assert_eq!(missing(&[0, 2, 3, 4, 5]), Some((Some((2, 1)), 1)));
        assert_eq!(missing(&[3, 4, 5]), Some((Some((1, 0)), 3)));
        // A group lies in two pages.
        assert_eq!(missing(&(0..258).collect::<Vec<_>>()), Some((Some((86, 0)), 0)));
        assert_eq!(missing(&[600, 601, 602, 1_000]), Some((Some((2, 1)), 997)));
        assert_eq!(missing(&[u64::MAX]), Some((Some((1, 1)), u64::MAX)));
    }

    #[test]
    fn what_is_full_says_so() {
        let given = &mut marked((0..MAX_PAGES as u64).map(|page| page * PAGE));
        let origin =
            |number| Origin { tournament: TournamentId::new(1, &[0; 10]), number, group: number / 3 };
        assert!(given.page_of_match(&origin(1), 3).is_some());
        assert!(given.page_of_match(&origin(MAX_PAGES as u64 * PAGE), 3).is_none());
        assert_eq!(given.pages, MAX_PAGES);
    }
}
