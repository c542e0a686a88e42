//! Answers questions in this process, as JSON, without a queue.

use super::question_scheduler::QuestionError;
use super::{declarations, games, robustness, rulesets, trees, variants};
use lastnim_core::oracle::Budget;
use lastnim_proto::json::{MessageJsonError, message_from_json, message_to_json};
use prost::Name;
use serde_json::Value;
use thiserror::Error;

/// Why a question cannot be answered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OracleQuestionError {
    /// The service has no such method, or the method needs a server.
    #[error("oracle method {0:?} does not exist or needs a server: expected another, such as \"Solve\"")]
    UnknownMethod(String),
    /// The JSON does not match the method's request message.
    #[error(transparent)]
    Message(#[from] MessageJsonError),
    /// The question was not answered.
    #[error(transparent)]
    Unanswered(#[from] QuestionError),
}

/// Answers a question to a method of `lastnim.v1.OracleService`, such as `Solve`, in this process. The question and the
/// answer are the JSON form of the method's messages (see [`lastnim_proto::json`]). The memory limits are those of a
/// server.
///
/// # Errors
/// The error names the fault in the question, or the limit that was reached.
pub fn answer_oracle_question(
    method: &str,
    question: &Value,
    budget: &mut Budget<'_>,
) -> Result<Value, OracleQuestionError> {
    match method {
        "Solve" => answer_message(question, budget, games::solve_game),
        "Audit" => answer_message(question, budget, games::audit_game),
        "Explain" => answer_message(question, budget, trees::explain_winner),
        "BuildTree" => answer_message(question, budget, trees::build_tree),
        "AssessRobustness" => answer_message(question, budget, robustness::assess_robustness),
        "FindBestDeclaration" => answer_message(question, budget, declarations::find_best_declaration),
        "CheckTruth" => answer_message(question, budget, declarations::check_truth),
        "FindEquilibria" => answer_message(question, budget, declarations::find_equilibria),
        "Rationalise" => answer_message(question, budget, declarations::find_rational_rows),
        "SolveRuleset" => answer_message(question, budget, rulesets::solve_ruleset),
        "SolveVariant" => answer_message(question, budget, variants::solve_variant),
        "ListGrundyValues" => answer_message(question, budget, rulesets::list_grundy_values),
        _ => Err(OracleQuestionError::UnknownMethod(method.to_owned())),
    }
}

fn answer_message<Q: Name + Default, A: Name>(
    question: &Value,
    budget: &mut Budget<'_>,
    answer: fn(&Q, &mut Budget<'_>) -> Result<A, QuestionError>,
) -> Result<Value, OracleQuestionError> {
    let answer = answer(&message_from_json(question)?, budget)?;
    Ok(message_to_json(&answer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer_with_few_steps(method: &str, question: &Value) -> Result<Value, OracleQuestionError> {
        answer_oracle_question(method, question, &mut Budget::of_steps(1_000))
    }

    fn paper_game() -> Value {
        let rows = [[0, 2, 1], [0, 1, 2], [0, 2, 1]].map(|offsets| json!({ "offsets": offsets }));
        json!({ "piles": [1, 2, 2], "alliance_matrix": { "rows": rows }, "ending": "to_move_wins" })
    }

    #[test]
    fn a_question_is_answered_as_json() {
        let answered = answer_with_few_steps("Solve", &json!({ "game": paper_game() })).unwrap();
        assert_eq!(
            answered,
            json!({ "winner": 2, "value": 2, "winner_by_first": [2, 2, 1], "optimal_takes": [{ "lo": 1, "hi": 1 }],
                "ending": "to_move_wins" })
        );
        let audited =
            answer_with_few_steps("Audit", &json!({ "game": paper_game(), "takes": [2, 1, 1, 1] })).unwrap();
        assert_eq!(audited["audit"]["winner"], json!(1));
    }

    #[test]
    fn faults_of_a_question_are_named() {
        let refusal =
            |method: &str, question: &Value| answer_with_few_steps(method, question).unwrap_err().to_string();
        assert_eq!(
            refusal("Guess", &json!({})),
            "oracle method \"Guess\" does not exist or needs a server: expected another, such as \"Solve\""
        );
        assert!(refusal("Solve", &json!({ "gme": {} })).contains("unknown key \"gme\""));
        let mut tall = paper_game();
        tall["first"] = json!(3);
        assert!(refusal("Solve", &json!({ "game": tall })).starts_with("game.first: "));
        let piles: Vec<u64> = vec![9; 12];
        let mut long = paper_game();
        long["piles"] = json!(piles);
        let error =
            answer_with_few_steps("BuildTree", &json!({ "game": long, "form": "graph" })).unwrap_err();
        let OracleQuestionError::Unanswered(error) = error else { panic!("{error:?}") };
        assert!(matches!(error, QuestionError::TooLong(_) | QuestionError::Refused(_)), "{error:?}");
    }
}
