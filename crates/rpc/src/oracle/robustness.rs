//! Questions about whether the winner under optimal play still wins against coalitions or after errors.

use super::question_scheduler::QuestionError;
use lastnim_analysis::{ErrorOutlook, ErrorOutlookError, Robustness};
use lastnim_core::oracle::Budget;
use lastnim_proto::robustness::{RobustnessQuestion, parse_robustness_question, robustness_message};
use lastnim_proto::{parse_request, pb};

/// Assesses whether the winner of a game still wins against coalitions or after errors.
pub(super) fn assess_robustness(
    request: &pb::AssessRobustnessRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::AssessRobustnessResponse, QuestionError> {
    let question = parse_request(|field| parse_robustness_question(request, field))?;
    let RobustnessQuestion { game, max_coalition, error_rate } = question;
    // The parts that may fail come first, because the search for coalitions may use the whole budget.
    let errors = match error_rate.map(|rate| ErrorOutlook::of_game(&game, rate, budget)).transpose() {
        Ok(errors) => errors,
        Err(ErrorOutlookError::Halt(halt)) => return Err(halt.into()),
        Err(refused) => {
            return Ok(parse_request(|field| {
                field.member("game").member("piles").report(refused);
                None
            })?);
        }
    };
    let robustness = Robustness::assess(&game, max_coalition, budget);
    Ok(robustness_message(&robustness, errors.as_ref()))
}
