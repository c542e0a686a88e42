//! The choices that reveal a bot's preferences.

use super::{
    AuditedMatch, FittedRow, HeldRowFigures, MAX_EXPLAINED_SEATS, PreferenceFindings, RationalisableCount,
    RevealedRows, RowSource, audited_match::BotPly, estimate::share_of, explained_rows::ExplainedRowsTally,
};
use lastnim_core::game::{MAX_SEATS, Row, Seat, SeatCount};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of seats for which the best-fitting row is computed: the time at least doubles with each seat.
pub const MAX_FITTED_SEATS: usize = 12;

/// Maximum number of distinct rows kept per bot, the first in lexicographic order; for the others only the number of
/// matches is kept.
pub const MAX_DECLARED_ROWS: usize = 256;

/// A running tally of a bot's choices, for one number of seats and one source of rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PreferenceTally {
    seats: SeatCount,
    source: RowSource,
    /// By row: the numbers of matches, of takes and of optimal takes.
    rows: BTreeMap<Row, [u64; 3]>,
    /// Number of matches with rows beyond [`MAX_DECLARED_ROWS`].
    other_rows: u64,
    plies: u64,
    /// Number of takes at which the bot chose between two or more winners.
    choices: u64,
    /// By offset a, then by offset b: how often both winners were available and the bot chose a.
    chosen_over: Vec<Vec<u64>>,
    /// Number of takes by the chosen offset and the set of available ones, as bits; kept only for up to
    /// [`MAX_FITTED_SEATS`] seats.
    chosen_from: BTreeMap<(usize, usize), u64>,
    explained: Option<ExplainedRowsTally>,
}

impl PreferenceTally {
    pub(super) fn new(seats: SeatCount, source: RowSource) -> Self {
        Self {
            seats,
            source,
            rows: BTreeMap::new(),
            other_rows: 0,
            plies: 0,
            choices: 0,
            chosen_from: BTreeMap::new(),
            chosen_over: vec![vec![0; seats.get()]; seats.get()],
            explained: (source == RowSource::Declared && seats.get() <= MAX_EXPLAINED_SEATS)
                .then(|| ExplainedRowsTally::new(seats)),
        }
    }

    pub(super) fn add_match(&mut self, game: &AuditedMatch<'_>, seat: Seat) {
        if let Some(explained) = &mut self.explained {
            explained.add_match(game, seat);
        }
        let row = match self.source {
            RowSource::Declared => game.game.matrix[seat].clone(),
            RowSource::Assigned => Row::standard(self.seats),
        };
        let audit = &game.audit.seats[seat];
        let counts = [1, audit.plies.into(), audit.optimal_plies.into()];
        self.add_row(row, counts).expect("nobody plays that many matches");
    }

    /// Adds counts of a row; returns `None` if a sum is too large.
    fn add_row(&mut self, row: Row, counts: [u64; 3]) -> Option<()> {
        let kept = self.rows.entry(row).or_default();
        for (sum, more) in kept.iter_mut().zip(counts) {
            *sum = sum.checked_add(more)?;
        }
        if self.rows.len() > MAX_DECLARED_ROWS
            && let Some((_, [matches, ..])) = self.rows.pop_last()
        {
            self.other_rows = self.other_rows.checked_add(matches)?;
        }
        Some(())
    }

    /// Adds other choices of the same bot, with the same number of seats and source of rows. Returns `None` if a sum is
    /// too large.
    pub(super) fn merge(&mut self, other: Self) -> Option<()> {
        add_fields!(self, other; other_rows, plies, choices);
        for (row, counts) in other.rows {
            self.add_row(row, counts)?;
        }
        for (chosen, more) in other.chosen_from {
            let times = self.chosen_from.entry(chosen).or_default();
            *times = times.checked_add(more)?;
        }
        for (times, more) in self.chosen_over.iter_mut().flatten().zip(other.chosen_over.iter().flatten()) {
            *times = times.checked_add(*more)?;
        }
        if let (Some(explained), Some(more)) = (&mut self.explained, &other.explained) {
            explained.merge(more)?;
        }
        Some(())
    }

    /// Returns whether the tally can belong to matches with this many seats and this source of rows.
    pub(super) fn is_possible(&self, seats: SeatCount, source: RowSource) -> bool {
        let empty = Self::new(seats, source);
        let n = seats.get();
        self.seats == seats
            && self.source == source
            && self.rows.keys().all(|row| row.seats() == seats)
            && self.chosen_over.len() == n
            && self.chosen_over.iter().all(|over| over.len() == n)
            && self.chosen_from.keys().all(|&(chosen, set)| chosen < n && set < 1 << n)
            && self
                .chosen_from
                .values()
                .try_fold(0_u64, |sum, &times| sum.checked_add(times))
                .is_some_and(|sum| sum <= self.plies)
            && match (&self.explained, &empty.explained) {
                (Some(explained), Some(_)) => explained.is_possible(seats),
                (explained, expected) => explained.is_none() && expected.is_none(),
            }
    }

    pub(super) fn add_ply(&mut self, game: &AuditedMatch<'_>, ply: &BotPly<'_>) {
        let offset = |winner| match self.source {
            RowSource::Declared => self.seats.distance_between(ply.audit.seat, winner),
            RowSource::Assigned => game.game.matrix.rank(ply.audit.seat, winner),
        };
        let chosen = offset(ply.audit.predicted_after);
        let mut counted = [false; MAX_SEATS];
        counted[chosen] = true;
        self.plies += 1;
        let mut was_choice = false;
        for &(winner, _) in ply.outcomes {
            let other = offset(winner);
            if !counted[other] {
                counted[other] = true;
                was_choice = true;
                self.chosen_over[chosen][other] += 1;
            }
        }
        self.choices += u64::from(was_choice);
        if was_choice && self.seats.get() <= MAX_FITTED_SEATS {
            let offsets = (0..self.seats.get()).filter(|&offset| counted[offset]);
            *self
                .chosen_from
                .entry((chosen, offsets.fold(0, |set, offset| set | 1 << offset)))
                .or_default() += 1;
        }
    }

    pub(super) fn to_findings(&self) -> PreferenceFindings {
        let best_fit = self.best_fitting_row();
        let alone = |one: Option<&Row>, other: Option<&Row>| match (one, other) {
            (Some(one), Some(other)) => self.takes_optimal_only_for(one, other),
            _ => 0,
        };
        let held = self.rows.iter().map(|(row, &[matches, plies, optimal_plies])| {
            let fit = best_fit.as_ref().map(|fit| &fit.row);
            HeldRowFigures {
                row: row.clone(),
                matches,
                plies,
                optimal_plies,
                agreement: self.agreement(row),
                plies_for_fit_alone: alone(fit, Some(row)),
                plies_for_row_alone: alone(Some(row), fit),
            }
        });
        let mut rows: Vec<HeldRowFigures> = held.collect();
        rows.sort_by(|one, other| {
            let key = |held: &HeldRowFigures| (u64::MAX - held.matches, held.row.offsets().to_vec());
            key(one).cmp(&key(other))
        });
        PreferenceFindings {
            seats: self.seats,
            source: self.source,
            rows,
            other_rows: self.other_rows,
            choices: self.choices,
            chosen_over: self.chosen_over.clone(),
            best_fit,
            rationalisable_rows: self.count_rationalisable(),
            explained: self.explained.as_ref().map(ExplainedRowsTally::explained_rows),
        }
    }

    /// Returns the rows that fit the takes, without figures of the bot's actual rows.
    pub(super) fn to_revealed_rows(&self) -> RevealedRows {
        RevealedRows {
            seats: self.seats,
            source: self.source,
            choices: self.choices,
            best_fit: self.best_fitting_row(),
            rationalisable_rows: self.count_rationalisable(),
        }
    }

    /// Returns the share of choices between two winners in which the bot chose the one that the row prefers.
    fn agreement(&self, row: &Row) -> Option<f64> {
        let pairs: u64 = self.chosen_over.iter().flatten().sum();
        let mut agreeing = 0;
        for (place, &better) in row.offsets().iter().enumerate() {
            let worse = &row.offsets()[place + 1..];
            agreeing +=
                worse.iter().map(|&worse| self.times_chosen_over(better.into(), worse.into())).sum::<u64>();
        }
        share_of(agreeing, pairs)
    }

    fn times_chosen_over(&self, chosen: usize, over: usize) -> u64 {
        self.chosen_over[chosen][over]
    }

    /// Finds the row that agrees with the most choices between two winners, which is the Kemeny order, by dynamic
    /// programming over the sets of offsets that come last. For n seats this takes about 2^n n^2 steps.
    fn best_fitting_row(&self) -> Option<FittedRow> {
        let n = self.seats.get();
        if n > MAX_FITTED_SEATS || self.choices == 0 {
            return None;
        }
        // `best[set]` is the largest number of choices within the set that any order of the set agrees with.
        let mut best = vec![0_u64; 1 << n];
        for set in 1_usize..1 << n {
            best[set] = set_members(set)
                .map(|first| best[set & !(1 << first)] + self.times_chosen_over_set(first, set))
                .max()?;
        }
        let mut set = (1 << n) - 1;
        let mut offsets = Vec::with_capacity(n);
        while set != 0 {
            let first = set_members(set).find(|&first| {
                best[set & !(1 << first)] + self.times_chosen_over_set(first, set) == best[set]
            })?;
            offsets.push(first as u64);
            set &= !(1 << first);
        }
        let row = Row::parse(&offsets, self.seats).expect("each offset occurs once");
        let agreement = self.agreement(&row)?;
        let wrong = self
            .chosen_from
            .iter()
            .filter(|&(&(chosen, set), _)| preferred_of_set(&row, set) != Some(chosen));
        let optimal_plies = self.plies - wrong.map(|(_, &plies)| plies).sum::<u64>();
        Some(FittedRow { row, agreement, plies: self.plies, optimal_plies })
    }

    /// Returns the number of takes that are optimal for `row` but not for `other`.
    fn takes_optimal_only_for(&self, row: &Row, other: &Row) -> u64 {
        let alone = self.chosen_from.iter().filter(|&(&(chosen, set), _)| {
            preferred_of_set(row, set) == Some(chosen) && preferred_of_set(other, set) != Some(chosen)
        });
        alone.map(|(_, &plies)| plies).sum()
    }

    /// Returns how often an offset was chosen over the offsets in a set.
    fn times_chosen_over_set(&self, chosen: usize, set: usize) -> u64 {
        set_members(set).map(|other| self.times_chosen_over(chosen, other)).sum()
    }

    /// Counts the rows that rank every chosen winner before its alternatives. They are the linear extensions of the
    /// relation "was chosen over", and are counted by dynamic programming over the sets of offsets that come first.
    fn count_rationalisable(&self) -> RationalisableCount {
        let n = self.seats.get();
        if let Some(cycle) = self.shortest_cycle() {
            return RationalisableCount::Contradicted { cycle };
        }
        let before: Vec<usize> = (0..n)
            .map(|worse| {
                (0..n)
                    .filter(|&better| self.times_chosen_over(better, worse) > 0)
                    .fold(0, |set, o| set | 1 << o)
            })
            .collect();
        let mut placed = 0;
        let mut offsets = Vec::with_capacity(n);
        while offsets.len() < n {
            let next = (0..n).find(|&offset| placed & (1 << offset) == 0 && before[offset] & !placed == 0);
            let next = next.expect("if there is no cycle, one offset comes first");
            placed |= 1 << next;
            offsets.push(next as u64);
        }
        let example = Row::parse(&offsets, self.seats).expect("each offset occurs once");
        if n > MAX_FITTED_SEATS {
            return RationalisableCount::Uncounted { example };
        }
        let mut orders = vec![0_u64; 1 << n];
        orders[0] = 1;
        for set in 1_usize..1 << n {
            let last = set_members(set).filter(|&last| before[last] & !(set & !(1 << last)) == 0);
            orders[set] = last
                .map(|last| orders[set & !(1 << last)])
                .fold(0, |sum: u64, more| sum.saturating_add(more));
        }
        RationalisableCount::Counted { rows: orders[(1 << n) - 1], example }
    }

    /// Finds a shortest cycle of the relation "was chosen over", by a breadth-first search from each offset.
    fn shortest_cycle(&self) -> Option<Vec<usize>> {
        let n = self.seats.get();
        let mut shortest: Option<Vec<usize>> = None;
        for start in 0..n {
            let mut reached_from = vec![None; n];
            let mut paths = std::collections::VecDeque::from([start]);
            'search: while let Some(at) = paths.pop_front() {
                for next in (0..n).filter(|&next| self.times_chosen_over(at, next) > 0) {
                    if next == start {
                        let mut cycle = vec![at];
                        while let Some(before) = cycle.last().and_then(|&last| reached_from[last]) {
                            cycle.push(before);
                        }
                        cycle.reverse();
                        if shortest.as_ref().is_none_or(|shortest| cycle.len() < shortest.len()) {
                            shortest = Some(cycle);
                        }
                        break 'search;
                    }
                    if reached_from[next].is_none() {
                        reached_from[next] = Some(at);
                        paths.push_back(next);
                    }
                }
            }
        }
        shortest
    }
}

/// Returns the offset in a set that a row ranks first.
fn preferred_of_set(row: &Row, set: usize) -> Option<usize> {
    row.offsets().iter().map(|&offset| usize::from(offset)).find(|offset| set & (1 << offset) != 0)
}

fn set_members(set: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS as usize).filter(move |offset| set & (1 << offset) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(chosen_over: &[&[u64]]) -> PreferenceTally {
        let seats = SeatCount::new(chosen_over.len()).unwrap();
        let chosen_over: Vec<Vec<u64>> = chosen_over.iter().map(|row| row.to_vec()).collect();
        let choices = chosen_over.iter().flatten().sum();
        PreferenceTally { choices, chosen_over, ..PreferenceTally::new(seats, RowSource::Declared) }
    }

    #[test]
    fn the_best_fitting_row_is_the_best_of_all_rows() {
        let tally = tally(&[&[0, 9, 2, 1], &[1, 0, 0, 7], &[5, 3, 0, 3], &[0, 1, 3, 0]]);
        let mut best = (0.0, Row::standard(tally.seats));
        for code in 0..256_u64 {
            let offsets: Vec<u64> = (0..4).map(|place| (code >> (2 * place)) & 3).collect();
            let Ok(row) = Row::parse(&offsets, tally.seats) else { continue };
            let agreement = tally.agreement(&row).unwrap();
            if agreement > best.0 {
                best = (agreement, row);
            }
        }
        let fit = tally.best_fitting_row().unwrap();
        assert!((fit.agreement - best.0).abs() < 1e-12);
        assert_eq!(fit.row, best.1);
    }

    #[test]
    fn the_takes_that_are_optimal_for_a_row_are_counted() {
        let mut tally = tally(&[&[0, 5, 7], &[2, 0, 0], &[0, 0, 0]]);
        // Of all three offsets, 0 was chosen four times. Of 0 and 1, 0 was chosen once and 1 twice. Of 0 and 2, 0 was
        // chosen three times. One take offered no choice.
        tally.chosen_from =
            BTreeMap::from([((0, 0b111), 4), ((0, 0b011), 1), ((0, 0b101), 3), ((1, 0b011), 2)]);
        tally.plies = 11;
        let fit = tally.best_fitting_row().unwrap();
        assert_eq!((fit.row.to_string().as_str(), fit.optimal_plies, fit.plies), ("0 1 2", 9, 11));
        let other = Row::parse(&[1, 0, 2], tally.seats).unwrap();
        assert_eq!(
            (tally.takes_optimal_only_for(&fit.row, &other), tally.takes_optimal_only_for(&other, &fit.row)),
            (5, 2)
        );
    }

    #[test]
    fn rows_that_rationalise_takes_are_counted_or_a_contradiction_is_found() {
        let rows = |tally: &PreferenceTally| match tally.count_rationalisable() {
            RationalisableCount::Counted { rows, example } => (rows, example.to_string()),
            other => panic!("{other:?}"),
        };
        assert_eq!(rows(&tally(&[&[0, 0, 0], &[0, 0, 0], &[0, 0, 0]])), (6, "0 1 2".into()));
        assert_eq!(rows(&tally(&[&[0, 0, 0], &[4, 0, 0], &[0, 0, 0]])), (3, "1 0 2".into()));
        assert_eq!(rows(&tally(&[&[0, 0, 0], &[4, 0, 1], &[2, 0, 0]])), (1, "1 2 0".into()));
        let contradicted = tally(&[&[0, 1, 0, 0], &[0, 0, 1, 0], &[1, 0, 0, 1], &[0, 0, 1, 0]]);
        assert_eq!(
            contradicted.count_rationalisable(),
            RationalisableCount::Contradicted { cycle: vec![2, 3] }
        );
    }

    #[test]
    fn the_same_rows_are_kept_in_any_order() {
        let empty_tally = || PreferenceTally::new(SeatCount::new(6).unwrap(), RowSource::Declared);
        let mut rows: Vec<Row> = lastnim_analysis::RowSet::full(empty_tally().seats).rows().collect();
        let tally = |rows: &[Row]| {
            let mut tally = empty_tally();
            for row in rows {
                tally.add_row(row.clone(), [1, 2, 1]);
            }
            (tally.rows, tally.other_rows)
        };
        let ordered = tally(&rows);
        assert_eq!((ordered.0.len(), ordered.1), (MAX_DECLARED_ROWS, 720 - MAX_DECLARED_ROWS as u64));
        rows.reverse();
        assert_eq!(tally(&rows), ordered);
    }
}
