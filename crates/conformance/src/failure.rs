//! What a bot did instead of what a check expects.

/// What a bot did instead of what a check expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFailure {
    /// What the server sent and did last, oldest first: an event as its JSON, anything else in words.
    pub sent: Vec<String>,
    /// What a bot should have done.
    pub expected: String,
    /// What this one did.
    pub got: String,
}
