//! How a bot's pacts with another bot depend on whether that bot has broken its word before.

use super::{Estimate, bootstrap::RatioEstimator, group::GroupKey};
use lastnim_analysis::deals::{PactMemberAudit, TalkAudit, WordKept};
use lastnim_core::game::{MAX_PACT_SEATS, Seat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A bot's pacts with another bot, before and after the other bot broke one of them.
///
/// Only matches whose pacts are all known count, of at most [`MAX_TRUST_GROUPS`] duplicate groups: if a pair has more,
/// hashes choose them. The first breach is that of all matches.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustFindings {
    /// All other matches, such as those before the first breach and the match with it.
    pub unbroken: TrustFigures,
    /// Matches that began after the first breach: after the rows were revealed with which the other bot first broke a
    /// pact of which the bot was a member.
    pub broken: TrustFigures,
}

/// A bot's pacts with another bot over some matches of both, with 95% intervals over duplicate groups.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustFigures {
    /// The matches.
    pub matches: u64,
    /// Matches in which the bot offered a pact of which the other bot was a member.
    pub matches_with_offer: u64,
    /// Pacts of both bots that another seat offered before the last round of talk. The bot may have ended its talk before.
    pub invitations: u64,
    /// Invitations that the bot accepted.
    pub accepted: u64,
    /// Pacts of both bots that all members signed.
    pub signed: u64,
    /// Signed pacts that the other bot broke.
    pub breaches: u64,
    /// The ranks that these breaches cost the bot, as far as rows were dealt; negative if it gained. A row that breaks two
    /// pacts counts twice.
    pub harm: i64,
    /// `matches_with_offer` as a share of `matches`; `None` without matches.
    pub offer_share: Option<Estimate>,
    /// `accepted` as a share of `invitations`; `None` without invitations.
    pub accepted_share: Option<Estimate>,
    /// The mean of `harm` over the signed pacts in matches with dealt rows; `None` without such pacts.
    pub price: Option<Estimate>,
}

/// Maximum number of duplicate groups that count for the trust of a bot in another one.
pub const MAX_TRUST_GROUPS: usize = 256;

const MATCHES: usize = 0;
const MATCHES_WITH_OFFER: usize = 1;
const INVITATIONS: usize = 2;
const ACCEPTED: usize = 3;
const SIGNED: usize = 4;
const BREACHES: usize = 5;
/// Signed pacts in matches with dealt rows.
const VALUED: usize = 6;
/// The index of the only sum that can be negative.
const HARM: usize = 7;
const SUM_COUNT: usize = 8;

/// The sums of one match.
type MatchSums = [i32; SUM_COUNT];
/// The sums of the matches of a group.
type GroupSums = [i64; SUM_COUNT];

/// A running tally of a bot's pacts with another bot.
///
/// A breach can be found after the matches that followed it were added. So the matches are kept apart until the end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct TrustTally {
    /// When rows with a breach of the other bot were first revealed, in microseconds.
    first_breach: Option<u64>,
    /// The matches of the groups with the smallest keys.
    groups: BTreeMap<GroupKey, Vec<TrustMatch>>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct TrustMatch {
    /// When the match began, in microseconds.
    began: u64,
    sums: MatchSums,
}

impl TrustTally {
    /// Adds a match whose pacts are all known.
    pub(super) fn add_match(&mut self, group: GroupKey, talk: &TalkAudit, bot: Seat, other: Seat) {
        let mut sums = [0; SUM_COUNT];
        sums[MATCHES] = 1;
        let common_offers = talk
            .offered
            .iter()
            .filter(|offered| [bot, other].into_iter().all(|seat| offered.pact.constraint(seat).is_some()));
        for offered in common_offers {
            if offered.offer.seat == bot {
                sums[MATCHES_WITH_OFFER] = 1;
            } else if offered.offer.round + 1 < talk.rounds {
                sums[INVITATIONS] += 1;
                sums[ACCEPTED] += i32::from(offered.accepted.contains(bot));
            }
        }
        for pact in &talk.pacts {
            let member = |seat: Seat| pact.members.iter().find(|member| member.seat == seat);
            let (Some(_), Some(PactMemberAudit { word, harms, .. })) = (member(bot), member(other)) else {
                continue;
            };
            sums[SIGNED] += 1;
            sums[VALUED] += i32::from(talk.has_dealt_rows);
            if *word == WordKept::Broken {
                sums[BREACHES] += 1;
                sums[HARM] += harms.as_ref().map_or(0, |harms| harms[bot]);
            }
        }
        if sums[BREACHES] > 0 {
            self.add_breach(talk.revealed.as_micros());
        }
        self.keep_match(group, TrustMatch { began: talk.began.as_micros(), sums });
    }

    fn add_breach(&mut self, at: u64) {
        self.first_breach = Some(self.first_breach.map_or(at, |first| first.min(at)));
    }

    fn keep_match(&mut self, group: GroupKey, played: TrustMatch) {
        let matches = self.groups.entry(group).or_default();
        let place = matches.partition_point(|kept| *kept <= played);
        matches.insert(place, played);
        // A duplicate group has at most one match for each rotation of its seats.
        matches.truncate(MAX_PACT_SEATS);
        if self.groups.len() > MAX_TRUST_GROUPS {
            self.groups.pop_last();
        }
    }

    /// Adds other matches of the same bots.
    pub(super) fn merge(&mut self, other: Self) {
        if let Some(at) = other.first_breach {
            self.add_breach(at);
        }
        for (group, matches) in other.groups {
            for played in matches {
                self.keep_match(group, played);
            }
        }
    }

    /// Returns whether matches can have these counts.
    pub(super) fn is_possible(&self) -> bool {
        let is_match = |TrustMatch { sums, .. }: &TrustMatch| {
            sums[..HARM].iter().all(|&count| count >= 0)
                && sums[MATCHES] == 1
                && sums[MATCHES_WITH_OFFER] <= 1
                && sums[ACCEPTED] <= sums[INVITATIONS]
                && sums[BREACHES] <= sums[SIGNED]
                && (sums[VALUED] == 0 || sums[VALUED] == sums[SIGNED])
                && (sums[HARM] == 0 || sums[VALUED] > 0 && sums[BREACHES] > 0)
                && (sums[BREACHES] == 0 || self.first_breach.is_some())
        };
        let is_group = |matches: &Vec<TrustMatch>| {
            (1..=MAX_PACT_SEATS).contains(&matches.len())
                && matches.is_sorted()
                && matches.iter().all(is_match)
        };
        self.groups.len() <= MAX_TRUST_GROUPS && self.groups.values().all(is_group)
    }

    pub(super) fn findings(&self) -> TrustFindings {
        let is_broken = |played: &TrustMatch| self.first_breach.is_some_and(|at| at < played.began);
        let figures = |broken: bool| {
            let matches_of = |matches: &Vec<TrustMatch>| {
                let mut sums: GroupSums = [0; SUM_COUNT];
                for played in matches.iter().filter(|&played| is_broken(played) == broken) {
                    sums.iter_mut().zip(played.sums).for_each(|(sum, more)| *sum += i64::from(more));
                }
                sums
            };
            TrustFigures::of_groups(&self.groups.values().map(matches_of).collect::<Vec<_>>())
        };
        TrustFindings { unbroken: figures(false), broken: figures(true) }
    }
}

impl TrustFigures {
    fn of_groups(groups: &[GroupSums]) -> Self {
        let sum = |index: usize| groups.iter().map(|sums| sums[index]).sum::<i64>();
        let count = |index| u64::try_from(sum(index)).expect("a count is not negative");
        let ratio = |above: usize, below: usize| {
            RatioEstimator::of_groups(groups.iter().map(|sums| (sums[above], sums[below])))
        };
        let share = |above, below| ratio(above, below).map(|sums| sums.estimate_share());
        Self {
            matches: count(MATCHES),
            matches_with_offer: count(MATCHES_WITH_OFFER),
            invitations: count(INVITATIONS),
            accepted: count(ACCEPTED),
            signed: count(SIGNED),
            breaches: count(BREACHES),
            harm: sum(HARM),
            offer_share: share(MATCHES_WITH_OFFER, MATCHES),
            accepted_share: share(ACCEPTED, INVITATIONS),
            price: ratio(HARM, VALUED).map(|sums| sums.estimate_signed_mean()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatchGroup;
    use lastnim_core::game::MatchId;

    /// A match with one pact, which the other bot broke if the number is a multiple of 100.
    fn add_match(tally: &mut TrustTally, number: u64) {
        let breaches = i32::from(number.is_multiple_of(100));
        if breaches > 0 {
            tally.add_breach(number);
        }
        let group = MatchGroup::Exhibition(MatchId::new(number, &[0; 10])).key();
        tally.keep_match(group, TrustMatch { began: number, sums: [1, 0, 1, 1, 1, breaches, 1, breaches] });
    }

    #[test]
    fn parts_with_many_groups_add_up_in_any_order() {
        let numbers = 50..850;
        let mut whole = TrustTally::default();
        numbers.clone().for_each(|number| add_match(&mut whole, number));
        let mut parts: [TrustTally; 3] = Default::default();
        numbers.rev().for_each(|number| add_match(&mut parts[number as usize % 3], number));
        let bytes = |tally: &TrustTally| postcard::to_allocvec(tally).unwrap();
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let mut merged = TrustTally::default();
            for part in order {
                merged.merge(parts[part].clone());
            }
            assert_eq!(bytes(&merged), bytes(&whole));
        }
        assert!(whole.is_possible());
        assert_eq!((whole.groups.len(), whole.first_breach), (MAX_TRUST_GROUPS, Some(100)));
        let TrustFindings { unbroken, broken } = whole.findings();
        let is_before = |played: &&TrustMatch| played.began <= 100;
        let before = whole.groups.values().flatten().filter(is_before).count() as u64;
        assert_eq!((unbroken.matches, broken.matches), (before, MAX_TRUST_GROUPS as u64 - before));
    }

    #[test]
    fn impossible_counts_are_found() {
        let possible = [1, 1, 2, 1, 2, 1, 2, -1];
        let is_possible = |sums: MatchSums, first_breach: Option<u64>| {
            let mut tally = TrustTally { first_breach, ..TrustTally::default() };
            tally.keep_match(
                MatchGroup::Exhibition(MatchId::new(1, &[0; 10])).key(),
                TrustMatch { began: 1, sums },
            );
            tally.is_possible()
        };
        assert!(is_possible(possible, Some(2)));
        assert!(!is_possible(possible, None));
        for (index, wrong) in [
            (MATCHES, 0),
            (MATCHES_WITH_OFFER, 2),
            (INVITATIONS, -1),
            (ACCEPTED, 3),
            (ACCEPTED, -1),
            (SIGNED, 0),
            (BREACHES, 3),
            (BREACHES, 0),
            (VALUED, 1),
            (VALUED, 0),
        ] {
            let mut sums = possible;
            sums[index] = wrong;
            assert!(!is_possible(sums, Some(2)), "{index}: {wrong}");
        }
    }

    #[test]
    fn impossible_numbers_of_matches_are_found() {
        let group = |number| MatchGroup::Exhibition(MatchId::new(number, &[0; 10])).key();
        let played = |began| TrustMatch { began, sums: [1, 0, 0, 0, 0, 0, 0, 0] };
        let is_possible = |groups: BTreeMap<GroupKey, Vec<TrustMatch>>| {
            TrustTally { first_breach: None, groups }.is_possible()
        };
        let of_size = |size: u64| BTreeMap::from([(group(1), (0..size).map(played).collect())]);
        assert!(is_possible(of_size(MAX_PACT_SEATS as u64)));
        assert!(!is_possible(of_size(MAX_PACT_SEATS as u64 + 1)));
        assert!(!is_possible(of_size(0)));
        let of_count = |count: u64| (0..count).map(|number| (group(number), vec![played(number)])).collect();
        assert!(is_possible(of_count(MAX_TRUST_GROUPS as u64)));
        assert!(!is_possible(of_count(MAX_TRUST_GROUPS as u64 + 1)));
        assert!(!is_possible(BTreeMap::from([(group(1), vec![played(2), played(1)])])));
    }
}
