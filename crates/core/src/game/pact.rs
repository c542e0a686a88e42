//! Pacts about declared rows.

use super::{PartialRow, Row, Seat, SeatCount, SeatError, SeatSet};
use std::fmt;
use thiserror::Error;

/// The maximum number of seats in a match with pacts. Up to this number, it is fast to find the row that keeps a pact
/// and is nearest to another row.
pub const MAX_PACT_SEATS: usize = 8;

/// A pact: an agreement of two or more seats about the rows that they will declare.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pact {
    seats: SeatCount,
    members: Vec<PactMember>,
}

/// A member of a pact, and the constraint on its declared row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PactMember {
    /// The member.
    pub seat: Seat,
    /// The constraint: the member keeps the pact if its declared row agrees with this partial row.
    pub constraint: PartialRow,
}

/// Why a pact is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PactError {
    /// The match has too many seats for pacts.
    #[error("a pact in a match of {0} seats: expected at most {MAX_PACT_SEATS}")]
    Seats(SeatCount),
    /// There are fewer than two members.
    #[error("a pact with {0} member{s}: expected 2 or more", s = if *.0 == 1 { "" } else { "s" })]
    Members(usize),
    /// A member or a seat in a constraint does not exist.
    #[error("a pact names {0}")]
    Seat(#[from] SeatError),
    /// A seat is a member twice.
    #[error("seat {0} is a member twice: put all that it promises into one list")]
    RepeatedMember(Seat),
    /// A constraint cannot be kept, because its relations form a cycle.
    #[error("seat {member} cannot put seat {before} before seat {after}: {}", if before == after {
        "these must be two different seats"
    } else {
        "the pact also requires the opposite"
    })]
    Cycle {
        /// The member whose constraint it is.
        member: Seat,
        /// The seat that should come first.
        before: Seat,
        /// The seat that should come later.
        after: Seat,
    },
}

impl Pact {
    /// Parses a pact. Each member comes with the relations that its declared row must have: in `(a, b)`, it must rank
    /// seat `a` before seat `b`. Seats are absolute numbers, not offsets. A member without relations may declare
    /// anything.
    ///
    /// # Errors
    /// If there are more than [`MAX_PACT_SEATS`] seats or fewer than two members, a seat does not exist or is a member
    /// twice, or the relations of a member form a cycle.
    pub fn parse(seats: SeatCount, members: &[(usize, Vec<(usize, usize)>)]) -> Result<Self, PactError> {
        let mut parsed = Vec::with_capacity(members.len().min(seats.get()));
        // With more members than seats, one of the first n + 1 is there twice.
        for (member, relations) in members.iter().take(seats.get() + 1) {
            let member = seats.seat(*member)?;
            let mut constraint = PartialRow::unknown(seats);
            for &(before, after) in relations {
                let [before, after] = [seats.seat(before)?, seats.seat(after)?];
                let [preferred, less] = [before, after].map(|seat| seats.distance_between(member, seat));
                let preferring = constraint.with_preference(preferred, less);
                constraint = preferring.ok_or(PactError::Cycle { member, before, after })?;
            }
            parsed.push(PactMember { seat: member, constraint });
        }
        Self::of_members(seats, parsed)
    }

    /// Creates a pact of members.
    ///
    /// # Errors
    /// If there are more than [`MAX_PACT_SEATS`] seats or fewer than two members, or a seat is a member twice.
    pub fn of_members(seats: SeatCount, mut members: Vec<PactMember>) -> Result<Self, PactError> {
        if seats.get() > MAX_PACT_SEATS {
            return Err(PactError::Seats(seats));
        }
        if members.len() < 2 {
            return Err(PactError::Members(members.len()));
        }
        members.sort_by_key(|member| member.seat);
        match members.windows(2).find(|pair| pair[0].seat == pair[1].seat) {
            Some(pair) => Err(PactError::RepeatedMember(pair[0].seat)),
            None => Ok(Self { seats, members }),
        }
    }

    /// Returns the number of seats in the match.
    pub fn seats(&self) -> SeatCount {
        self.seats
    }

    /// Returns the members, in seat order.
    pub fn members(&self) -> &[PactMember] {
        &self.members
    }

    /// Returns the seats of the members.
    pub fn seat_set(&self) -> SeatSet {
        self.members.iter().map(|member| member.seat).collect()
    }

    /// Returns the constraint of a seat; `None` if it is not a member.
    pub fn constraint(&self, seat: Seat) -> Option<&PartialRow> {
        self.members.iter().find(|member| member.seat == seat).map(|member| &member.constraint)
    }

    /// Returns the number of relations from which all others follow, added up over the members' constraints.
    pub fn count_relations(&self) -> usize {
        self.members.iter().map(|member| member.relations().count()).sum()
    }
}

impl PactMember {
    /// Returns whether a declared row of this member keeps the pact.
    pub fn is_kept_by(&self, declared: &Row) -> bool {
        self.constraint.admits(declared)
    }

    /// Returns the relations from which all others of the constraint follow: the first seat of each pair must come
    /// before the second.
    pub fn relations(&self) -> impl Iterator<Item = (Seat, Seat)> {
        let seat_at = |offset| self.constraint.seats().seat_at_offset(self.seat, offset);
        self.constraint.covering_pairs().map(move |(before, after)| (seat_at(before), seat_at(after)))
    }
}

impl fmt::Display for Pact {
    /// Writes each member with its relations, as in `0: 1>2, 0>2; 1: 1>2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, member) in self.members.iter().enumerate() {
            write!(f, "{}{member}", if place == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl fmt::Display for PactMember {
    /// Writes the member with its relations, as in `0: 1>2, 0>2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.seat)?;
        for (place, (before, after)) in self.relations().enumerate() {
            write!(f, "{} {before}>{after}", if place == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(seats: usize, members: &[(usize, &[(usize, usize)])]) -> Result<Pact, String> {
        let members: Vec<_> = members.iter().map(|&(seat, relations)| (seat, relations.to_vec())).collect();
        Pact::parse(SeatCount::new(seats).unwrap(), &members).map_err(|error| error.to_string())
    }

    #[test]
    fn constraints_use_seat_numbers_and_not_offsets() {
        let pact = parse(4, &[(2, &[(1, 0), (0, 3)]), (0, &[])]).unwrap();
        assert_eq!(pact.to_string(), "0:; 2: 0>3, 1>0");
        let [zero, two] = pact.members() else { panic!("{pact} has two members") };
        let row = |offsets: &[u64]| Row::parse(offsets, pact.seats()).unwrap();
        // For seat 2, offset 3 is seat 1, offset 2 is seat 0 and offset 1 is seat 3.
        assert!(two.is_kept_by(&row(&[3, 2, 0, 1])) && !two.is_kept_by(&row(&[2, 3, 0, 1])));
        assert!(zero.is_kept_by(&row(&[2, 3, 0, 1])));
        assert_eq!(pact.constraint(two.seat), Some(&two.constraint));
        assert_eq!(pact.constraint(pact.seats().seat(1).unwrap()), None);
    }

    #[test]
    fn errors_name_the_seats() {
        let error = |seats, members| parse(seats, members).unwrap_err();
        assert_eq!(error(3, &[(0, &[])]), "a pact with 1 member: expected 2 or more");
        assert_eq!(error(3, &[(0, &[]), (3, &[])]), "a pact names seat 3: expected 0 to 2");
        assert_eq!(error(3, &[(0, &[(4, 1)]), (1, &[])]), "a pact names seat 4: expected 0 to 2");
        assert_eq!(
            error(3, &[(1, &[]), (0, &[]), (1, &[])]),
            "seat 1 is a member twice: put all that it promises into one list"
        );
        assert_eq!(
            error(3, &[(0, &[(0, 1), (1, 2), (2, 0)]), (1, &[])]),
            "seat 0 cannot put seat 2 before seat 0: the pact also requires the opposite"
        );
        assert_eq!(
            error(3, &[(0, &[(1, 1)]), (1, &[])]),
            "seat 0 cannot put seat 1 before seat 1: these must be two different seats"
        );
        assert_eq!(error(9, &[(0, &[]), (1, &[])]), "a pact in a match of 9 seats: expected at most 8");
    }
}
