//! Remembers the matches read so far, to find duplicates and the missing matches of tournaments.

use lastnim_core::{
    game::{BotName, MatchId, TournamentId},
    referee::{Origin, Record},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    iter,
};

/// The number of consecutive match numbers that one page covers.
pub(super) const NUMBERS_PER_PAGE: u64 = 256;
/// The maximum number of pages for all tournaments together. This many pages take about 70 MiB.
pub(super) const MAX_PAGES: usize = 1 << 15;
/// The maximum number of remembered exhibitions. This many exhibitions take about 10 MiB.
pub(super) const MAX_EXHIBITIONS: usize = 1 << 18;

/// How a match relates to the matches that were read before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchSighting {
    /// The record is the first one of its match.
    First,
    /// The same record was read before.
    Again,
    /// A different record of the same match was read before.
    OtherRecord,
    /// A different match with the same number in the tournament was read before.
    NumberTaken,
    /// The duplicate group cannot contain a match with this number: a group has `seats` matches, or twice as
    /// many in a sequential test.
    OutsideGroup,
    /// Another match of the same duplicate group, with the bots at the same seats, was read before.
    RotationTaken,
    /// There are too many matches to remember, so it is unknown whether the match was read before.
    Untracked,
}

/// The matches read so far. Each match of a tournament is stored as two bits and 64 bits of short hashes; an exhibition
/// takes more memory.
///
/// Two records of a match count as the same if the first 16 bits of the hash of their last event agree. Two matches
/// with the same number in a tournament count as the same if 16 bits of a hash of their ids agree. In two matches of a
/// group, the bots count as sitting at the same seats if 32 bits of a hash of the seating agree.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SeenMatches {
    pub(super) tournaments: BTreeMap<TournamentId, TournamentMatches>,
    pub(super) pages: usize,
    pub(super) exhibitions: HashMap<MatchId, u16>,
}

/// The matches of one tournament.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TournamentMatches {
    /// The number of seats in each match; `None` unless the matches of each group have consecutive numbers, one for
    /// each seat.
    pub(super) seats: Option<u64>,
    /// The largest number of seats in a match.
    pub(super) max_seats: u64,
    /// Whether the counted matches fit groups with one match per seat, and whether they fit groups with two per seat.
    pub(super) group_sizes: [bool; 2],
    pub(super) pages: BTreeMap<u64, Box<BitPage>>,
}

/// What is remembered of the matches of a tournament whose numbers are in one range of [`NUMBERS_PER_PAGE`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "StoredPage", into = "StoredPage")]
pub(super) struct BitPage {
    /// One bit for each match that counts.
    pub(super) counted: [u64; NUMBERS_PER_PAGE as usize / 64],
    /// One bit for each match with a record, even if the record does not count.
    pub(super) given: [u64; NUMBERS_PER_PAGE as usize / 64],
    pub(super) checks: [MatchCheck; NUMBERS_PER_PAGE as usize],
}

/// Short hashes that identify a match that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct MatchCheck {
    /// 16 bits of the hash of the last event.
    record: u16,
    /// 16 bits of a hash of the match's id.
    id: u16,
    /// 32 bits of a hash of the bots by seat.
    pub(super) seating: u32,
}

/// A page as it is written: the marks of counted and of given matches, and the checks of the counted ones in the order
/// of their numbers.
#[derive(Serialize, Deserialize)]
struct StoredPage(
    [u64; NUMBERS_PER_PAGE as usize / 64],
    [u64; NUMBERS_PER_PAGE as usize / 64],
    Vec<MatchCheck>,
);

impl MatchCheck {
    fn of_record(record: &Record) -> Self {
        let [first, second, ..] = *record.last_hash().as_bytes();
        let bots: Vec<&str> = record.state().setup().bots.iter().map(BotName::as_str).collect();
        let [id_first, id_second, ..] = *blake3::hash(record.id().as_bytes()).as_bytes();
        let [one, two, three, four, ..] = *blake3::hash(bots.join(" ").as_bytes()).as_bytes();
        Self {
            record: u16::from_be_bytes([first, second]),
            id: u16::from_be_bytes([id_first, id_second]),
            seating: u32::from_be_bytes([one, two, three, four]),
        }
    }
}

/// How many matches of a tournament are missing or do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingMatches {
    pub tournament: TournamentId,
    /// The number of groups with a counted match, and how many of these are incomplete; `None` if groups cannot be
    /// recognised.
    pub groups: Option<(u64, u64)>,
    /// The number of missing match numbers: those without a record, below the highest one with a record.
    pub numbers: u64,
}

impl SeenMatches {
    /// Returns how a match relates to those read before. Marks it as counted if that is [`MatchSighting::First`].
    pub fn mark_counted(&mut self, record: &Record) -> MatchSighting {
        let check = MatchCheck::of_record(record);
        let setup = record.state().setup();
        match &setup.origin {
            Some(origin) => self.mark_tournament_match(origin, setup.seats().get() as u64, check),
            None => self.mark_exhibition_counted(record.id(), check.record),
        }
    }

    fn mark_tournament_match(&mut self, origin: &Origin, seats: u64, check: MatchCheck) -> MatchSighting {
        let (word, bit) = ((origin.number % NUMBERS_PER_PAGE / 64) as usize, 1 << (origin.number % 64));
        if let Some(known) = self.counted_check(origin.tournament, origin.number) {
            return match known {
                known if known.id != check.id => MatchSighting::NumberTaken,
                known if known.record != check.record => MatchSighting::OtherRecord,
                _ => MatchSighting::Again,
            };
        }
        let possible =
            self.tournaments.get(&origin.tournament).map_or([true; 2], |matches| matches.group_sizes);
        let fits = |twice: usize| possible[twice] && origin.number / (seats << twice) == origin.group;
        let group_sizes = [fits(0), fits(1)];
        if group_sizes == [false; 2] {
            return MatchSighting::OutsideGroup;
        }
        let size = if group_sizes[0] && !group_sizes[1] { seats } else { 2 * seats };
        let first = origin.group.saturating_mul(size);
        let mut others = (first..first.saturating_add(size)).filter(|&number| number != origin.number);
        if others.any(|number| {
            self.counted_check(origin.tournament, number).is_some_and(|other| other.seating == check.seating)
        }) {
            return MatchSighting::RotationTaken;
        }
        let Some((page, at)) = self.page_of_match(origin, seats) else { return MatchSighting::Untracked };
        page.given[word] |= bit;
        page.counted[word] |= bit;
        page.checks[at] = check;
        if let Some(matches) = self.tournaments.get_mut(&origin.tournament) {
            matches.group_sizes = group_sizes;
        }
        MatchSighting::First
    }

    /// Returns the hashes of the counted match with this number, if there is one.
    fn counted_check(&self, tournament: TournamentId, number: u64) -> Option<MatchCheck> {
        let page = self.tournaments.get(&tournament)?.pages.get(&(number / NUMBERS_PER_PAGE))?;
        let at = (number % NUMBERS_PER_PAGE) as usize;
        (page.counted[at / 64] & 1 << (at % 64) != 0).then(|| page.checks[at])
    }

    /// Marks a match whose record does not count.
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
            Entry::Occupied(_) => MatchSighting::OtherRecord,
            Entry::Vacant(_) if is_full => MatchSighting::Untracked,
            Entry::Vacant(place) => {
                place.insert(check);
                MatchSighting::First
            }
        }
    }

    /// Returns the page of a match and the index of the match in it; `None` if there are too many pages.
    fn page_of_match(&mut self, origin: &Origin, seats: u64) -> Option<(&mut BitPage, usize)> {
        let is_full = self.pages >= MAX_PAGES;
        if is_full && !self.tournaments.contains_key(&origin.tournament) {
            return None;
        }
        let matches = self.tournaments.entry(origin.tournament).or_insert_with(|| TournamentMatches {
            seats: Some(seats),
            max_seats: seats,
            group_sizes: [true; 2],
            pages: BTreeMap::new(),
        });
        if matches.seats != Some(seats) || origin.group != origin.number / seats {
            matches.seats = None;
        }
        matches.max_seats = matches.max_seats.max(seats);
        let number = origin.number / NUMBERS_PER_PAGE;
        if !matches.pages.contains_key(&number) {
            if is_full {
                return None;
            }
            self.pages += 1;
        }
        let page = matches.pages.entry(number).or_insert_with(|| Box::new(BitPage::empty()));
        Some((page, (origin.number % NUMBERS_PER_PAGE) as usize))
    }

    /// Returns the missing matches of each tournament.
    pub fn missing_by_tournament(&self) -> impl Iterator<Item = MissingMatches> {
        self.tournaments.iter().map(|(&tournament, matches)| MissingMatches {
            tournament,
            groups: matches.seats.map(|seats| matches.count_groups(seats)),
            numbers: matches.count_missing_numbers(),
        })
    }
}

impl TournamentMatches {
    /// Counts the groups with a counted match, and the groups among them in which not all matches count.
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
        // If no number is missing, the highest of n numbers is n - 1.
        numbers.enumerate().last().map_or(0, |(before, highest)| highest - before as u64)
    }
}

impl TryFrom<StoredPage> for BitPage {
    type Error = &'static str;

    fn try_from(StoredPage(counted, given, checks): StoredPage) -> Result<Self, Self::Error> {
        let mut page = Self { counted, given, ..Self::empty() };
        let places: Vec<u64> = Self::marked_numbers(0, &counted).collect();
        if places.len() != checks.len() {
            return Err("the number of checks differs from the number of marked matches");
        }
        for (place, check) in places.into_iter().zip(checks) {
            page.checks[place as usize] = check;
        }
        Ok(page)
    }
}

impl From<BitPage> for StoredPage {
    fn from(page: BitPage) -> Self {
        let places = BitPage::marked_numbers(0, &page.counted);
        Self(page.counted, page.given, places.map(|place| page.checks[place as usize]).collect())
    }
}

impl BitPage {
    pub(super) fn empty() -> Self {
        Self {
            counted: [0; NUMBERS_PER_PAGE as usize / 64],
            given: [0; NUMBERS_PER_PAGE as usize / 64],
            checks: [MatchCheck::default(); NUMBERS_PER_PAGE as usize],
        }
    }

    /// Returns the match numbers that are marked in a page, in ascending order.
    pub(super) fn marked_numbers(page: u64, marks: &[u64]) -> impl Iterator<Item = u64> {
        let marked = (0..NUMBERS_PER_PAGE).filter(|at| marks[(at / 64) as usize] & (1 << (at % 64)) != 0);
        marked.map(move |at| page.saturating_mul(NUMBERS_PER_PAGE).saturating_add(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen_numbers(numbers: impl IntoIterator<Item = u64>) -> SeenMatches {
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
    fn missing_matches_are_counted() {
        let missing_count = |numbers: &[u64]| {
            seen_numbers(numbers.iter().copied())
                .missing_by_tournament()
                .map(|missing| (missing.groups, missing.numbers))
                .next()
        };
        assert_eq!(missing_count(&[]), None);
        assert_eq!(missing_count(&[0, 1, 2, 3, 4, 5]), Some((Some((2, 0)), 0)));
        assert_eq!(missing_count(&[0, 2, 3, 4, 5]), Some((Some((2, 1)), 1)));
        assert_eq!(missing_count(&[3, 4, 5]), Some((Some((1, 0)), 3)));
        // A group spans two pages.
        assert_eq!(missing_count(&(0..258).collect::<Vec<_>>()), Some((Some((86, 0)), 0)));
        assert_eq!(missing_count(&[600, 601, 602, 1_000]), Some((Some((2, 1)), 997)));
        assert_eq!(missing_count(&[u64::MAX]), Some((Some((1, 1)), u64::MAX)));
    }

    #[test]
    fn a_match_counts_once_in_its_group_and_under_its_number() {
        let tournament = TournamentId::new(1, &[0; 10]);
        let mut given = SeenMatches::default();
        let mut sight = |number, group, seating, id, record| {
            let origin = Origin { tournament, number, group };
            given.mark_tournament_match(&origin, 3, MatchCheck { record, id, seating })
        };
        // These are three rotations, and then a match that would be a fourth.
        for number in 0..3 {
            assert_eq!(sight(number, 0, number as u32, 7, 7), MatchSighting::First);
        }
        assert_eq!(sight(3, 0, 1, 8, 8), MatchSighting::RotationTaken);
        assert_eq!(sight(9, 0, 9, 8, 8), MatchSighting::OutsideGroup);
        assert_eq!(sight(1, 0, 1, 7, 7), MatchSighting::Again);
        assert_eq!(sight(1, 0, 1, 7, 8), MatchSighting::OtherRecord);
        assert_eq!(sight(1, 0, 1, 8, 7), MatchSighting::NumberTaken);
        // The next group shows that groups have three matches, so a fourth match with different bots does not fit.
        assert_eq!(sight(3, 1, 0, 7, 7), MatchSighting::First);
        assert_eq!(sight(5, 0, 11, 7, 7), MatchSighting::OutsideGroup);
        assert_eq!(sight(4, 1, 0, 7, 7), MatchSighting::RotationTaken);
    }

    #[test]
    fn a_group_of_a_sequential_test_has_twice_as_many_matches() {
        let tournament = TournamentId::new(1, &[0; 10]);
        let mut given = SeenMatches::default();
        for number in 0..24_u64 {
            let origin = Origin { tournament, number, group: number / 6 };
            let check = MatchCheck { seating: number as u32, ..MatchCheck::default() };
            assert_eq!(given.mark_tournament_match(&origin, 3, check), MatchSighting::First);
        }
        let origin = Origin { tournament, number: 24, group: 8 };
        assert_eq!(
            given.mark_tournament_match(&origin, 3, MatchCheck::default()),
            MatchSighting::OutsideGroup
        );
    }

    #[test]
    fn matches_beyond_the_limit_are_untracked() {
        let given = &mut seen_numbers((0..MAX_PAGES as u64).map(|page| page * NUMBERS_PER_PAGE));
        let origin =
            |number| Origin { tournament: TournamentId::new(1, &[0; 10]), number, group: number / 3 };
        assert!(given.page_of_match(&origin(1), 3).is_some());
        assert!(given.page_of_match(&origin(MAX_PAGES as u64 * NUMBERS_PER_PAGE), 3).is_none());
        assert_eq!(given.pages, MAX_PAGES);
    }
}
