//! Collusion by declaration is detected, and honest bots are rarely flagged.

use crate::{
    declares::Declares,
    fields::{Field, bot_name},
    kinds::{colluding_fields, honest_fields},
    plays::Plays,
};
use lastnim_auditing::{AuditFindings, Dependence, PairFindings, RowSource, UntestedDeclarations};

fn pair_of(found: &AuditFindings, mover: usize, other: usize) -> &PairFindings {
    let is_wanted = |pair: &&PairFindings| pair.mover == bot_name(mover) && pair.other == bot_name(other);
    found.pairs.iter().find(is_wanted).unwrap()
}

/// Colluding fields, with enough groups to detect them.
#[test]
fn bots_that_help_each_other_are_flagged() {
    for (name, rows, bots) in colluding_fields() {
        for seats in [3, 4] {
            let groups = if name.contains("take") || name.contains("assigned") { 600 } else { 150 };
            let found = Field { bots: bots.clone(), seats, rows }.audit(groups, 7);
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
    let found = Field { bots, seats: 3, rows }.audit(60, 1);
    let helps = pair_of(&found, 0, 1).declarations;
    let Dependence::Tested { ranks, p_value, p_corrected } = helps.dependence else { panic!("{helps:?}") };
    // It ranks the other first instead of second or third, and the third bot last.
    assert!((1.0..=2.5).contains(&ranks) && p_value <= 0.002 && p_corrected <= 0.01, "{helps:?}");
    assert!(helps.wins_given.unwrap() > 0.2 && helps.wins_paid.unwrap() > 0.1, "{helps:?}");
    assert!(helps.wins_forgone.unwrap() > helps.wins_paid.unwrap() && helps.ceded == Some(1.0), "{helps:?}");
    assert!(helps.is_returned && helps.is_flagged(), "{helps:?}");
    assert!(pair_of(&found, 1, 0).declarations.is_dependent());
    // A bot that always declares the same row depends on nobody.
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
            let found = Field { bots: bots.clone(), seats, rows }.audit(80, seed);
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
        let honest = Field { bots: bots.clone(), seats: 3, rows }.audit(groups, 3);
        pair_of(&honest, 0, 1).declarations.detectable_share
    };
    let [few, more] = [60, 150].map(share);
    assert!(few > more && more.is_some(), "{few:?} {more:?}");
    bots[0].0 = Declares::Helps(1, ((100.0 * more.unwrap()).round() as i64).unsigned_abs());
    let field = Field { bots, seats: 3, rows };
    let found =
        (0..10).filter(|&seed| pair_of(&field.audit(150, seed), 0, 1).declarations.is_dependent()).count();
    // 8 are expected.
    assert!(found >= 4, "{found} of 10");
}

#[test]
fn assigned_rows_are_not_tested() {
    let bots = vec![(Declares::Standard, Plays::Errs(10)); 3];
    let found = Field { bots: bots.clone(), seats: 2, rows: RowSource::Declared }.audit(20, 1);
    let why = |pair: &PairFindings| pair.declarations.dependence;
    assert!(
        found.pairs.iter().all(|pair| why(pair) == Dependence::Untested(UntestedDeclarations::NoThirdSeat))
    );
    let found = Field { bots, seats: 3, rows: RowSource::Declared }.audit(9, 1);
    let few = UntestedDeclarations::TooFewGroups { groups: 9 };
    assert!(found.pairs.iter().all(|pair| why(pair) == Dependence::Untested(few)));
}
