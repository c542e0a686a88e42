//! A cross-table for a running tournament.

use super::{CrossTable, MatchResult};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A cross-table for a running tournament, dropped once more than [200 bots](Self::MAX_BOTS) have played.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BoundedCrossTable(Option<Arc<CrossTable>>);

impl Default for BoundedCrossTable {
    fn default() -> Self {
        Self(Some(Arc::new(CrossTable::new())))
    }
}

impl BoundedCrossTable {
    /// Maximum number of bots in a table.
    pub const MAX_BOTS: usize = 200;

    /// Counts one match; each must be counted exactly once. Existing clones of the table do not change.
    pub fn add_result(&mut self, result: &MatchResult) {
        if let Some(shared) = &mut self.0 {
            let table = Arc::make_mut(shared);
            table.add_result(result);
            if table.bot_count() > Self::MAX_BOTS {
                self.0 = None;
            }
        }
    }

    /// Returns the table; `None` once too many bots have played.
    pub fn table(&self) -> Option<&Arc<CrossTable>> {
        self.0.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        checkpoint::{decode_state, encode_state},
        rating::testing::match_of_group,
        testing::field,
    };

    #[test]
    fn a_table_of_too_many_bots_is_dropped() {
        let bots = field(BoundedCrossTable::MAX_BOTS + 1);
        let mut bounded = BoundedCrossTable::default();
        for number in 1..BoundedCrossTable::MAX_BOTS {
            bounded.add_result(&match_of_group(number as u64, &[bots[0].clone(), bots[number].clone()], 0));
        }
        assert_eq!(bounded.table().map(|table| table.bot_count()), Some(BoundedCrossTable::MAX_BOTS));
        let held = Arc::clone(bounded.table().unwrap());
        bounded.add_result(&match_of_group(900, &bots[BoundedCrossTable::MAX_BOTS - 1..], 0));
        assert!(bounded.table().is_none());
        assert_eq!(held.bot_count(), BoundedCrossTable::MAX_BOTS, "existing clones do not change");
        bounded.add_result(&match_of_group(901, &bots[..2], 0));
        let restored: BoundedCrossTable = decode_state(&encode_state(&bounded)).unwrap();
        assert!(restored.table().is_none(), "a restored table would lack the dropped matches");
    }
}
