//! Tests the comparisons of takes in similar positions, and of answers to equal states, with bots whose habits are
//! known.

use super::*;

const ROWS: RowSource = RowSource::Declared;

fn field(habits: [Habit; 6], seed: u64) -> Field {
    let bots = habits.map(|habit| SimulatedBot(habit, None)).to_vec();
    Field { bots, seats: 3, rows: ROWS, seed }
}

fn audit(habits: [Habit; 6], groups: u64, seed: u64) -> BotFindings {
    let mut found = field(habits, seed).audit(groups, AuditSubject::Bot(bot_name(0)));
    found.bots.remove(0)
}

/// Returns the comparisons of takes of bot 0, which has this habit, after 150 groups against five other bots.
fn conditions(habit: Habit, seed: u64) -> Vec<ConditionFindings> {
    let others = [Habit::Errs(30), Habit::Greedy, Habit::Timid, Habit::Random, Habit::Errs(0)];
    let [one, two, three, four, five] = others;
    audit([habit, one, two, three, four, five], 150, seed).conditions
}

/// Returns how much a condition added to the share of errors, with the ends of the interval; `None` without an
/// interval.
fn added_errors(found: &[ConditionFindings], condition: &PlayCondition) -> Option<(f64, f64, f64)> {
    let found = found.iter().find(|found| found.condition == *condition)?;
    let Estimate { value, interval: EstimateInterval::Between { low, high } } = found.added_errors? else {
        return None;
    };
    assert!(found.plies > 0 && found.other_plies > 0 && low <= value && value <= high, "{found:?}");
    Some((value, low, high))
}

#[test]
fn bots_that_ignore_a_condition_rarely_seem_to_depend_on_it() {
    let habits =
        [Habit::Errs(10), Habit::Errs(40), Habit::Random, Habit::Greedy, Habit::Timid, Habit::PlaysFor(1)];
    let (mut missed, mut all) = (0, 0);
    for habit in habits {
        for seed in 0..10 {
            let found = conditions(habit, seed);
            for condition in [PlayCondition::Behind, PlayCondition::SecondHalf, PlayCondition::AfterNoon] {
                let Some((_, low, high)) = added_errors(&found, &condition) else { continue };
                all += 1;
                missed += u32::from(low > 0.0 || high < 0.0);
            }
        }
    }
    // With up to 180 intervals of 95%, nine are expected to miss 0.
    assert!(all > 150 && missed <= 9, "{missed} of {all} intervals missed 0");
}

#[test]
fn a_bot_that_errs_more_when_it_is_behind_is_found() {
    for seed in 0..5 {
        let found = conditions(Habit::ErrsBehind(5, 90), seed);
        let (value, low, _) = added_errors(&found, &PlayCondition::Behind).unwrap();
        assert!(low > 0.0 && value < 0.9, "{value}, at least {low}");
    }
}

#[test]
fn a_bot_that_learns_is_found() {
    for seed in 0..5 {
        let found = conditions(Habit::Learns(50, 75), seed);
        let (value, _, high) = added_errors(&found, &PlayCondition::SecondHalf).unwrap();
        assert!(high < 0.0 && value > -0.5, "{value}, at most {high}");
    }
}

#[test]
fn equal_programs_give_equal_answers() {
    let habits = [Habit::Greedy, Habit::Greedy, Habit::Timid, Habit::Random, Habit::Errs(0), Habit::Errs(50)];
    let found = audit(habits, 150, 1);
    let answers = |other: usize| {
        let found = found.answers.iter().find(|found| found.other == bot_name(other)).unwrap().answers;
        assert!(found.states > 20, "{other}: {found:?}");
        found
    };
    for same in [0, 1] {
        let found = answers(same);
        assert!((found.equal - 1.0).abs() < 1e-9 && found.by_chance < 0.5, "{same}: {found:?}");
    }
    for other in [2, 3, 4, 5] {
        let found = answers(other);
        assert!(found.equal < found.by_chance + 0.15, "{other}: {found:?}");
    }
}
