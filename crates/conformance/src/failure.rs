//! Failures of checks.

/// What a bot did, and what the check expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFailure {
    /// The server's last events and actions, oldest first: events as JSON, actions in words.
    pub sent: Vec<String>,
    /// What the bot should have done.
    pub expected: String,
    /// What it did.
    pub got: String,
}
