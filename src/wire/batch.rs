//! Batches of questions on the wire.

use super::{Field, Violations, game, pb};
use crate::{
    game::{AllianceMatrix, Ending, Piles, Seat, SeatCount},
    oracle::MAX_PLIES,
};

/// The most questions in one request of a batch.
pub const MAX_QUESTIONS: usize = 4_096;

/// How much of a solution is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolveDetail {
    /// All of it.
    #[default]
    Solution,
    /// The winner alone.
    Winner,
}

/// What all positions of a request have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolveTerms {
    /// The preferences.
    pub matrix: AllianceMatrix,
    /// Who wins when no counter is left.
    pub ending: Ending,
    /// How much is asked for.
    pub detail: SolveDetail,
}

/// Reads what all positions of a request have in common.
pub fn parse_solve_terms(request: &pb::SolveBatchRequest, violations: &mut Violations) -> Option<SolveTerms> {
    check_questions(request.positions.len(), Field::root("positions"), violations);
    let at_matrix = Field::root("alliance_matrix");
    let matrix = violations
        .require(at_matrix, request.alliance_matrix.as_ref())
        .and_then(|matrix| game::parse_alliance_matrix(matrix, at_matrix, violations));
    let ending = game::parse_ending(request.ending, Field::root("ending"), violations);
    let detail = violations.known(Field::root("detail"), request.detail).map(|detail| match detail {
        pb::SolveDetail::Unspecified => SolveDetail::default(),
        pb::SolveDetail::Solution => SolveDetail::Solution,
        pb::SolveDetail::Winner => SolveDetail::Winner,
    });
    Some(SolveTerms { matrix: matrix?, ending: ending?, detail: detail? })
}

/// Reads one position of a request: its piles, and the seat to move.
pub fn parse_batch_position(
    position: &pb::BatchPosition,
    seats: SeatCount,
    field: Field<'_>,
    violations: &mut Violations,
) -> Option<(Piles, Seat)> {
    let piles = violations.keep(field.member("piles"), Piles::parse_partly_emptied(&position.piles));
    let first = violations.keep(field.member("first"), seats.seat(position.first as usize));
    Some((piles?, first?))
}

/// Reports a number of questions that a request may not have.
pub fn check_questions(given: usize, field: Field<'_>, violations: &mut Violations) {
    if !(1..=MAX_QUESTIONS).contains(&given) {
        violations
            .report(field, format_args!("{given} of them: a request of a batch has 1 to {MAX_QUESTIONS}"));
    }
}

/// Reports more takes than a game may have.
pub fn check_takes(given: usize, field: Field<'_>, violations: &mut Violations) {
    if given > MAX_PLIES {
        violations.report(field, format_args!("{given} takes: a game has at most {MAX_PLIES}"));
    }
}

impl From<&Violations> for pb::BatchRefusal {
    fn from(violations: &Violations) -> Self {
        let shown = |violation: &super::Violation| pb::FieldViolation {
            field: violation.field.clone(),
            description: violation.description.clone(),
        };
        Self {
            violations: violations.as_slice().iter().map(shown).collect(),
            unlisted: u32::try_from(violations.unlisted()).unwrap_or(u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(positions: usize) -> pb::SolveBatchRequest {
        let position = pb::BatchPosition { piles: vec![3, 2], first: 1 };
        let two = AllianceMatrix::standard(SeatCount::new(2).unwrap());
        pb::SolveBatchRequest {
            alliance_matrix: Some((&two).into()),
            positions: vec![position; positions],
            ..Default::default()
        }
    }

    #[test]
    fn what_positions_have_in_common_is_read() {
        let mut violations = Violations::default();
        let terms = parse_solve_terms(&request(MAX_QUESTIONS), &mut violations);
        let terms = violations.finish(terms).unwrap();
        assert_eq!((terms.ending, terms.detail), (Ending::default(), SolveDetail::Solution));
        let winner = pb::SolveBatchRequest { detail: pb::SolveDetail::Winner.into(), ..request(1) };
        let terms = parse_solve_terms(&winner, &mut Violations::default()).unwrap();
        assert_eq!(terms.detail, SolveDetail::Winner);
    }

    #[test]
    fn every_mistake_of_what_positions_have_in_common_is_named() {
        let mut violations = Violations::default();
        let broken = pb::SolveBatchRequest { ending: 7, detail: 9, ..Default::default() };
        assert_eq!(parse_solve_terms(&broken, &mut violations), None);
        let fields: Vec<_> = violations.as_slice().iter().map(|each| each.field.as_str()).collect();
        assert_eq!(fields, ["positions", "alliance_matrix", "ending", "detail"]);
        let mut violations = Violations::default();
        parse_solve_terms(&request(MAX_QUESTIONS + 1), &mut violations);
        assert_eq!(violations.to_string(), "positions: 4097 of them: a request of a batch has 1 to 4096");
    }

    #[test]
    fn every_mistake_of_a_position_is_named() {
        let mut violations = Violations::default();
        let positions = Field::root("positions");
        let broken = pb::BatchPosition { piles: vec![0, 1], first: 2 };
        let seats = SeatCount::new(2).unwrap();
        assert_eq!(parse_batch_position(&broken, seats, positions.element(7), &mut violations), None);
        let refusal = pb::BatchRefusal::from(&violations);
        let fields: Vec<_> = refusal.violations.iter().map(|each| each.field.as_str()).collect();
        assert_eq!((fields, refusal.unlisted), (vec!["positions[7].piles", "positions[7].first"], 0));
    }
}
