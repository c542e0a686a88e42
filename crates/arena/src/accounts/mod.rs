//! Players and tokens: registered bots, guests and house bots.

pub(crate) mod accounts;
pub(crate) mod bots;
pub(crate) mod guests;
pub(crate) mod keyring;
pub(crate) mod practice;
