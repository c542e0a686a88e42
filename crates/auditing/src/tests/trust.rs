//! Trust in bots that have broken a pact.

use super::talk::{audit_talk, play_matches};
use super::*;
use crate::{Estimate, EstimateInterval, TrustFigures, TrustFindings};
use lastnim_analysis::deals::{TalkAudit, WordKept};
use lastnim_core::referee::testing::{OfferedTerms, TalkedMatch};
use lastnim_core::referee::{Record, Timestamp};

fn pair_trust(auditor: &Auditor, mover: usize, other: usize) -> TrustFindings {
    let findings = auditor.clone().finish();
    let pair =
        findings.pairs.iter().find(|pair| pair.mover == bot_name(mover) && pair.other == bot_name(other));
    pair.unwrap().trust.clone().unwrap()
}

/// Plays a match of the bots 0 to 2 in which bot 1 offers bot 0 the pact that seat 1 comes before seat 2 in the rows of
/// both. Bot 1 keeps it or breaks it.
fn pact_match(number: u64, is_accepted: bool, is_kept: bool) -> Record {
    pact_talk(number, is_accepted, is_kept).play()
}

fn pact_talk(number: u64, is_accepted: bool, is_kept: bool) -> TalkedMatch {
    let rows = vec![vec![0, 1, 2]; 3];
    let game = Game::parse(&[2, 3], &rows, 0, Ending::default()).unwrap();
    let mut talked = TalkedMatch::of_game(game);
    talked.id = MatchId::new(FIRST_MS + number, &[0; 10]);
    talked.began = Timestamp::from_micros(1_000_000 * number);
    talked.bots = (0..3).map(|bot| bot_name(bot).to_string()).collect();
    let accepted = if is_accepted { vec![0] } else { Vec::new() };
    talked.pacts = vec![OfferedTerms { members: vec![(1, vec![(1, 2)]), (0, vec![(1, 2)])], accepted }];
    if !is_kept {
        talked.declared[1] = Some(vec![1, 0, 2]);
    }
    talked
}

#[test]
fn acceptances_before_and_after_a_breach_are_told_apart() {
    // The acceptances and the kept words by number of the match.
    let played = [(true, true), (true, false), (false, true), (true, false), (false, true), (false, true)];
    let mut numbers: Vec<u64> = (0..6).collect();
    for seed in 0..4 {
        SeededDraw::from_numbers([seed]).shuffle(&mut numbers);
        let mut auditor = Auditor::new(AuditSubject::Field, 1);
        for &number in &numbers {
            let (is_accepted, is_kept) = played[number as usize];
            let record = pact_match(number, is_accepted, is_kept);
            auditor.add_record(MatchGroup::Exhibition(record.id()), &record);
        }
        let TrustFindings { unbroken, broken } = pair_trust(&auditor, 0, 1);
        let counts = |trust: &TrustFigures| {
            [
                trust.matches,
                trust.matches_with_offer,
                trust.invitations,
                trust.accepted,
                trust.signed,
                trust.breaches,
            ]
        };
        // Bot 1 broke a pact in match 1. That match still counts as before the breach.
        assert_eq!((counts(&unbroken), counts(&broken)), ([2, 0, 2, 2, 2, 1], [4, 0, 4, 1, 1, 1]));
        let value = |estimate: Option<Estimate>| estimate.map(|found| found.value);
        assert_eq!((value(unbroken.accepted_share), value(broken.accepted_share)), (Some(1.0), Some(0.25)));
        let interval = EstimateInterval::TooFewGroups { groups: 4 };
        assert_eq!(broken.accepted_share.unwrap().interval, interval);
        // The same breach in both parts costs the same.
        assert_eq!(
            (value(unbroken.price).unwrap() * 2.0, value(broken.price).unwrap()),
            (unbroken.harm as f64, broken.harm as f64)
        );
        assert_eq!(unbroken.harm, broken.harm);
        // Bot 0 never broke its word, and bot 2 was in no pact.
        let keeper_trust = pair_trust(&auditor, 1, 0);
        assert_eq!((counts(&keeper_trust.unbroken), keeper_trust.broken.matches), ([6, 6, 0, 0, 3, 0], 0));
        assert_eq!(counts(&pair_trust(&auditor, 0, 2).unbroken), [6, 0, 0, 0, 0, 0]);
    }
}

#[test]
fn an_offer_in_the_last_round_is_no_invitation() {
    let mut talked = pact_talk(0, true, true);
    let promise = vec![(1, 0)];
    let late = OfferedTerms { members: vec![(1, promise.clone()), (0, promise)], accepted: Vec::new() };
    talked.late_pacts = vec![late];
    let record = talked.play();
    assert_eq!(audit_talk(&record).offered.len(), 2);
    let mut auditor = Auditor::new(AuditSubject::Field, 1);
    auditor.add_record(MatchGroup::Exhibition(record.id()), &record);
    let TrustFindings { unbroken, .. } = pair_trust(&auditor, 0, 1);
    assert_eq!((unbroken.invitations, unbroken.accepted), (1, 1));
}

/// The bots and the talk of a match.
type Played = (BySeat<BotName>, TalkAudit);

/// Returns what each pact of two bots that the seat of `other` broke cost the seat of `bot`, in ranks.
fn breaches(talk: &TalkAudit, bot: Seat, other: Seat) -> Vec<i64> {
    let pacts = talk.pacts.iter().filter(|pact| pact.members.iter().any(|member| member.seat == bot));
    let members = pacts.flat_map(|pact| &pact.members);
    members
        .filter(|member| member.seat == other && member.word == WordKept::Broken)
        .map(|member| member.harms.as_ref().map_or(0, |harms| i64::from(harms[bot])))
        .collect()
}

#[test]
fn figures_of_trust_agree_with_brute_force() {
    let (mut auditor, mut played) = (Auditor::new(AuditSubject::Field, 1), Vec::<Played>::new());
    play_matches(48, |group, record| {
        auditor.add_record(group, record);
        let talk = audit_talk(record);
        if !talk.may_hide_pacts() {
            played.push((record.state().setup().bots.clone(), talk));
        }
    });
    let mut after = 0;
    for pair in &auditor.finish().pairs {
        let seat_of = |bots: &BySeat<BotName>, name: &BotName| {
            bots.enumerate().find(|(_, bot)| *bot == name).unwrap().0
        };
        let seats = |(bots, _): &Played| [seat_of(bots, &pair.mover), seat_of(bots, &pair.other)];
        let mut expected = [[0_i64; 7]; 2];
        for one in &played {
            let ([bot, other], talk) = (seats(one), &one.1);
            let has_earlier = played.iter().any(|earlier| {
                let [bot, other] = seats(earlier);
                earlier.1.revealed < talk.began && !breaches(&earlier.1, bot, other).is_empty()
            });
            let sums = &mut expected[usize::from(has_earlier)];
            let common_offers = talk.offered.iter().filter(|offered| {
                let members = offered.pact.seat_set();
                members.contains(bot) && members.contains(other)
            });
            let common_offers: Vec<_> = common_offers.collect();
            let invited = common_offers.iter().filter(|offered| offered.offer.seat != bot);
            let broken = breaches(talk, bot, other);
            for (sum, more) in sums.iter_mut().zip([
                1,
                i64::from(common_offers.iter().any(|offered| offered.offer.seat == bot)),
                invited.clone().count() as i64,
                invited.filter(|offered| offered.accepted.contains(bot)).count() as i64,
                common_offers.iter().filter(|offered| offered.is_signed()).count() as i64,
                broken.len() as i64,
                broken.iter().sum(),
            ]) {
                *sum += more;
            }
        }
        let TrustFindings { unbroken, broken } = pair.trust.as_ref().unwrap();
        for (found, expected) in [unbroken, broken].into_iter().zip(expected) {
            let counts = [
                found.matches,
                found.matches_with_offer,
                found.invitations,
                found.accepted,
                found.signed,
                found.breaches,
            ];
            assert_eq!(counts.map(|count| count as i64), expected[..6]);
            assert_eq!(found.harm, expected[6]);
        }
        after += broken.invitations;
    }
    assert!(after > 0);
}
