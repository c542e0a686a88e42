//! The scenes of the checks.

pub(super) mod ending;
pub(super) mod joining;
pub(super) mod later_protocol;
pub(super) mod losses;
pub(super) mod playing;
pub(super) mod repetition;
pub(super) mod session;
pub(super) mod snapshots;
