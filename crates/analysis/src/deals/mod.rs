//! Private rows and pacts: what a deal, its declarations, its pacts and its takes were worth to each seat.
//!
//! A match may deal each seat a private row, which is what the seat really wants. The seats may sign pacts about the
//! rows they will declare. Then each seat declares a public row, true or not, and play goes on as in any match.
//! Everything here is exact. `v(M)` is the winner under optimal play from the start if M contains the declared rows; D
//! contains the dealt rows and d the declared ones. A rank is a place in a seat's dealt row, 0 (best) to n-1.

mod believed_play;
mod deal;
mod deal_measures;
mod dealt_play;
mod incentives;
mod kendall;
mod pact_measures;
mod pact_search;
mod talk_audit;

pub use deal::{Deal, DealError};
pub use deal_measures::{DealMeasures, DeclarationMeasures};
pub use dealt_play::{DealtPlay, DealtTake, RankChangeParts, TakeFaithfulness};
pub use incentives::{Incentives, WhatPays};
pub use kendall::kendall_distance;
pub use pact_measures::{DoubleDealing, PactMeasures, PactMemberMeasures};
pub use pact_search::{GroupPacts, PactOutcome};
pub use talk_audit::{ClaimAudit, PactAudit, PactMemberAudit, TalkAudit, WordKept};

use lastnim_core::{
    game::{AllianceMatrix, BySeat, Game, Seat},
    oracle::solve_winners,
};

/// Returns the winner under optimal play if `declared` contains the declared rows; the rows of the game do not matter.
fn winner_with(game: &Game, declared: &AllianceMatrix) -> Seat {
    solve_winners(&game.piles, declared, game.ending)[game.first_seat()]
}

/// Returns, for each seat, how many ranks of its dealt row it loses (+) or gains (-) if `after` wins instead of
/// `before`.
fn rank_losses(dealt: &AllianceMatrix, before: Seat, after: Seat) -> BySeat<i32> {
    BySeat::from_fn(dealt.seats(), |seat| {
        let rank = |winner| dealt.rank(seat, winner) as u32;
        rank(after).cast_signed() - rank(before).cast_signed()
    })
}
