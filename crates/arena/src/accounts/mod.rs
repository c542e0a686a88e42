//! Who plays: registered bots, guests, house bots, and their tokens.

pub(crate) mod accounts;
pub(crate) mod bots;
pub(crate) mod guests;
pub(crate) mod keyring;
pub(crate) mod practice;
