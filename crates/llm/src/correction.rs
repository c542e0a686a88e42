//! What a model is told of an answer that cannot be used.

use super::{failure::CallFailure, question::Question, request::Message};

/// Characters of an answer that cannot be used that the model is shown again.
const MAX_REPEATED_CHARS: usize = 4_000;

/// Adds to the prompt, the first of the messages, the answer of the model and what was wrong with it. An earlier answer is left out,
/// so that a conversation does not grow.
pub fn correct_answer(
    messages: &mut Vec<Message>,
    question: &Question<'_>,
    reply: &str,
    failure: &CallFailure,
) {
    messages.truncate(1);
    messages.extend([
        Message::of_model(repeated_reply(reply)),
        Message::of_user(correction_words(question, failure)),
    ]);
}

/// Returns the end of a reply, which the model is shown again.
fn repeated_reply(reply: &str) -> String {
    let skipped = reply.chars().count().saturating_sub(MAX_REPEATED_CHARS);
    let end: String = reply.chars().skip(skipped).collect();
    // Endpoints refuse a message without a text.
    if end.trim().is_empty() { "(no answer)".to_owned() } else { end }
}

/// Tells a model what was wrong with its answer.
fn correction_words(question: &Question<'_>, failure: &CallFailure) -> String {
    format!(
        "Your answer cannot be used: {}. Answer the question again, and end your reply with one JSON object such as {}.",
        failure.detail.trim_end_matches('.'),
        question.example()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_sees_the_end_of_its_own_reply() {
        assert_eq!(repeated_reply(" "), "(no answer)");
        let long = "é".repeat(MAX_REPEATED_CHARS) + "end";
        let shown = repeated_reply(&long);
        assert_eq!(shown.chars().count(), MAX_REPEATED_CHARS);
        assert!(shown.ends_with("end"));
    }
}
