//! How a server carries on what one before it has left.

pub(crate) mod open_records;
pub(crate) mod recovery;
pub(crate) mod results;
pub(crate) mod return_grace;
