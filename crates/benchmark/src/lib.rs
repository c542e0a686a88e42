//! The benchmark and the datasets: fixed or randomly drawn positions, and the scores of bots that played them.
//!
//! `position_id` identifies positions, `position_draw` and `distinct_positions` draw them, and `difficulty` and
//! `labelling` describe them. `item_set` reads the frozen sets, and `item_score` scores a record. `tier_tally` adds up
//! scores and applies the stopping rule; `card` computes the card, both when a bot plays the benchmark and when
//! `lastnim record verify` checks a card.
//!
//! Nothing here plays matches, contacts a server or reads a file.

mod card;
mod difficulty;
mod distinct_positions;
mod item_score;
mod item_set;
mod labelling;
mod position_draw;
mod position_id;
#[cfg(test)]
mod set_draw;
#[cfg(test)]
mod tier_order;
mod tier_tally;

pub use card::{PlayedItem, card_difference, compute_tier, with_results};
pub use distinct_positions::{DistinctPositions, ExplainedPosition, PositionFilter};
pub use item_score::{OPPONENT_SEED, player_name, score_record};
pub use item_set::{BENCHMARK_SETS, ItemSet, NEWEST_SET, SetItem, Tier, UnknownSetError};
pub use labelling::label_position;
pub use position_draw::{PositionDraw, PositionKind};
pub use position_id::PositionId;
pub use tier_tally::{CONFIDENCE, StoppingRule, TierTally, loss_figure};
