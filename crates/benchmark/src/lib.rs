//! The benchmark and the datasets: positions that are frozen or drawn, and what a record says of a bot that played one.
//!
//! `position_id` names positions, `position_draw` and `distinct_positions` draw them, `difficulty` and `labelling` say what is known of one.
//! `item_set` reads the frozen set, and `item_score` says what a record came to by the item that it is of. `tier_tally` adds scores
//! up and says when a tier is over; `card` makes the card of that, for the play and for `lastnim verify` alike.
//!
//! Nothing here plays, asks a server or reads a file.

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
pub use distinct_positions::{DistinctPositions, FoundPosition, PositionFilter};
pub use item_score::{OPPONENT_SEED, player_name, score_record};
pub use item_set::{BENCHMARK_SET, SetItem, Tier};
pub use labelling::label_position;
pub use position_draw::{DrawnKind, PositionDraw};
pub use position_id::PositionId;
pub use tier_tally::{CONFIDENCE, StoppingRule, TierTally, loss_figure};
