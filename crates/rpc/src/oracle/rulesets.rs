//! Questions about games whose rules differ from those of Last Nim.

use super::question_scheduler::QuestionError;
use lastnim_analysis::general::{ExceededBound, GrundySequence, MemoryBounds, SearchStopped};
use lastnim_core::oracle::Budget;
use lastnim_proto::grundy_sequence::{SequenceQuestion, parse_sequence_question};
use lastnim_proto::ruleset::{
    MAX_OPTION_BYTES, RulesetQuestion, parse_ruleset_question, ruleset_solution_message,
};
use lastnim_proto::{parse_request, pb};

/// The memory limits of one question. They are small enough that any machine has enough memory for all concurrent
/// questions.
const MEMORY_BOUNDS: MemoryBounds = MemoryBounds { states: 1_000_000, bytes: 128 << 20 };

/// Solves a game with any rules.
pub(super) fn solve_ruleset(
    request: &pb::SolveRulesetRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::SolveRulesetResponse, QuestionError> {
    let question = parse_request(|field| parse_ruleset_question(request, field))?;
    let RulesetQuestion { game, matrix, first, ending, is_explained, max_coalition } = question;
    let solved = match max_coalition {
        Some(max_coalition) => game
            .solve_and_assess(&matrix, first, ending, max_coalition, MEMORY_BOUNDS, budget)
            .map(|(answer, robustness)| (answer, Some(robustness))),
        None => game.solve(&matrix, first, ending, MEMORY_BOUNDS, budget).map(|answer| (answer, None)),
    };
    let solved = solved.and_then(|(mut answer, robustness)| {
        if is_explained {
            game.explain_grundy(&mut answer, MEMORY_BOUNDS, budget)?;
        }
        Ok((answer, robustness))
    });
    match solved {
        Ok((answer, robustness)) => {
            Ok(ruleset_solution_message(&game, ending, &answer, robustness.as_ref(), MAX_OPTION_BYTES))
        }
        Err(unsolved) => Err(stopped_search_error(unsolved.stopped, unsolved.to_string())),
    }
}

pub(super) fn list_grundy_values(
    request: &pb::ListGrundyValuesRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::ListGrundyValuesResponse, QuestionError> {
    let SequenceQuestion { game, to } = parse_request(|field| parse_sequence_question(request, field))?;
    let range = format!("{game} to {to}");
    match GrundySequence::compute(game, to, MEMORY_BOUNDS, budget) {
        Ok(sequence) => Ok((&sequence).into()),
        Err(stopped) => Err(stopped_search_error(stopped, format!("{range}: {stopped}"))),
    }
}

fn stopped_search_error(stopped: SearchStopped, words: String) -> QuestionError {
    match stopped.bound {
        ExceededBound::Work(_) => QuestionError::TooLong(words),
        ExceededBound::States(_) | ExceededBound::Bytes(_) => QuestionError::TooLarge(words),
    }
}
