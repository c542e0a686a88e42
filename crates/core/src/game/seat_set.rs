//! Sets of seats.

use super::{BySeat, MAX_SEATS, Seat, SeatCount};

/// A set of seats as a bit mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeatSet(u32);

const _: () = assert!(MAX_SEATS <= u32::BITS as usize, "each seat has a bit");

impl SeatSet {
    /// Returns the set of all seats.
    pub fn all(seats: SeatCount) -> Self {
        Self(u32::MAX >> (MAX_SEATS - seats.get()))
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the seats in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        let all = SeatCount::new(MAX_SEATS).expect("the largest number of seats is valid");
        all.iter().filter(move |&seat| self.contains(seat))
    }

    /// Returns whether a seat is in the set.
    pub fn contains(self, seat: Seat) -> bool {
        self.0 & Self::bit(seat) != 0
    }

    /// Adds a seat.
    pub fn insert(&mut self, seat: Seat) {
        self.0 |= Self::bit(seat);
    }

    /// Removes a seat.
    pub fn remove(&mut self, seat: Seat) {
        self.0 &= !Self::bit(seat);
    }

    /// Returns the union of both sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the seats that are in both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    fn bit(seat: Seat) -> u32 {
        1 << seat.index()
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        let mut set = Self::default();
        seats.into_iter().for_each(|seat| set.insert(seat));
        set
    }
}

impl From<BySeat<bool>> for SeatSet {
    /// Returns the set of the seats whose value is true.
    fn from(marked: BySeat<bool>) -> Self {
        marked.enumerate().filter(|&(_, &marked)| marked).map(|(seat, _)| seat).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_inserted_and_removed_independently() {
        for count in 2..=MAX_SEATS {
            let seats = SeatCount::new(count).unwrap();
            let mut set = SeatSet::default();
            for seat in seats.iter() {
                assert!(!set.contains(seat));
                set.insert(seat);
                assert!(set.contains(seat));
                let marked = BySeat::from_fn(seats, |other| other <= seat);
                assert_eq!(set, marked.into());
                let mut alone = SeatSet::default();
                alone.insert(seat);
                assert_eq!(set.union(alone), set);
                assert_eq!(set.intersection(alone), alone);
                assert!(set.iter().eq(seats.iter().take(seat.index() + 1)) && !set.is_empty());
                assert_eq!(set.iter().collect::<SeatSet>(), set);
            }
            assert_eq!(set, SeatSet::all(seats));
            set.remove(Seat::FIRST);
            assert!(!set.contains(Seat::FIRST) && set.contains(seats.seat(1).unwrap()));
        }
    }
}
