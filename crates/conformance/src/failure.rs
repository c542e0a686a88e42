//! Describes why a bot failed a check.

/// A failed check: what the server sent, what the bot should have done, and what it did instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFailure {
    /// The server's last events and actions, oldest first. Events are shown as JSON, and actions are described in
    /// words.
    pub sent: Vec<String>,
    /// What the bot should have done.
    pub expected: String,
    /// What the bot did instead.
    pub got: String,
}
