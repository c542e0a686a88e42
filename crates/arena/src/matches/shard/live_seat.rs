//! One seat of a match that runs.

use super::input::SeatSession;

/// One seat of a match that runs. `S` is the address of a session.
#[derive(Debug)]
pub(super) struct LiveSeat<S> {
    /// The number of the bot that sits here.
    pub(super) bot: u64,
    /// The bot's session, as far as the match has heard.
    pub(super) session: Option<SeatSession<S>>,
    /// Messages of the seat that wait for the match.
    pub(super) unread: u32,
    /// Whether the bot has declared a row, or tried to.
    pub(super) has_declared: bool,
}

impl<S> LiveSeat<S> {
    /// Returns the seat's session, if it is the one of that number.
    pub(super) fn session_numbered(&mut self, id: u64) -> Option<&mut SeatSession<S>> {
        self.session.as_mut().filter(|session| session.id == id)
    }
}
