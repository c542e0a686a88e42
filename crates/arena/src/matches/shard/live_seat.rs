//! A seat of a running match.

use super::input::SeatSession;

/// A seat of a running match. `S` is the address of a session.
#[derive(Debug)]
pub(super) struct LiveSeat<S> {
    /// The number of the bot.
    pub(super) bot: u64,
    /// The bot's session, as last reported to the match.
    pub(super) session: Option<SeatSession<S>>,
    /// The number of messages from the seat that wait for the match.
    pub(super) unread: u32,
    pub(super) has_declared: bool,
}

impl<S> LiveSeat<S> {
    /// Returns the seat's session if it has this number.
    pub(super) fn session_with_id(&mut self, id: u64) -> Option<&mut SeatSession<S>> {
        self.session.as_mut().filter(|session| session.id == id)
    }
}
