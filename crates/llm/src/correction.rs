//! Appends a message that explains to the model why its answer is invalid.

use super::{failure::CallFailure, question::Question, request::Message};

/// The maximum length of an invalid answer that is repeated to the model.
const MAX_REPEATED_CHARS: usize = 4_000;

/// Appends the invalid answer and its error to the prompt, which is the first message. Earlier corrections are dropped,
/// so that the conversation stays short.
pub fn append_correction(
    messages: &mut Vec<Message>,
    question: &Question<'_>,
    reply: &str,
    failure: &CallFailure,
) {
    messages.truncate(1);
    messages.extend([
        Message::from_model(reply_excerpt(reply)),
        Message::from_user(correction_text(question, failure)),
    ]);
}

/// Returns the end of a reply, which the correction repeats to the model.
fn reply_excerpt(reply: &str) -> String {
    let skipped = reply.chars().count().saturating_sub(MAX_REPEATED_CHARS);
    let end: String = reply.chars().skip(skipped).collect();
    // An empty message would be refused by endpoints.
    if end.trim().is_empty() { "(no answer)".to_owned() } else { end }
}

/// Returns the message that explains the error.
fn correction_text(question: &Question<'_>, failure: &CallFailure) -> String {
    format!(
        "Your answer cannot be used: {}. Answer the question again, and end your reply with one JSON object of the form {}.",
        failure.detail.trim_end_matches('.'),
        question.answer_form()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_sees_the_end_of_its_own_reply() {
        assert_eq!(reply_excerpt(" "), "(no answer)");
        let long = "é".repeat(MAX_REPEATED_CHARS) + "end";
        let shown = reply_excerpt(&long);
        assert_eq!(shown.chars().count(), MAX_REPEATED_CHARS);
        assert!(shown.ends_with("end"));
    }
}
