//! Questions about games of other rules.

use super::question_scheduler::QuestionError;
use crate::oracle::Budget;
use crate::oracle::general::{ExceededBound, MemoryBounds};
use crate::wire::ruleset::{
    MAX_OPTION_BYTES, RulesetQuestion, parse_ruleset_question, ruleset_solution_message,
};
use crate::wire::{parse_request, pb};

/// What one question may hold in memory, so that all that are answered at once fit into any machine.
const BOUNDS: MemoryBounds = MemoryBounds { states: 1_000_000, bytes: 128 << 20 };

/// Solves a game of any rules.
pub(super) fn solve_ruleset(
    request: &pb::SolveRulesetRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::SolveRulesetResponse, QuestionError> {
    let question = parse_request(|field| parse_ruleset_question(request, field))?;
    let RulesetQuestion { game, matrix, first, ending } = question;
    match game.solve(&matrix, first, ending, BOUNDS, budget) {
        Ok(answer) => Ok(ruleset_solution_message(&game, &answer, MAX_OPTION_BYTES)),
        Err(unsolved) => Err(match unsolved.stopped.bound {
            ExceededBound::Work(_) => QuestionError::TooLong(unsolved.to_string()),
            ExceededBound::States(_) | ExceededBound::Bytes(_) => {
                QuestionError::TooLarge(unsolved.to_string())
            }
        }),
    }
}
