//! Whom a bot's errors favour, by the places of the others.

use super::{AuditedMatch, audited_match::OwnPly, estimate::to_float};
use lastnim_core::game::Seat;

/// One rank in integer sums, which do not depend on the order of addition.
pub(super) const RANK: f64 = (1 << 20) as f64;

/// The favours of a mover's errors to one place, by [kind of place](place_kind).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FavourSums {
    favours: [i64; KINDS],
    pub(super) errors: [i32; KINDS],
}

/// The number of kinds of places.
pub(super) const KINDS: usize = 18;

/// Returns the kind of a seat's place in an error: whether it moves next, last, or between; whether it, the mover, or
/// another would have won; whether the last pile was in play.
fn place_kind(game: &AuditedMatch<'_>, ply: &OwnPly<'_>, seat: Seat) -> usize {
    let seats = game.bots.seats();
    let place = match seats.distance_between(ply.audit.seat, seat) {
        1 => 0,
        offset if offset + 1 == seats.get() => 1,
        _ => 2,
    };
    let winner = match ply.audit.predicted_before {
        winner if winner == seat => 0,
        winner if winner == ply.audit.seat => 1,
        _ => 2,
    };
    place + 3 * winner + 9 * usize::from(ply.position.untouched_piles().is_empty())
}

impl FavourSums {
    pub(super) fn zero() -> Self {
        Self { favours: [0; KINDS], errors: [0; KINDS] }
    }

    /// Adds the favour of an error to a seat.
    pub(super) fn add_favour(&mut self, game: &AuditedMatch<'_>, ply: &OwnPly<'_>, seat: Seat, favour: i64) {
        let kind = place_kind(game, ply, seat);
        self.favours[kind] += favour;
        self.errors[kind] += 1;
    }

    /// Returns the favours over all kinds.
    pub(super) fn total_favour(&self) -> i64 {
        self.favours.iter().sum()
    }
}

/// The favours of a mover to all places of a kind, independent of who sat there.
#[derive(Debug, Clone)]
pub(super) struct MoverHabits([(i64, i64); KINDS]);

impl MoverHabits {
    pub(super) fn zero() -> Self {
        Self([(0, 0); KINDS])
    }

    pub(super) fn add_sums(&mut self, place: &FavourSums) {
        for (kind, (favours, errors)) in self.0.iter_mut().enumerate() {
            *favours += place.favours[kind];
            *errors += i64::from(place.errors[kind]);
        }
    }

    /// Returns the mean favour per error to a place of a kind.
    pub(super) fn mean_favour(&self, kind: usize) -> f64 {
        let (favours, errors) = self.0[kind];
        if errors == 0 { 0.0 } else { to_float(favours) / to_float(errors) }
    }
}

/// Returns, by seat, the favour of an error; the entry of the mover's seat is meaningless.
pub(super) fn favours_by_seat(game: &AuditedMatch<'_>, ply: &OwnPly<'_>) -> Vec<i64> {
    let (mover, best, made) = (ply.audit.seat, ply.audit.predicted_before, ply.audit.predicted_after);
    let errors = || ply.outcomes.iter().filter(|&&(winner, _)| winner != best);
    let all: u128 = errors().map(|&(_, takes)| u128::from(takes)).sum();
    let all = i128::try_from(all).expect("a pile has fewer than 2^64 counters");
    let favour = |seat: Seat| {
        let rank = |winner| game.game.matrix.rank(seat, winner) as i128;
        let mean_rank: i128 = errors().map(|&(winner, takes)| rank(winner) * i128::from(takes)).sum();
        // The mean rank minus the actual rank: the gain beyond the mean gain.
        (((mean_rank - rank(made) * all) << 20) / all) as i64
    };
    game.game.matrix.seats().iter().map(|seat| if seat == mover { 0 } else { favour(seat) }).collect()
}
