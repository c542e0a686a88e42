//! The most likely strengths of bots whose matches have one winner.

use super::{information::TableInformation, tables::SeatedTables};
use lastnim_core::oracle::{Budget, HaltReason};

/// The wins, and the losses, that every bot is taken to have against a virtual opponent of strength 0.
///
/// One virtual draw is to a bot with one opponent what Jeffreys' prior is to a coin: it takes away most of the bias of few
/// matches, and keeps a bot that won or lost everything at a finite place. Sources: Firth, "Bias Reduction of Maximum
/// Likelihood Estimates" (1993); as virtual draws in Coulom, "Whole-History Rating" (2008).
pub(super) const VIRTUAL: f64 = 0.5;

/// The most Newton steps of one fit; a handful is usual.
const MAX_STEPS: u32 = 100;
/// The most times that one Newton step is halved.
const MAX_HALVINGS: u32 = 50;
/// How much smaller conjugate gradients make the residual of a Newton step: the next step takes care of what is left.
const REDUCTION: f64 = 1e-2;
/// The least sum of a table whose bots are as many digits apart beside the best of all bots as beside the best of the table.
const LEAST_SUM: f64 = 1e-200;
/// What rounding may take from a logarithm of the likelihood, as a part of it: close to the top a climb is less.
const ROUNDING: f64 = 1e-12;

/// How often who won, and how often which table sat: all that the likelihood depends on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LuceStatistics {
    /// By bot: its wins.
    pub(super) wins: Vec<f64>,
    /// By table: its matches.
    pub(super) matches: Vec<f64>,
    /// By bot: its wins and losses against the virtual opponent.
    pub(super) virtual_results: Vec<[f64; 2]>,
}

impl LuceStatistics {
    /// Returns what is known before the first match: the virtual results.
    pub(super) fn prior_only(tables: &SeatedTables) -> Self {
        Self {
            wins: vec![0.0; tables.bots()],
            matches: vec![0.0; tables.len()],
            virtual_results: vec![[VIRTUAL; 2]; tables.bots()],
        }
    }
}

/// The logarithm of the likelihood at one place, and its derivatives there.
#[derive(Debug, Clone)]
pub(super) struct LuceLikelihood<'a> {
    log: f64,
    gradient: Vec<f64>,
    /// The negated matrix of second derivatives.
    information: TableInformation<'a>,
}

impl<'a> LuceLikelihood<'a> {
    /// Works out the likelihood of strengths.
    ///
    /// `log L = sum_i w_i theta_i - sum_T m_T log sum_(j in T) e^theta_j`, where bot i has won `w_i` matches and `m_T` were
    /// played at table T; each bot has a table with the virtual opponent. Source: Luce, "Individual Choice Behavior" (1959).
    pub(super) fn at_strengths(tables: &'a SeatedTables, statistics: &LuceStatistics, theta: &[f64]) -> Self {
        let mut log = 0.0;
        let mut gradient = statistics.wins.clone();
        let mut virtual_information = vec![0.0; tables.bots()];
        for (bot, (&theta, &[won, lost])) in theta.iter().zip(&statistics.virtual_results).enumerate() {
            let chance = 1.0 / (1.0 + (-theta).exp());
            let log_sum = theta.max(0.0) + (-theta.abs()).exp().ln_1p();
            log += (statistics.wins[bot] + won) * theta - (won + lost) * log_sum;
            gradient[bot] += won - (won + lost) * chance;
            virtual_information[bot] = (won + lost) * chance * (1.0 - chance);
        }
        let mut chances = vec![0.0; tables.seats()];
        // Taken from the greatest, no strength overflows.
        let greatest = theta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = theta.iter().map(|theta| (theta - greatest).exp()).collect();
        for ((table, seats), &matches) in tables.iter_with_seats().zip(&statistics.matches) {
            let chances = &mut chances[seats];
            let (mut base, mut sum) = (greatest, 0.0);
            for (&bot, chance) in table.iter().zip(&mut *chances) {
                *chance = powers[bot as usize];
                sum += *chance;
            }
            if sum < LEAST_SUM {
                (base, sum) = table_chances(table, theta, chances);
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

    /// Returns the information. Of a gradient, as it would be if the model were right, the matches independent, and this place
    /// the true one, it is the covariance.
    pub(super) fn information(&self) -> &TableInformation<'a> {
        &self.information
    }
}

/// Works out what `e^theta` of the bots of a table is beside that of the best of them; returns the strength of that one, and the sum.
fn table_chances(table: &[u32], theta: &[f64], chances: &mut [f64]) -> (f64, f64) {
    let greatest = table.iter().map(|&bot| theta[bot as usize]).fold(f64::NEG_INFINITY, f64::max);
    for (&bot, chance) in table.iter().zip(&mut *chances) {
        *chance = (theta[bot as usize] - greatest).exp();
    }
    (greatest, chances.iter().sum())
}

/// Finds the strengths that make the statistics most likely, up to `tolerance`, the greatest change of the last step.
///
/// With the virtual results the logarithm of the likelihood is strictly concave and falls to both sides, so that there is
/// one such place, and Newton's method with steps that are halved until they climb finds it from anywhere.
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
        let step = here.information.solve(&here.gradient, REDUCTION, budget)?;
        let greatest = step.iter().map(|step| step.abs()).fold(0.0, f64::max);
        if greatest <= tolerance {
            // Over so short a way the derivatives hardly change, and Newton's step climbs: that need not be looked at.
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
