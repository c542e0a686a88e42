//! Converts the positions of a tournament to and from messages.

use super::{RequestField, game::parse_piles, pb};
use lastnim_tournament::{MAX_POSITIONS, Positions, PositionsError};
use pb::tournament_settings::OtherPositions;

/// Reads the positions of a tournament, which are listed, drawn from the seed, or the positions of the paper.
pub(super) fn parse_positions(
    settings: &pb::TournamentSettings,
    field: RequestField<'_>,
) -> Option<Positions> {
    let list_field = field.member("positions");
    let Some(other) = &settings.other_positions else {
        return parse_listed_positions(&settings.positions, list_field);
    };
    let given_twice = !settings.positions.is_empty();
    if given_twice {
        list_field.report("given as a list and also as drawn_positions or paper_positions: give only one");
    }
    let positions = match other {
        OtherPositions::PaperPositions(pb::PaperPositions {}) => Some(Positions::Paper),
        OtherPositions::DrawnPositions(drawn) => {
            let pb::DrawnPositions { count, min_piles, max_piles, min_counters, max_counters } = *drawn;
            let piles = (min_piles as usize, max_piles as usize);
            let drawn = Positions::drawn(count as usize, piles, (min_counters, max_counters));
            field.member("drawn_positions").ok_or_report(drawn)
        }
    };
    positions.filter(|_| !given_twice)
}

fn parse_listed_positions(positions: &[pb::Piles], field: RequestField<'_>) -> Option<Positions> {
    if !(1..=MAX_POSITIONS).contains(&positions.len()) {
        field.report(PositionsError::Count(positions.len()));
        return None;
    }
    let parsed = field.parse_each(positions, |piles, at| parse_piles(&piles.counters, at.member("counters")));
    field.ok_or_report(Positions::listed(parsed?))
}

/// Writes the positions if they are listed; returns an empty list otherwise.
pub(super) fn listed_positions_message(positions: &Positions) -> Vec<pb::Piles> {
    match positions {
        Positions::Listed(list) => list.as_slice().iter().map(pb::Piles::from).collect(),
        Positions::Drawn(_) | Positions::Paper => Vec::new(),
    }
}

/// Writes where the positions come from if they are not listed; returns `None` otherwise.
pub(super) fn unlisted_positions_message(positions: &Positions) -> Option<OtherPositions> {
    match positions {
        Positions::Listed(_) => None,
        Positions::Paper => Some(OtherPositions::PaperPositions(pb::PaperPositions {})),
        Positions::Drawn(drawn) => {
            let ((min_piles, max_piles), (min_counters, max_counters)) =
                (drawn.pile_range(), drawn.counter_range());
            Some(OtherPositions::DrawnPositions(pb::DrawnPositions {
                count: drawn.count() as u32,
                min_piles: min_piles as u32,
                max_piles: max_piles as u32,
                min_counters,
                max_counters,
            }))
        }
    }
}
