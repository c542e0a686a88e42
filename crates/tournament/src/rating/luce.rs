//! Maximum likelihood estimates of strengths from matches with one winner each.

use super::{information::TableInformation, tables::SeatedTables};
use lastnim_core::oracle::{Budget, HaltReason};

/// The number of virtual wins, and of virtual losses, of every bot against an opponent of strength 0.
///
/// Together they are one virtual draw. For a bot with one opponent, the draw is equivalent to Jeffreys' prior for a
/// coin: it removes most of the bias of estimates from few matches, and keeps the strength of a bot finite if it won or
/// lost every match. Sources: Firth, "Bias Reduction of Maximum Likelihood Estimates" (1993); Coulom, "Whole-History
/// Rating" (2008), for virtual draws.
pub(super) const VIRTUAL_RESULTS: f64 = 0.5;

/// Maximum number of Newton steps in one fit; a few steps are usually enough.
const MAX_STEPS: u32 = 100;
/// Maximum number of times that one Newton step is halved.
const MAX_HALVINGS: u32 = 50;
/// Conjugate gradients reduce the residual to this fraction in each Newton step; the next step corrects the rest.
const RESIDUAL_REDUCTION: f64 = 1e-2;
/// Sums of `e^theta` at a table are computed relative to the strongest of all bots, unless the sum would be smaller
/// than this and could lose precision.
const MIN_SUM: f64 = 1e-200;
/// The relative rounding error of the log likelihood. Close to the maximum, a step gains less than this.
const ROUNDING: f64 = 1e-12;

/// The sufficient statistics of the likelihood: wins by bot and matches by table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LuceStatistics {
    /// By bot: the weighted number of its wins.
    pub(super) wins: Vec<f64>,
    /// By table: the weighted number of its matches.
    pub(super) matches: Vec<f64>,
    /// By bot: its wins and losses against the virtual opponent.
    pub(super) virtual_results: Vec<[f64; 2]>,
}

impl LuceStatistics {
    /// Returns the statistics of the prior alone: only the virtual results.
    pub(super) fn prior_only(tables: &SeatedTables) -> Self {
        Self {
            wins: vec![0.0; tables.bot_count()],
            matches: vec![0.0; tables.len()],
            virtual_results: vec![[VIRTUAL_RESULTS; 2]; tables.bot_count()],
        }
    }
}

/// The log likelihood at given strengths, with its derivatives.
#[derive(Debug, Clone)]
pub(super) struct LuceLikelihood<'a> {
    log: f64,
    gradient: Vec<f64>,
    /// The negated matrix of second derivatives.
    information: TableInformation<'a>,
}

impl<'a> LuceLikelihood<'a> {
    /// Computes the log likelihood and its derivatives at the strengths `theta`.
    ///
    /// `log L = sum_i w_i theta_i - sum_T m_T log sum_(j in T) e^theta_j`, where bot i has won `w_i` matches and `m_T`
    /// matches were played at table T. Each bot also has a separate table with the virtual opponent. Source: Luce,
    /// "Individual Choice Behavior" (1959).
    pub(super) fn at_strengths(tables: &'a SeatedTables, statistics: &LuceStatistics, theta: &[f64]) -> Self {
        let mut log = 0.0;
        let mut gradient = statistics.wins.clone();
        let mut virtual_information = vec![0.0; tables.bot_count()];
        for (bot, (&theta, &[won, lost])) in theta.iter().zip(&statistics.virtual_results).enumerate() {
            let chance = 1.0 / (1.0 + (-theta).exp());
            let log_sum = theta.max(0.0) + (-theta.abs()).exp().ln_1p();
            log += (statistics.wins[bot] + won) * theta - (won + lost) * log_sum;
            gradient[bot] += won - (won + lost) * chance;
            virtual_information[bot] = (won + lost) * chance * (1.0 - chance);
        }
        let mut chances = vec![0.0; tables.seats()];
        // Strengths are relative to the greatest one, so that nothing overflows.
        let greatest = theta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = theta.iter().map(|theta| (theta - greatest).exp()).collect();
        for ((table, seats), &matches) in tables.iter_with_seats().zip(&statistics.matches) {
            let chances = &mut chances[seats];
            let (mut base, mut sum) = (greatest, 0.0);
            for (&bot, chance) in table.iter().zip(&mut *chances) {
                *chance = powers[bot as usize];
                sum += *chance;
            }
            if sum < MIN_SUM {
                (base, sum) = set_relative_powers(table, theta, chances);
            }
            log -= matches * (base + sum.ln());
            for (&bot, chance) in table.iter().zip(chances) {
                *chance /= sum;
                gradient[bot as usize] -= matches * *chance;
            }
        }
        let weights = statistics.matches.clone();
        let information = TableInformation::new(tables, weights, chances, virtual_information);
        Self { log, gradient, information }
    }

    /// Returns the Fisher information. It is the covariance of the gradient if the model is right, the matches are
    /// independent, and the strengths are the true ones.
    pub(super) fn information(&self) -> &TableInformation<'a> {
        &self.information
    }
}

/// Sets `chances` to `e^theta` of each bot at a table, relative to the strongest of them; returns the greatest strength
/// and the sum of `chances`.
fn set_relative_powers(table: &[u32], theta: &[f64], chances: &mut [f64]) -> (f64, f64) {
    let greatest = table.iter().map(|&bot| theta[bot as usize]).fold(f64::NEG_INFINITY, f64::max);
    for (&bot, chance) in table.iter().zip(&mut *chances) {
        *chance = (theta[bot as usize] - greatest).exp();
    }
    (greatest, chances.iter().sum())
}

/// Finds the strengths that maximise the likelihood; the last step changes them by at most `tolerance`.
///
/// Thanks to the virtual results, the log likelihood is strictly concave and has a maximum. So Newton's method finds it
/// from any start, if each step is halved until it raises the likelihood.
pub(super) fn maximise_likelihood(
    tables: &SeatedTables,
    statistics: &LuceStatistics,
    start: &[f64],
    tolerance: f64,
    budget: &mut Budget,
) -> Result<Vec<f64>, HaltReason> {
    let mut theta = start.to_vec();
    budget.spend(tables.steps())?;
    let mut here = LuceLikelihood::at_strengths(tables, statistics, &theta);
    for _ in 0..MAX_STEPS {
        let step = here.information.solve(&here.gradient, RESIDUAL_REDUCTION, budget)?;
        let greatest = step.iter().map(|step| step.abs()).fold(0.0, f64::max);
        if greatest <= tolerance {
            // Over such a short distance the derivatives hardly change, so Newton's step raises the likelihood and
            // needs no check.
            budget.spend(tables.steps())?;
            theta.iter_mut().zip(&step).for_each(|(theta, step)| *theta += step);
            break;
        }
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let there: Vec<f64> =
                theta.iter().zip(&step).map(|(theta, step)| theta + length * step).collect();
            budget.spend(tables.steps())?;
            let likelihood = LuceLikelihood::at_strengths(tables, statistics, &there);
            if likelihood.log >= here.log - ROUNDING * (1.0 + here.log.abs()) {
                (theta, here) = (there, likelihood);
                break;
            }
            length /= 2.0;
        }
    }
    Ok(theta)
}
