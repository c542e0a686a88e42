//! Questions about variants of Last Nim.

use super::question_scheduler::QuestionError;
use lastnim_core::oracle::Budget;
use lastnim_proto::variant::{parse_variant_question, variant_solution_message};
use lastnim_proto::{parse_request, pb};

/// Solves a variant.
pub(super) fn solve_variant(
    request: &pb::SolveVariantRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::SolveVariantResponse, QuestionError> {
    let game = parse_request(|field| parse_variant_question(request, field))?;
    let solution = game.solve(budget)?;
    Ok(variant_solution_message(&game, &solution))
}
