//! How a bot keeps its pacts, and how true its claims are.

use super::{
    Estimate,
    bootstrap::{BootstrapSums, BootstrapWeights},
    group::GroupKey,
};
use lastnim_analysis::deals::{PactAudit, TalkAudit, WordKept};
use lastnim_core::game::{BySeat, Seat};
use serde::{Deserialize, Serialize};

/// What a bot promised and claimed in its matches with talk, as far as everybody can read it, with 95% intervals.
///
/// Values, temptations, harms and true claims are known only if private rows were dealt.
#[derive(Debug, Clone, PartialEq)]
pub struct TalkFigures {
    /// Matches whose pacts are all known. Only the pacts of these matches count.
    pub matches: u64,
    /// Matches in which private messages may have signed pacts.
    pub hidden_matches: u64,
    /// Pacts that the bot offered.
    pub offered: u64,
    /// Pacts that the bot and all other members signed: the sum of the next three.
    pub signed: u64,
    /// Signed pacts that the bot kept.
    pub kept: u64,
    /// Signed pacts that the bot broke.
    pub broken: u64,
    /// Signed pacts whose match gave the bot the standard row, because it declared no valid row in time.
    pub defaulted: u64,
    /// Signed pacts that the bot kept or broke although another row would have gained it ranks.
    pub tempted: u64,
    /// Signed pacts that the bot kept although another row would have gained it ranks.
    pub kept_when_tempted: u64,
    /// Signed pacts that the bot kept or broke, if it takes too long to find out whether another row would have gained
    /// it ranks.
    pub unknown_temptations: u64,
    /// Promises of the bot that contradict its earlier ones in the same match.
    pub double_dealing: u64,
    /// The share of the pacts with a temptation that the bot kept; `None` without such pacts.
    pub kept_share: Option<Estimate>,
    /// The mean value of a signed pact to the bot, in ranks; `None` if no value is known.
    pub value: Option<Estimate>,
    /// The mean number of ranks per match that the bot's breaches cost the other seats together, over matches with dealt
    /// rows in which any seats signed a pact; `None` without such matches.
    pub harm_done: Option<Estimate>,
    /// The mean number of ranks per match that the breaches of others cost the bot, over the same matches.
    pub harm_suffered: Option<Estimate>,
    /// Claims of the bot in matches with dealt rows.
    pub claims: u64,
    /// Claims of the bot in matches without dealt rows, in which no claim is true or false.
    pub other_claims: u64,
    /// Messages of the bot that stay private. Any of them can be a claim.
    pub hidden_messages: u64,
    /// The share of `claims` that equal the dealt row; `None` without claims.
    pub true_share: Option<Estimate>,
    /// The mean Kendall distance between a claimed and the dealt row, in pairs; `None` without claims.
    pub distance: Option<Estimate>,
}

const MATCHES: usize = 0;
const HIDDEN_MATCHES: usize = 1;
const OFFERED: usize = 2;
const KEPT: usize = 3;
const BROKEN: usize = 4;
const DEFAULTED: usize = 5;
const TEMPTED: usize = 6;
const KEPT_WHEN_TEMPTED: usize = 7;
const UNKNOWN_TEMPTATIONS: usize = 8;
const DOUBLE_DEALING: usize = 9;
/// Signed pacts whose value is known.
const VALUED: usize = 10;
/// Matches with dealt rows in which a pact was signed.
const HARM_MATCHES: usize = 11;
const CLAIMS: usize = 12;
const OTHER_CLAIMS: usize = 13;
const TRUE_CLAIMS: usize = 14;
const DISTANCE: usize = 15;
const HIDDEN_MESSAGES: usize = 16;
/// The index of the first sum that can be negative.
const FIRST_SIGNED_SUM: usize = 17;
const VALUE: usize = 17;
const HARM_DONE: usize = 18;
const HARM_SUFFERED: usize = 19;
const SUM_COUNT: usize = 20;

/// The sums of a bot over one match, or several of one group.
#[derive(Debug, Clone)]
pub(super) struct TalkSums([i64; SUM_COUNT]);

impl TalkSums {
    pub(super) fn zero() -> Self {
        Self([0; SUM_COUNT])
    }

    /// Adds the talk of a match; `seat` is the seat of the bot.
    pub(super) fn add_match(&mut self, talk: &TalkAudit, seat: Seat) {
        self.add_claims(talk, seat);
        if !talk.allows_pacts {
            return;
        }
        if talk.may_hide_pacts() {
            self.0[HIDDEN_MATCHES] += 1;
            return;
        }
        self.0[MATCHES] += 1;
        self.0[OFFERED] += i64::from(talk.offer_count(seat));
        self.0[DOUBLE_DEALING] += count_items(talk.double_dealing.iter().filter(|found| found.seat == seat));
        self.0[HARM_MATCHES] += i64::from(talk.has_dealt_rows && !talk.pacts.is_empty());
        for pact in &talk.pacts {
            self.add_pact(pact, seat);
        }
    }

    fn add_pact(&mut self, pact: &PactAudit, seat: Seat) {
        let sums = &mut self.0;
        for breaker in &pact.members {
            for (harmed, &ranks) in breaker.harms.iter().flat_map(BySeat::enumerate) {
                let (by_bot, to_bot) = (breaker.seat == seat, harmed == seat);
                sums[HARM_DONE] += i64::from(if by_bot && !to_bot { ranks } else { 0 });
                sums[HARM_SUFFERED] += i64::from(if to_bot && !by_bot { ranks } else { 0 });
            }
        }
        let Some(member) = pact.members.iter().find(|member| member.seat == seat) else { return };
        if let Some(values) = &pact.values {
            sums[VALUED] += 1;
            sums[VALUE] += i64::from(values[seat]);
        }
        sums[match member.word {
            WordKept::Kept => KEPT,
            WordKept::Broken => BROKEN,
            WordKept::Defaulted => DEFAULTED,
        }] += 1;
        if member.word == WordKept::Defaulted {
            return;
        }
        match member.temptation {
            Some(Ok(1..)) => {
                sums[TEMPTED] += 1;
                sums[KEPT_WHEN_TEMPTED] += i64::from(member.word == WordKept::Kept);
            }
            Some(Err(_)) => sums[UNKNOWN_TEMPTATIONS] += 1,
            Some(Ok(0)) | None => {}
        }
    }

    fn add_claims(&mut self, talk: &TalkAudit, seat: Seat) {
        let sums = &mut self.0;
        sums[HIDDEN_MESSAGES] += i64::from(talk.hidden_messages[seat]);
        for claim in talk.claims.iter().filter(|claim| claim.seat == seat) {
            match claim.from_dealt {
                Some(pairs) => {
                    sums[CLAIMS] += 1;
                    sums[TRUE_CLAIMS] += i64::from(pairs == 0);
                    sums[DISTANCE] += (pairs as u64).cast_signed();
                }
                None => sums[OTHER_CLAIMS] += 1,
            }
        }
    }
}

fn count_items(items: impl Iterator) -> i64 {
    (items.count() as u64).cast_signed()
}

/// A running tally of a bot's talk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TalkTally(BootstrapSums<SUM_COUNT>);

impl TalkTally {
    pub(super) fn new() -> Self {
        Self(BootstrapSums::new())
    }

    pub(super) fn add_group(&mut self, group: GroupKey, weights: &BootstrapWeights, sums: &TalkSums) {
        self.0.add_group(group, weights, &sums.0);
        // The parts of a group could add up to 0. Its groups are not needed.
        (FIRST_SIGNED_SUM..SUM_COUNT).for_each(|index| self.0.forget_groups(index));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }

    /// Returns whether matches can have these counts.
    pub(super) fn is_possible(&self) -> bool {
        let sum = |index| self.0.sum(index);
        self.0.are_below_limit()
            && (0..FIRST_SIGNED_SUM).all(|index| sum(index) >= 0)
            && sum(KEPT_WHEN_TEMPTED) <= sum(TEMPTED)
            && sum(TRUE_CLAIMS) <= sum(CLAIMS)
    }

    pub(super) fn figures(&self) -> TalkFigures {
        let count = |index| u64::try_from(self.0.sum(index)).expect("a count is not negative");
        let ratio = |above, below| self.0.ratio_estimator(above, below, 1.0);
        let share = |above, below| ratio(above, below).map(|sums| sums.estimate_share());
        let signed_mean = |above, below| ratio(above, below).map(|sums| sums.estimate_signed_mean());
        TalkFigures {
            matches: count(MATCHES),
            hidden_matches: count(HIDDEN_MATCHES),
            offered: count(OFFERED),
            signed: count(KEPT) + count(BROKEN) + count(DEFAULTED),
            kept: count(KEPT),
            broken: count(BROKEN),
            defaulted: count(DEFAULTED),
            tempted: count(TEMPTED),
            kept_when_tempted: count(KEPT_WHEN_TEMPTED),
            unknown_temptations: count(UNKNOWN_TEMPTATIONS),
            double_dealing: count(DOUBLE_DEALING),
            kept_share: share(KEPT_WHEN_TEMPTED, TEMPTED),
            value: signed_mean(VALUE, VALUED),
            harm_done: signed_mean(HARM_DONE, HARM_MATCHES),
            harm_suffered: signed_mean(HARM_SUFFERED, HARM_MATCHES),
            claims: count(CLAIMS),
            other_claims: count(OTHER_CLAIMS),
            hidden_messages: count(HIDDEN_MESSAGES),
            true_share: share(TRUE_CLAIMS, CLAIMS),
            distance: ratio(DISTANCE, CLAIMS).map(|sums| sums.estimate_rank_rate()),
        }
    }
}
