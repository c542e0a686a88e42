//! Questions of this process, as JSON: nobody waits in a queue, and nobody is refused.

use super::question_scheduler::QuestionError;
use super::{declarations, games, robustness, rulesets, trees};
use lastnim_core::oracle::Budget;
use lastnim_proto::Violations;
use lastnim_proto::json::{MessageJsonError, message_from_json, message_to_json};
use prost::Name;
use serde_json::Value;
use thiserror::Error;

/// Why a question of this process has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OracleQuestionError {
    /// The service has no such method, or it needs a server.
    #[error("unknown method {0:?} of the oracle")]
    UnknownMethod(String),
    /// The JSON is not that of the message that the method takes.
    #[error(transparent)]
    Message(#[from] MessageJsonError),
    /// Something is wrong with the question.
    #[error(transparent)]
    Refused(#[from] Violations),
    /// The budget was not enough: how far it came.
    #[error("{0}")]
    TooLong(String),
    /// It takes more memory than it may: which bound it met.
    #[error("{0}")]
    TooLarge(String),
}

impl From<QuestionError> for OracleQuestionError {
    fn from(error: QuestionError) -> Self {
        match error {
            QuestionError::Refused(violations) => Self::Refused(violations),
            QuestionError::TooLong(how_far) => Self::TooLong(how_far),
            QuestionError::TooLarge(bound) => Self::TooLarge(bound),
        }
    }
}

/// Answers a question of a method of `lastnim.v1.OracleService`, such as `Solve`, in this process. The question and its answer are the
/// JSON of the messages of the method ([`wire::json`](lastnim_proto::json)). What an answer may hold in memory is bounded as on a server.
///
/// # Errors
/// Names what is wrong with the question, or the bound that was met.
pub fn answer_oracle_question(
    method: &str,
    question: &Value,
    budget: &mut Budget<'_>,
) -> Result<Value, OracleQuestionError> {
    match method {
        "Solve" => answer_message(question, games::solve_game),
        "Audit" => answer_message(question, games::audit_game),
        "Explain" => answer_message(question, trees::explain_winner),
        "BuildTree" => answer_message(question, |request| trees::build_tree(request, budget)),
        "AssessRobustness" => {
            answer_message(question, |request| robustness::assess_robustness(request, budget))
        }
        "FindBestDeclaration" => {
            answer_message(question, |request| declarations::find_best_declaration(request, budget))
        }
        "CheckTruth" => answer_message(question, |request| declarations::check_truth(request, budget)),
        "FindEquilibria" => {
            answer_message(question, |request| declarations::find_equilibria(request, budget))
        }
        "Rationalise" => {
            answer_message(question, |request| declarations::find_rational_rows(request, budget))
        }
        "SolveRuleset" => answer_message(question, |request| rulesets::solve_ruleset(request, budget)),
        "ListGrundyValues" => {
            answer_message(question, |request| rulesets::list_grundy_values(request, budget))
        }
        _ => Err(OracleQuestionError::UnknownMethod(method.to_owned())),
    }
}

fn answer_message<Q: Name + Default, A: Name, E: Into<OracleQuestionError>>(
    question: &Value,
    answer: impl FnOnce(&Q) -> Result<A, E>,
) -> Result<Value, OracleQuestionError> {
    let request = message_from_json(question)?;
    answer(&request).map(|answer| message_to_json(&answer)).map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(method: &str, question: &Value) -> Result<Value, OracleQuestionError> {
        answer_oracle_question(method, question, &mut Budget::of_steps(1_000))
    }

    fn paper_game() -> Value {
        let rows = [[0, 2, 1], [0, 1, 2], [0, 2, 1]].map(|offsets| json!({ "offsets": offsets }));
        json!({ "piles": [1, 2, 2], "alliance_matrix": { "rows": rows }, "ending": "to_move_wins" })
    }

    #[test]
    fn a_question_is_answered_in_the_json_of_its_messages() {
        let answered = answer("Solve", &json!({ "game": paper_game() })).unwrap();
        assert_eq!(
            answered,
            json!({ "winner": 2, "value": 2, "winner_by_first": [2, 2, 1], "optimal_takes": [{ "lo": 1, "hi": 1 }],
                "ending": "to_move_wins" })
        );
        let audited = answer("Audit", &json!({ "game": paper_game(), "takes": [2, 1, 1, 1] })).unwrap();
        assert_eq!(audited["audit"]["winner"], json!(1));
    }

    #[test]
    fn what_is_wrong_with_a_question_is_said() {
        let words = |method: &str, question: &Value| answer(method, question).unwrap_err().to_string();
        assert_eq!(words("Guess", &json!({})), "unknown method \"Guess\" of the oracle");
        assert!(words("Solve", &json!({ "gme": {} })).contains("unknown key \"gme\""));
        let mut tall = paper_game();
        tall["first"] = json!(3);
        assert!(words("Solve", &json!({ "game": tall })).starts_with("game.first: "));
        let piles: Vec<u64> = vec![9; 12];
        let mut long = paper_game();
        long["piles"] = json!(piles);
        let error = answer("BuildTree", &json!({ "game": long, "form": "graph" })).unwrap_err();
        assert!(
            matches!(error, OracleQuestionError::TooLong(_) | OracleQuestionError::Refused(_)),
            "{error:?}"
        );
    }
}
