//! A model's stated plans, compared with its later takes.

use lastnim_auditing::WinnerChoice;
use lastnim_core::game::Seat;
use lastnim_proto::pb;

/// A plan that a model stated with a take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatedPlan {
    /// The number of the take, from 0.
    pub ply: u32,
    /// The seat that the model said it would try to make win from this take on.
    pub planned: Seat,
    /// The winner under optimal play after the take.
    pub expected_winner: Seat,
}

/// Counts of stated plans. A plan holds until the take with which the model states its next plan. Until then, each
/// choice that could make the planned seat win tests the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlanTally {
    stated: u64,
    led: u64,
    kept: u64,
    broken: u64,
}

impl PlanTally {
    /// Adds a match: the plans in the order of their takes, and the model's choices by its own takes.
    pub fn add_match(&mut self, plans: &[StatedPlan], choices: &[WinnerChoice]) {
        for (number, plan) in plans.iter().enumerate() {
            let end = plans.get(number + 1).map_or(u32::MAX, |next| next.ply);
            let later = choices.iter().filter(|choice| plan.ply < choice.ply && choice.ply <= end);
            let tests: Vec<bool> = later
                .filter(|choice| choice.available.contains(plan.planned))
                .map(|choice| choice.chosen == plan.planned)
                .collect();
            self.stated += 1;
            self.led += u64::from(plan.expected_winner == plan.planned);
            self.broken += u64::from(tests.contains(&false));
            self.kept += u64::from(!tests.is_empty() && !tests.contains(&false));
        }
    }

    /// Makes the message; `None` if the model stated no plan.
    pub fn to_message(self) -> Option<pb::PlanFigures> {
        let Self { stated, led, kept, broken } = self;
        (stated > 0).then_some(pb::PlanFigures { stated, led, kept, broken })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::{SeatCount, SeatSet};

    #[test]
    fn a_plan_is_tested_until_the_take_with_the_next_plan() {
        let [zero, one, two] = [0, 1, 2].map(|seat| SeatCount::new(3).unwrap().seat(seat).unwrap());
        let plan = |ply, planned, expected_winner| StatedPlan { ply, planned, expected_winner };
        let choice = |ply, chosen, others: &[Seat]| {
            let mut available = SeatSet::default();
            for &seat in [chosen].iter().chain(others) {
                available.insert(seat);
            }
            WinnerChoice { ply, is_optimal: true, chosen, available }
        };
        for (plans, choices, [stated, led, kept, broken]) in [
            (vec![], vec![choice(0, one, &[two])], [0, 0, 0, 0]),
            // A plan is not tested by the take that states it, nor by a take that cannot make the planned seat win.
            (vec![plan(3, one, two)], vec![choice(3, two, &[one]), choice(6, two, &[zero])], [1, 0, 0, 0]),
            (vec![plan(0, one, one)], vec![choice(3, one, &[two]), choice(6, one, &[zero])], [1, 1, 1, 0]),
            (vec![plan(0, one, one)], vec![choice(3, one, &[two]), choice(6, zero, &[one])], [1, 1, 0, 1]),
            // The take that states the second plan breaks the first one; later takes test only the second.
            (
                vec![plan(0, one, one), plan(3, two, two)],
                vec![choice(3, two, &[one]), choice(6, two, &[one])],
                [2, 2, 1, 1],
            ),
        ] {
            let mut tally = PlanTally::default();
            tally.add_match(&plans, &choices);
            assert_eq!(tally, PlanTally { stated, led, kept, broken }, "{plans:?} {choices:?}");
            assert_eq!(tally.to_message().is_some(), stated > 0);
        }
    }
}
