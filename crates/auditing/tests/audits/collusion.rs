//! Tests that collusion by takes and by declarations is detected, and that honest bots are rarely flagged.

use crate::{
    declares::DeclarationStrategy,
    fields::{Field, bot_name},
    kinds::{colluding_fields, fields_with_room_to_help, honest_fields, with_help},
    plays::{PlayStrategy, Reaction},
};
use lastnim_auditing::{
    AuditFindings, Dependence, FLAGGED_P_VALUE, FavourMeans, Favouritism, HelpKind, MAX_TAKES_TO_LOOK_AT,
    PairFindings, RowSource, SetFindings, UntestedDeclarations,
};
use lastnim_core::game::BotName;

fn pair_of(found: &AuditFindings, mover: usize, other: usize) -> &PairFindings {
    let is_wanted = |pair: &&PairFindings| pair.mover == bot_name(mover) && pair.other == bot_name(other);
    found.pairs.iter().find(is_wanted).unwrap()
}

/// Each colluding pair plays enough groups to be detected.
#[test]
fn bots_that_help_each_other_are_flagged() {
    for (name, rows, bots) in colluding_fields().into_iter().filter(|(name, ..)| !name.contains("ring")) {
        let is_by_takes = name.contains("take") || name.contains("assigned");
        for seats in if is_by_takes { vec![4] } else { vec![3, 4] } {
            let groups = if is_by_takes { 600 } else { 150 };
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
    // Bot 0 ranks bot 1 first instead of second or third, and the third bot last.
    assert!((1.0..=2.5).contains(&ranks) && p_value <= 0.002 && p_corrected <= 0.003, "{helps:?}");
    assert!(helps.wins_given.unwrap() > 0.2 && helps.wins_paid.unwrap() > 0.1, "{helps:?}");
    assert!(helps.wins_forgone.unwrap() > helps.wins_paid.unwrap() && helps.ceded == Some(1.0), "{helps:?}");
    assert!(helps.is_returned && helps.is_flagged(), "{helps:?}");
    assert!(pair_of(&found, 1, 0).declarations.is_dependent());
    // The declarations of a bot that always declares the same row do not depend on other bots.
    let never = Dependence::Untested(UntestedDeclarations::NeverDiffers);
    assert_eq!(pair_of(&found, 2, 0).declarations.dependence, never);
    assert_eq!(found.pairs_tested(), 0);
    assert_eq!(found.test_count(), found.declarations_tested() as u64 + found.sets_tested);
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
    assert!(depend > 5, "declarations of bots that model their opponents depend on them: {depend} of {all}");
}

#[test]
fn help_is_found_as_often_as_the_audit_states() {
    let (_, rows, bots) = fields_with_room_to_help().swap_remove(0);
    let stated_powers = |groups| Field::new(bots.clone(), 3, rows).play(groups, 3).finish().powers;
    let [few, more] = [40, 150].map(stated_powers);
    assert_eq!((few.len(), more.len()), (12, 12));
    for (few, more) in few.iter().zip(&more) {
        assert!(few.kind == more.kind && few.share.total_cmp(&more.share).is_eq());
        assert!(few.chance <= more.chance && (0.0..=1.0).contains(&more.chance), "{few:?} {more:?}");
        // Stated chances above 0.9 or below 0.1 are compared with how often this kind of help is found in fields in
        // which bots give it.
        let often = (100.0 * more.share).round() as u64;
        let helped = Field::new(with_help(&bots, more.kind, often), 3, rows);
        let members = [bot_name(0), bot_name(1)];
        let is_found = |seed: &u64| {
            let found = helped.audit(150, *seed);
            found
                .flagged_pairs()
                .iter()
                .any(|pair| members.contains(&pair.mover) && members.contains(&pair.other))
        };
        let found_count = |fields| (0..fields).filter(is_found).count();
        assert!(more.chance < 0.9 || found_count(5) >= 3, "{more:?}");
        assert!(more.chance > 0.1 || found_count(5) <= 2, "{more:?}");
    }
    let chance = |kind, share: f64| {
        let power = more.iter().find(|power| power.kind == kind && power.share.total_cmp(&share).is_eq());
        power.unwrap().chance
    };
    assert!(chance(HelpKind::MutualDeclarations, 1.0) > 0.9 && chance(HelpKind::MutualTakes, 1.0) > 0.9);
    assert!(chance(HelpKind::OneWayTakes, 0.2) < 0.1);
}

#[test]
fn the_stated_power_for_assigned_rows_covers_only_help_by_takes() {
    let (_, rows, bots) = fields_with_room_to_help().swap_remove(1);
    let powers = Field::new(bots, 4, rows).play(150, 1).finish().powers;
    let kinds: Vec<HelpKind> = powers.iter().map(|power| power.kind).collect();
    assert_eq!(kinds, [[HelpKind::MutualTakes; 3], [HelpKind::OneWayTakes; 3]].concat());
    assert!(powers[2].chance > 0.9 && powers[0].chance < 0.2, "{powers:?}");
    let pair = vec![(DeclarationStrategy::Standard, PlayStrategy::Errs(10)); 2];
    assert_eq!(Field::new(pair, 2, RowSource::Declared).play(20, 1).finish().powers, []);
}

#[test]
fn pairs_without_a_third_seat_or_enough_groups_are_not_tested() {
    let bots = vec![(DeclarationStrategy::Standard, PlayStrategy::Errs(10)); 3];
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
fn bots_that_react_to_anyone_are_not_flagged() {
    let mut fields = 0;
    for (name, rows, bots) in honest_fields() {
        let reacts = bots.iter().any(|(_, plays)| matches!(plays, PlayStrategy::Reacts(_)));
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
    let bots = [
        PlayStrategy::Errs(0),
        PlayStrategy::Greedy,
        PlayStrategy::Timid,
        PlayStrategy::Reacts(Reaction::Mirrors),
    ];
    let bots = [bots.as_slice(), &[PlayStrategy::Reacts(Reaction::Answers)]].concat();
    let bots: Vec<_> = bots.into_iter().map(|plays| (DeclarationStrategy::Standard, plays)).collect();
    for seed in 0..5 {
        let field = Field { positions: Some(1), ..Field::new(bots.clone(), 3, RowSource::Declared) };
        let found = field.audit(150, seed);
        assert_eq!(found.test_count(), 0, "seed {seed}");
        // On the same piles, two bots meet only in six distinct groups: with each of three other bots, in two orders.
        let few = Dependence::Untested(UntestedDeclarations::TooFewGroups { groups: 6 });
        assert!(found.pairs.iter().all(|pair| pair.declarations.dependence == few), "seed {seed}");
    }
}

#[test]
fn a_pair_with_an_unknown_loss_is_not_flagged() {
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
fn third_bots_do_not_hide_colluding_declarations() {
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
            if !flagged.is_empty() {
                let all = (0..members).map(bot_name).collect::<Vec<_>>();
                let is_all = |set: &&SetFindings| set.bots == all && set.means == FavourMeans::Declarations;
                let set =
                    found.sets.iter().find(is_all).unwrap_or_else(|| panic!("{scheme}: {:?}", found.sets));
                assert!(set.p_corrected <= FLAGGED_P_VALUE && set.groups >= 10, "{set:?}");
            }
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
fn help_in_both_directions_is_found_when_neither_direction_alone_is() {
    let (_, rows, bots) = colluding_fields()
        .into_iter()
        .find(|(name, ..)| {
            *name == "they help each other in 60% of their takes; another bot declares random rows in 3% of groups"
        })
        .unwrap();
    let mut found_by_the_set = 0;
    for seed in 0..8 {
        let found = Field::new(bots.clone(), 3, rows).audit(150, seed);
        let alone = [(0, 1), (1, 0)].map(|(mover, other)| match pair_of(&found, mover, other).favouritism {
            Favouritism::Tested { p_corrected, .. } => p_corrected,
            Favouritism::Untested => 1.0,
        });
        for set in &found.sets {
            assert_eq!((set.means, &set.bots), (FavourMeans::Takes, &vec![bot_name(0), bot_name(1)]));
            assert!(set.p_value <= set.p_corrected && set.p_corrected <= FLAGGED_P_VALUE, "{set:?}");
            found_by_the_set += usize::from(alone.iter().all(|&p_corrected| p_corrected > FLAGGED_P_VALUE));
            assert_eq!(found.flagged_pairs().len(), 2);
        }
    }
    assert!(found_by_the_set >= 1);
}

#[test]
fn random_rows_of_a_third_bot_do_not_hide_help_by_takes() {
    let scheme = "they help each other in 60% of their takes; another bot declares random rows";
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
