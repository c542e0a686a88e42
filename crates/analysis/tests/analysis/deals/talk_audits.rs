//! Tests of the audits of talk: which members kept their word, what that was worth, and which claims were true.

use super::{
    PactTerms,
    brute_force::{has_relations, nearest_keeping_order, pair_distance, signed_place},
    deals, order_of, orders_of, small_match,
};
use lastnim_analysis::deals::{DoubleDealing, TalkAudit, WordKept};
use lastnim_core::game::testing::cases;
use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, Row};
use lastnim_core::oracle::{Budget, HaltReason};
use lastnim_core::referee::testing::{OfferedTerms, TalkedMatch};
use lastnim_core::referee::{Record, TalkPrivacy};
use proptest::{collection::vec, prelude::*, sample::select};

/// A random match with talk, and the terms of its pacts.
fn any_match() -> impl Strategy<Value = TalkedMatch> {
    let deal = deals(2..=4, 1..=3, 1..=3);
    let seat_choices =
        (vec(prop::bool::weighted(0.8), 4), vec(prop::option::of(any::<prop::sample::Index>()), 4));
    let privacies = select(vec![TalkPrivacy::Open, TalkPrivacy::Published, TalkPrivacy::Private]);
    let refused = vec(prop::bool::weighted(0.2), 3);
    (deal, seat_choices, privacies, refused, any::<bool>()).prop_map(
        |((deal, pacts), (in_time, claims), privacy, refused, is_dealt)| {
            let mut talked = TalkedMatch::of_game(deal.dealt_game().clone());
            (talked.privacy, talked.is_dealt) = (privacy, is_dealt);
            let rows = deal.declared().rows().iter().map(row_offsets);
            talked.declared = rows.zip(in_time).map(|(row, is_in_time)| is_in_time.then_some(row)).collect();
            talked.pacts = pacts.into_iter().map(OfferedTerms::signed).collect();
            for (pact, refused) in talked.pacts.iter_mut().zip(refused) {
                pact.accepted.truncate(pact.accepted.len() - usize::from(refused));
            }
            let seats = deal.dealt().seats();
            for (seat, claim) in seats.iter().zip(claims) {
                if let Some(claim) = claim {
                    let claimed = Row::favouring(claim.index(seats.get()), seats);
                    talked.claims.push((seat.index(), row_offsets(&claimed), Vec::new()));
                }
            }
            talked
        },
    )
}

fn row_offsets(row: &Row) -> Vec<u64> {
    row.offsets().iter().map(|&offset| offset.into()).collect()
}

fn audit_talk(record: &Record) -> TalkAudit {
    TalkAudit::of_record(record, &mut Budget::of_steps(TalkAudit::STEP_LIMIT)).unwrap()
}

/// Compares the audit of a match with the definitions.
fn check_audit(talked: &TalkedMatch) {
    let found = audit_talk(&talked.play());
    let seats = talked.game.matrix.seats();
    let rows = talked.declared.iter().map(|row| match row {
        Some(offsets) => offsets.clone(),
        None => (0..seats.get() as u64).collect(),
    });
    let declared = orders_of(&AllianceMatrix::parse(&rows.collect::<Vec<_>>()).unwrap());
    let dealt = orders_of(&talked.game.matrix);
    let is_hidden = talked.privacy == TalkPrivacy::Private;
    let acceptances = talked.pacts.iter().map(|pact| pact.accepted.len());
    let hidden: usize = if is_hidden { talked.pacts.len() + acceptances.sum::<usize>() } else { 0 };
    assert_eq!(found.hidden_messages.iter().sum::<u32>() as usize, hidden);
    assert_eq!((found.allows_pacts, found.may_hide_pacts()), (true, hidden > 0));
    assert_eq!(found.has_dealt_rows, talked.is_dealt);
    let offered = if is_hidden { 0 } else { talked.pacts.len() };
    assert_eq!(found.offered.len(), offered);
    let is_signed = |pact: &&OfferedTerms| !is_hidden && pact.accepted.len() + 1 == pact.members.len();
    // Offers are in the order of the messages, and the pacts are offered in their order.
    let signed: Vec<_> = talked.pacts.iter().filter(is_signed).collect();
    assert_eq!(found.pacts.len(), signed.len());
    for (terms, pact) in signed.iter().zip(&found.pacts) {
        assert_eq!(pact.offer.seat.index(), terms.members[0].0);
        let mut members: PactTerms = terms.members.clone();
        members.sort();
        assert_eq!(pact.members.len(), members.len());
        let small = small_match(&talked.game);
        let mut kept = dealt.clone();
        for (member, relations) in &members {
            kept[*member] = nearest_keeping_order(*member, &dealt[*member], relations);
        }
        assert_eq!(pact.values.is_some(), talked.is_dealt);
        for (j, &value) in pact.values.iter().flat_map(|values| values.iter().enumerate()) {
            assert_eq!(
                value,
                signed_place(&dealt[j], small.winner(&dealt)) - signed_place(&dealt[j], small.winner(&kept))
            );
        }
        for ((i, relations), member) in members.iter().zip(&pact.members) {
            let word = match (&talked.declared[*i], has_relations(&declared[*i], relations)) {
                (None, _) => WordKept::Defaulted,
                (Some(_), true) => WordKept::Kept,
                (Some(_), false) => WordKept::Broken,
            };
            assert_eq!((member.seat.index(), member.word), (*i, word));
            let best = |with| small.best_place(&declared, *i, &dealt[*i], with);
            let temptation = talked.is_dealt.then(|| Ok((best(relations) - best(&[])) as u32));
            assert_eq!(member.temptation, temptation);
            assert_eq!(member.harms.is_some(), talked.is_dealt && word == WordKept::Broken);
            let without_breach =
                small.winner_with(&declared, *i, &nearest_keeping_order(*i, &declared[*i], relations));
            for (j, &harm) in member.harms.iter().flat_map(|harms| harms.iter().enumerate()) {
                let winner = small.winner(&declared);
                assert_eq!(harm, signed_place(&dealt[j], winner) - signed_place(&dealt[j], without_breach));
            }
        }
    }
    assert_eq!(found.claims.len(), talked.claims.len());
    for ((seat, row, _), claim) in talked.claims.iter().zip(&found.claims) {
        let claimed = order_of(*seat, &claim.row);
        assert_eq!((claim.seat.index(), claim.round, row_offsets(&claim.row)), (*seat, 0, row.clone()));
        assert_eq!(claim.from_dealt, talked.is_dealt.then(|| pair_distance(&claimed, &dealt[*seat])));
        let declared_in_time = talked.declared[*seat].is_some();
        assert_eq!(claim.from_declared, declared_in_time.then(|| pair_distance(&claimed, &declared[*seat])));
    }
}

proptest! {
    #![proptest_config(cases(600))]
    #[test]
    fn audits_of_talk_agree_with_the_definitions(talked in any_match()) {
        check_audit(&talked);
    }
}

/// Three seats on one pile of 2: seat 0 takes 2, so that seat 1 wins, or 1, so that seat 2 wins. Seat 0 wants seat 2 to
/// win, but promises to rank seat 1 before seat 2.
fn known_match() -> TalkedMatch {
    let rows: [&[u64]; 3] = [&[2, 1, 0], &[0, 1, 2], &[0, 1, 2]];
    let matrix = AllianceMatrix::parse(&rows.map(<[u64]>::to_vec)).unwrap();
    let piles = Piles::parse(&[2]).unwrap();
    let mut talked = TalkedMatch::of_game(Game::new(piles, matrix, 0, Ending::ToMoveWins).unwrap());
    talked.pacts = vec![OfferedTerms::signed(vec![(0, vec![(1, 2)]), (1, vec![])])];
    talked
}

fn words_kept(found: &TalkAudit) -> Vec<Vec<WordKept>> {
    found.pacts.iter().map(|pact| pact.members.iter().map(|member| member.word).collect()).collect()
}

#[test]
fn a_breach_is_measured() {
    let found = audit_talk(&known_match().play());
    let offers: Vec<_> = found.hidden_messages.seats().iter().map(|seat| found.offer_count(seat)).collect();
    assert_eq!(offers, [1, 0, 0]);
    assert_eq!(words_kept(&found), [[WordKept::Broken, WordKept::Kept]]);
    let [pact] = &found.pacts[..] else { panic!("{found:?}") };
    assert_eq!(pact.values.as_ref().unwrap().as_slice(), [-1, 1, -2]);
    let [seat_0, seat_1] = &pact.members[..] else { panic!("{pact:?}") };
    assert_eq!([seat_0.temptation, seat_1.temptation], [Some(Ok(1)), Some(Ok(0))]);
    assert_eq!(seat_0.harms.as_ref().unwrap().as_slice(), [-1, 1, -2]);
    assert_eq!(seat_1.harms, None);
}

#[test]
fn a_late_member_has_broken_nothing() {
    let mut talked = known_match();
    talked.declared[0] = None;
    assert_eq!(words_kept(&audit_talk(&talked.play())), [[WordKept::Defaulted, WordKept::Kept]]);
    // The standard row of seat 0 ranks seat 1 before seat 2.
    talked.pacts[0].members[0].1 = vec![(2, 1)];
    let found = audit_talk(&talked.play());
    assert_eq!(words_kept(&found), [[WordKept::Defaulted, WordKept::Kept]]);
    assert_eq!(found.pacts[0].members[0].harms, None);
    talked.claims = vec![(0, vec![2, 1, 0], vec![])];
    let claim = &audit_talk(&talked.play()).claims[0];
    assert_eq!((claim.from_dealt, claim.from_declared), (Some(0), None));
}

#[test]
fn contradictory_promises_are_reported() {
    let mut talked = known_match();
    talked.pacts.push(OfferedTerms::signed(vec![(2, vec![]), (0, vec![(2, 1)])]));
    let found = audit_talk(&talked.play());
    assert_eq!(words_kept(&found), [[WordKept::Broken, WordKept::Kept], [WordKept::Kept, WordKept::Kept]]);
    let [DoubleDealing { seat, pact: 1, earlier }] = &found.double_dealing[..] else { panic!("{found:?}") };
    assert_eq!((seat.index(), earlier.as_slice()), (0, &[0][..]));
    talked.pacts[1].accepted.clear();
    assert_eq!(audit_talk(&talked.play()).double_dealing, [], "nobody has signed the second pact");
}

#[test]
fn private_messages_hide_pacts_and_claims() {
    let mut talked = known_match();
    talked.privacy = TalkPrivacy::Private;
    talked.claims = vec![(2, vec![0, 1, 2], vec![0])];
    let found = audit_talk(&talked.play());
    assert_eq!((found.pacts.len(), found.claims.len(), found.offered.len()), (0, 0, 0));
    assert_eq!(found.hidden_messages.as_slice(), [1, 1, 1]);
    assert!(found.may_hide_pacts());
    (talked.pacts, talked.claims) = (Vec::new(), Vec::new());
    assert!(!audit_talk(&talked.play()).may_hide_pacts(), "nobody has sent a private message");
}

#[test]
fn temptations_are_unknown_once_the_budget_is_spent() {
    let found = TalkAudit::of_record(&known_match().play(), &mut Budget::of_steps(0)).unwrap();
    let member = &found.pacts[0].members[0];
    assert_eq!(member.temptation, Some(Err(HaltReason::OutOfSteps { limit: 0 })));
    assert_eq!(member.word, WordKept::Broken);
}

#[test]
fn a_match_without_a_winner_is_not_audited() {
    let record = known_match().play();
    let events = record.events();
    let open = Record::replay(record.id(), events[..events.len() - 1].to_vec()).unwrap();
    assert_eq!(TalkAudit::of_record(&open, &mut Budget::unbounded()), None);
}
