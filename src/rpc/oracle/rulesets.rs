//! Questions about games of other rules.

use super::asking::Unanswered;
use crate::oracle::Budget;
use crate::oracle::general::{Bound, Bounds};
use crate::wire::ruleset::{MAX_OPTION_BYTES, RulesetQuestion, parse_ruleset_question, solved_ruleset};
use crate::wire::{parse_request, pb};

/// What one question may hold in memory, so that all that are answered at once fit into any machine.
const BOUNDS: Bounds = Bounds { states: 1_000_000, bytes: 128 << 20 };

/// Solves a game of any rules.
pub(super) fn solve_ruleset(
    request: &pb::SolveRulesetRequest,
    budget: &mut Budget<'_>,
) -> Result<pb::SolveRulesetResponse, Unanswered> {
    let question = parse_request(|field| parse_ruleset_question(request, field))?;
    let RulesetQuestion { game, matrix, first, ending } = question;
    match game.solve(&matrix, first, ending, BOUNDS, budget) {
        Ok(answer) => Ok(solved_ruleset(&game, &answer, MAX_OPTION_BYTES)),
        Err(unsolved) => Err(match unsolved.stopped.bound {
            Bound::Work(_) => Unanswered::TooLong(unsolved.to_string()),
            Bound::States(_) | Bound::Bytes(_) => Unanswered::TooLarge(unsolved.to_string()),
        }),
    }
}
