//! Reads batch requests to the oracle.

use super::{RequestField, Violations, game, pb};
use lastnim_core::{
    game::{AllianceMatrix, Ending, Piles, Seat, SeatCount},
    oracle::MAX_PLIES,
};

/// The maximum number of questions in a batch request.
pub const MAX_QUESTIONS: usize = 4_096;

/// How much of a solution to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolveDetail {
    /// The whole solution.
    #[default]
    Solution,
    /// Only the winner.
    Winner,
}

/// The terms that all positions of a request share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolveTerms {
    /// The preferences of all seats.
    pub matrix: AllianceMatrix,
    /// Who wins when no counter is left.
    pub ending: Ending,
    /// How much of each solution to return.
    pub detail: SolveDetail,
}

/// Reads the terms that all positions of a request share.
pub fn parse_solve_terms(request: &pb::SolveBatchRequest, field: RequestField<'_>) -> Option<SolveTerms> {
    check_question_count(request.positions.len(), field.member("positions"));
    let matrix = request.alliance_matrix.as_ref();
    let matrix = field.member("alliance_matrix").parse_required(matrix, game::parse_alliance_matrix);
    let ending = game::parse_ending(request.ending, field.member("ending"));
    let detail = field.member("detail").optional_enum(request.detail);
    Some(SolveTerms { matrix: matrix?, ending: ending?, detail: detail?.unwrap_or_default() })
}

/// Reads one position of a request: its piles, and the seat to move.
pub fn parse_batch_position(
    position: &pb::BatchPosition,
    seats: SeatCount,
    field: RequestField<'_>,
) -> Option<(Piles, Seat)> {
    let piles = field.member("piles").ok_or_report(Piles::parse_partly_emptied(&position.piles));
    let first = field.member("first").ok_or_report(seats.seat(position.first as usize));
    Some((piles?, first?))
}

/// Reports a mistake if the number of questions is not from 1 to [`MAX_QUESTIONS`].
pub fn check_question_count(given: usize, field: RequestField<'_>) {
    if !(1..=MAX_QUESTIONS).contains(&given) {
        field.report(format_args!("{given} questions: expected 1 to {MAX_QUESTIONS} in a batch"));
    }
}

/// Reports a mistake if a game has more than [`MAX_PLIES`] takes.
pub fn check_take_count(given: usize, field: RequestField<'_>) {
    if given > MAX_PLIES {
        field.report(format_args!("{given} takes: expected at most {MAX_PLIES} takes"));
    }
}

impl From<&Violations> for pb::BatchRefusal {
    fn from(violations: &Violations) -> Self {
        let shown_violation = |violation: &super::Violation| pb::FieldViolation {
            field: violation.field.clone(),
            description: violation.description.clone(),
        };
        Self {
            violations: violations.as_slice().iter().map(shown_violation).collect(),
            unlisted: u32::try_from(violations.unlisted_count()).unwrap_or(u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_request;

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
    fn shared_terms_of_positions_are_read() {
        let parse = |request: pb::SolveBatchRequest| {
            parse_request(|field| parse_solve_terms(&request, field)).unwrap()
        };
        let terms = parse(request(MAX_QUESTIONS));
        assert_eq!((terms.ending, terms.detail), (Ending::default(), SolveDetail::Solution));
        let winner = pb::SolveBatchRequest { detail: pb::SolveDetail::Winner.into(), ..request(1) };
        assert_eq!(parse(winner).detail, SolveDetail::Winner);
    }

    #[test]
    fn every_mistake_in_shared_terms_is_named() {
        let broken = pb::SolveBatchRequest { ending: 7, detail: 9, ..Default::default() };
        let violations = parse_request(|field| parse_solve_terms(&broken, field)).unwrap_err();
        let fields: Vec<_> = violations.as_slice().iter().map(|each| each.field.as_str()).collect();
        assert_eq!(fields, ["positions", "alliance_matrix", "ending", "detail"]);
        let many = request(MAX_QUESTIONS + 1);
        let violations = parse_request(|field| parse_solve_terms(&many, field)).unwrap_err();
        assert_eq!(violations.to_string(), "positions: 4097 questions: expected 1 to 4096 in a batch");
    }

    #[test]
    fn every_mistake_in_a_position_is_named() {
        let broken = pb::BatchPosition { piles: vec![0, 1], first: 2 };
        let seats = SeatCount::new(2).unwrap();
        let parsed = parse_request(|request| {
            parse_batch_position(&broken, seats, request.member("positions").element(7))
        });
        let violations = parsed.unwrap_err();
        let refusal = pb::BatchRefusal::from(&violations);
        let fields: Vec<_> = refusal.violations.iter().map(|each| each.field.as_str()).collect();
        assert_eq!((fields, refusal.unlisted), (vec!["positions[7].piles", "positions[7].first"], 0));
    }
}
