//! The sessions of bots: messages in both directions, and the ends that bots have missed.

pub(crate) mod end_notifications;
pub(crate) mod join_queue;
pub(crate) mod late_messages;
pub(crate) mod missed_ends;
pub(crate) mod open_seats;
pub(crate) mod outbox;
pub(crate) mod roster;
pub(crate) mod session;
pub(crate) mod session_chores;
pub(crate) mod session_link;
pub(crate) mod unanswered_pings;
pub(crate) mod version_history;
pub(crate) mod wake_gate;
