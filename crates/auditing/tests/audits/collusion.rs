//! Collusion by declaration is detected, and honest bots are rarely flagged.

use crate::{
    declares::Declares,
    fields::{Field, bot_name},
    kinds::{colluding_fields, honest_fields},
    plays::{Plays, Reaction},
};
use lastnim_auditing::{
    AuditFindings, Dependence, Favouritism, MAX_TAKES_TO_LOOK_AT, PairFindings, RowSource,
    UntestedDeclarations,
};
use lastnim_core::game::BotName;

fn pair_of(found: &AuditFindings, mover: usize, other: usize) -> &PairFindings {
    let is_wanted = |pair: &&PairFindings| pair.mover == bot_name(mover) && pair.other == bot_name(other);
    found.pairs.iter().find(is_wanted).unwrap()
}

/// Colluding pairs, with enough groups to detect them.
#[test]
fn bots_that_help_each_other_are_flagged() {
    for (name, rows, bots) in colluding_fields().into_iter().filter(|(name, ..)| !name.contains("ring")) {
        let by_takes = name.contains("take") || name.contains("assigned");
        for seats in if by_takes { vec![4] } else { vec![3, 4] } {
            let groups = if by_takes { 600 } else { 150 };
            let found = Field::new(bots.clone(), seats, rows).audit(groups, 7);
            let flagged = found.flagged_pairs();
            assert!(!flagged.is_empty(), "{name}, {seats} seats");
            for pair in &flagged {
                let the_two = [bot_name(0), bot_name(1)];
                assert!(the_two.contains(&pair.mover) && the_two.contains(&pair.other), "{name}: {pair:?}");
            }
        }
    }
}

#[test]
fn findings_include_gain_and_cost() {
    let (_, rows, bots) = colluding_fields().swap_remove(0);
    let found = Field::new(bots, 3, rows).audit(60, 1);
    let helps = pair_of(&found, 0, 1).declarations;
    let Dependence::Tested { ranks, p_value, p_corrected } = helps.dependence else { panic!("{helps:?}") };
    // It ranks the other first instead of second or third, and the third bot last.
    assert!((1.0..=2.5).contains(&ranks) && p_value <= 0.002 && p_corrected <= 0.003, "{helps:?}");
    assert!(helps.wins_given.unwrap() > 0.2 && helps.wins_paid.unwrap() > 0.1, "{helps:?}");
    assert!(helps.wins_forgone.unwrap() > helps.wins_paid.unwrap() && helps.ceded == Some(1.0), "{helps:?}");
    assert!(helps.is_returned && helps.is_flagged(), "{helps:?}");
    assert!(pair_of(&found, 1, 0).declarations.is_dependent());
    // The declarations of a bot that always declares the same row do not depend on other bots.
    let never = Dependence::Untested(UntestedDeclarations::NeverDiffers);
    assert_eq!(pair_of(&found, 2, 0).declarations.dependence, never);
    assert_eq!(found.test_count(), found.declarations_tested());
}

#[test]
fn honest_declarations_are_rarely_flagged() {
    let (mut flagged, mut depend, mut all) = (Vec::new(), 0, 0);
    for (name, rows, bots) in honest_fields() {
        for seats in [3, 4] {
            let seed = seats as u64;
            let found = Field::new(bots.clone(), seats, rows).audit(80, seed);
            all += 1;
            depend += usize::from(found.pairs.iter().any(|pair| pair.declarations.is_dependent()));
            flagged.extend((!found.flagged_pairs().is_empty()).then_some((name, seats)));
        }
    }
    assert!(all > 60 && flagged.len() * 20 <= all, "{flagged:?} of {all}");
    assert!(depend > 5, "opponents that are modelled are depended on: {depend} of {all}");
}

#[test]
fn fewer_groups_have_less_power_and_help_is_detected_as_predicted() {
    let (_, rows, mut bots) = honest_fields().swap_remove(0);
    let share = |groups| {
        let honest = Field::new(bots.clone(), 3, rows).audit(groups, 3);
        pair_of(&honest, 0, 1).declarations.detectable_share
    };
    let [few, more] = [60, 150].map(share);
    assert!(few > more && more.is_some(), "{few:?} {more:?}");
    bots[0].0 = Declares::Helps(1, ((100.0 * more.unwrap()).round() as i64).unsigned_abs());
    let field = Field::new(bots, 3, rows);
    let found =
        (0..10).filter(|&seed| pair_of(&field.audit(150, seed), 0, 1).declarations.is_dependent()).count();
    // 8 are expected.
    assert!(found >= 4, "{found} of 10");
}

#[test]
fn assigned_rows_are_not_tested() {
    let bots = vec![(Declares::Standard, Plays::Errs(10)); 3];
    let found = Field::new(bots.clone(), 2, RowSource::Declared).audit(20, 1);
    let why = |pair: &PairFindings| pair.declarations.dependence;
    assert!(
        found.pairs.iter().all(|pair| why(pair) == Dependence::Untested(UntestedDeclarations::NoThirdSeat))
    );
    let found = Field::new(bots, 3, RowSource::Declared).audit(9, 1);
    let few = UntestedDeclarations::TooFewGroups { groups: 9 };
    assert!(found.pairs.iter().all(|pair| why(pair) == Dependence::Untested(few)));
}

#[test]
fn bots_that_react_without_knowing_anybody_are_not_flagged() {
    let mut fields = 0;
    for (name, rows, bots) in honest_fields() {
        let reacts = bots.iter().any(|(_, plays)| matches!(plays, Plays::Reacts(_)));
        for (seats, seed) in [(3, 1), (3, 2), (4, 3)].into_iter().filter(|_| reacts) {
            let found = Field::new(bots.clone(), seats, rows).audit(200, seed);
            assert_eq!(found.flagged_pairs(), Vec::<&PairFindings>::new(), "{name}, {seats} seats");
            fields += 1;
        }
    }
    assert!(fields > 40, "{fields}");
}

#[test]
fn repeated_groups_count_once() {
    let bots = [Plays::Errs(0), Plays::Greedy, Plays::Timid, Plays::Reacts(Reaction::Mirrors)];
    let bots = [bots.as_slice(), &[Plays::Reacts(Reaction::Answers)]].concat();
    let bots: Vec<_> = bots.into_iter().map(|plays| (Declares::Standard, plays)).collect();
    for seed in 0..5 {
        let field = Field { positions: Some(1), ..Field::new(bots.clone(), 3, RowSource::Declared) };
        let found = field.audit(150, seed);
        assert_eq!(found.test_count(), 0, "seed {seed}");
        // With each of three other bots, in two orders.
        let few = Dependence::Untested(UntestedDeclarations::TooFewGroups { groups: 6 });
        assert!(found.pairs.iter().all(|pair| pair.declarations.dependence == few), "seed {seed}");
    }
}

#[test]
fn an_unknown_loss_flags_nothing() {
    let takes = |own_loss| Favouritism::Tested {
        per_error: 1.0,
        p_value: 0.001,
        p_corrected: 0.001,
        own_loss,
        is_returned: true,
    };
    assert!(takes(Some(1.0)).is_flagged());
    assert!(!takes(Some(0.1)).is_flagged() && !takes(None).is_flagged());
}

#[test]
fn third_bots_do_not_hide_an_agreement() {
    let schemes = [
        ("a ring of three declare themselves, then each other", 3),
        ("each declares itself, then the other; a third declares one of them", 2),
    ];
    for (scheme, members) in schemes {
        let (_, rows, bots) = colluding_fields().into_iter().find(|(name, ..)| *name == scheme).unwrap();
        let mut fields = 0;
        for seed in 0..3 {
            let found = Field::new(bots.clone(), 3, rows).audit(150, seed);
            let flagged = found.flagged_pairs();
            fields += usize::from(!flagged.is_empty());
            for pair in flagged {
                let is_member = |bot: &BotName| (0..members).any(|member| *bot == bot_name(member));
                assert!(is_member(&pair.mover) && is_member(&pair.other), "{scheme}: {pair:?}");
                assert!(!pair.matches_to_look_at.is_empty(), "{pair:?}");
            }
        }
        assert!(fields >= 2, "{scheme}: {fields} of 3");
    }
}

#[test]
fn random_rows_of_a_third_bot_do_not_hide_help_by_takes() {
    let scheme = "they take for each other in 60% of takes, beside random rows";
    let (_, rows, bots) = colluding_fields().into_iter().find(|(name, ..)| *name == scheme).unwrap();
    let mut fields = 0;
    for seed in 0..3 {
        let found = Field::new(bots.clone(), 4, rows).audit(150, seed);
        let flagged = found.flagged_pairs();
        fields += usize::from(!flagged.is_empty());
        for pair in flagged {
            assert!((5..=MAX_TAKES_TO_LOOK_AT).contains(&pair.takes_to_look_at.len()), "{pair:?}");
            assert!(pair.takes_to_look_at.iter().all(|take| take.gainer == pair.other && take.gain > 0));
        }
    }
    assert!(fields >= 2, "{fields} of 3");
}
