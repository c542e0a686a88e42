//! Resumes the work of an earlier server after a restart.

pub(crate) mod open_records;
pub(crate) mod recovery;
pub(crate) mod results;
pub(crate) mod return_grace;
