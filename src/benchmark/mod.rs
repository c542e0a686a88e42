//! `lastnim benchmark`: a bot on a frozen set of positions, and a signed card of what it lost.
//!
//! `item_set` reads the set, and `item_score` says what a record came to by the item that it is of. `tier_tally` adds scores up and says when a
//! tier is over; `card` makes the card of that, here as in `lastnim verify`. `player` is who plays, `playing` lets it play, and `run_folder` keeps what an
//! interrupted run has come to; `model_tally` counts what failed in the matches of a language model.

mod card;
mod command;
mod item_score;
mod item_set;
mod model_tally;
mod player;
mod playing;
mod run_folder;
#[cfg(test)]
mod set_draw;
#[cfg(test)]
mod tier_order;
mod tier_tally;

pub use card::{PlayedItem, card_difference, compute_tier, with_results};
pub use command::{BenchmarkArgs, run};
pub use item_score::score_record;
pub use item_set::{BENCHMARK_SET, SetItem, Tier};
pub use run_folder::RECORDS_FILE;
pub use tier_tally::{CONFIDENCE, StoppingRule};
