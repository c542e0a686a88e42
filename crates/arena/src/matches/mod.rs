//! Open matches, and the shards that own them.

pub(crate) mod match_handle;
pub(crate) mod match_table;
pub(crate) mod open_matches;
pub(crate) mod shard;
