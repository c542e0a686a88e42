//! The Fisher information that matches give about strengths.

use super::{random_signs::RandomSigns, tables::SeatedTables};
use crate::SeededDraw;
use lastnim_core::oracle::{Budget, HaltReason};

/// The information that matches give about strengths: the matrix `sum_T w_T (diag(p_T) - p_T p_T^T) + diag(r)`, where
/// `w_T` is the weight of table T, `p_T` are the shares of its bots, which sum to 1, and `r` is the prior. The matrix
/// is never stored, because only its products with vectors are needed.
#[derive(Debug, Clone)]
pub(super) struct TableInformation<'a> {
    tables: &'a SeatedTables,
    /// By table: its weight `w`.
    weights: Vec<f64>,
    /// By seat, for one table after another: the share `p` of its bot.
    shares: Vec<f64>,
    /// By bot: its prior `r`, greater than 0.
    prior: Vec<f64>,
    diagonal: Vec<f64>,
}

impl<'a> TableInformation<'a> {
    /// Creates the information of tables from a weight for each table, a share for each seat of each table, and a prior
    /// for each bot.
    pub(super) fn new(
        tables: &'a SeatedTables,
        weights: Vec<f64>,
        shares: Vec<f64>,
        prior: Vec<f64>,
    ) -> Self {
        let mut diagonal = prior.clone();
        for ((table, seats), weight) in tables.iter_with_seats().zip(&weights) {
            for (&bot, share) in table.iter().zip(&shares[seats]) {
                diagonal[bot as usize] += weight * share * (1.0 - share);
            }
        }
        Self { tables, weights, shares, prior, diagonal }
    }

    /// Returns the diagonal of the matrix.
    pub(super) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Multiplies the matrix by a vector.
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = self.prior.iter().zip(vector).map(|(r, v)| r * v).collect();
        for ((table, seats), &weight) in self.tables.iter_with_seats().zip(&self.weights) {
            let shares = &self.shares[seats];
            // The loops are unrolled if the compiler knows the number of seats.
            match table.len() {
                2 => add_table_product::<2>(table, shares, weight, vector, &mut product),
                3 => add_table_product::<3>(table, shares, weight, vector, &mut product),
                4 => add_table_product::<4>(table, shares, weight, vector, &mut product),
                _ => add_long_table_product(table, shares, weight, vector, &mut product),
            }
        }
        product
    }

    /// Returns a source of random vectors whose mean is 0 and whose covariance is this matrix.
    pub(super) fn noise(&self) -> TableNoise<'_> {
        let seats = self.tables.iter_with_seats().zip(&self.weights);
        let roots = seats.flat_map(|((_, seats), weight)| {
            self.shares[seats].iter().map(move |share| (weight * share).sqrt())
        });
        let prior_roots = self.prior.iter().map(|prior| prior.sqrt()).collect();
        TableNoise { information: self, roots: roots.collect(), prior_roots }
    }

    /// Solves `information * solution = right` by conjugate gradients, preconditioned with the diagonal, until the
    /// residual is at most `reduction` times the initial one.
    pub(super) fn solve(
        &self,
        right: &[f64],
        reduction: f64,
        budget: &mut Budget,
    ) -> Result<Vec<f64>, HaltReason> {
        let precondition =
            |vector: &[f64]| -> Vec<f64> { vector.iter().zip(&self.diagonal).map(|(r, d)| r / d).collect() };
        let mut solution = vec![0.0; right.len()];
        let mut residual = right.to_vec();
        let mut direction = precondition(&residual);
        let mut size = dot_product(&residual, &direction);
        let enough = size * reduction * reduction;
        // In exact arithmetic, the method takes at most as many rounds as there are bots.
        for _ in 0..2 * right.len() {
            if size <= enough {
                break;
            }
            budget.spend(self.tables.steps())?;
            let image = self.times(&direction);
            let length = size / dot_product(&direction, &image);
            for bot in 0..right.len() {
                solution[bot] += length * direction[bot];
                residual[bot] -= length * image[bot];
            }
            let next = precondition(&residual);
            let next_size = dot_product(&residual, &next);
            for (direction, next) in direction.iter_mut().zip(next) {
                *direction = next + next_size / size * *direction;
            }
            size = next_size;
        }
        Ok(solution)
    }
}

/// Multiplies one table's part of the matrix by `vector` and adds the result to `product`. The number of seats is
/// fixed.
fn add_table_product<const SEATS: usize>(
    table: &[u32],
    shares: &[f64],
    weight: f64,
    vector: &[f64],
    product: &mut [f64],
) {
    let (Some(table), Some(shares)) = (table.first_chunk::<SEATS>(), shares.first_chunk::<SEATS>()) else {
        return;
    };
    let values = table.map(|bot| vector[bot as usize]);
    let mean: f64 = shares.iter().zip(values).map(|(share, value)| share * value).sum();
    for ((&bot, share), value) in table.iter().zip(shares).zip(values) {
        product[bot as usize] += weight * share * (value - mean);
    }
}

/// Multiplies one table's part of the matrix by `vector` and adds the result to `product`, for any number of seats.
fn add_long_table_product(table: &[u32], shares: &[f64], weight: f64, vector: &[f64], product: &mut [f64]) {
    let mean: f64 = table.iter().zip(shares).map(|(&bot, share)| share * vector[bot as usize]).sum();
    for (&bot, share) in table.iter().zip(shares) {
        product[bot as usize] += weight * share * (vector[bot as usize] - mean);
    }
}

/// A source of random vectors whose mean is 0 and whose covariance is an information matrix.
#[derive(Debug)]
pub(super) struct TableNoise<'a> {
    information: &'a TableInformation<'a>,
    /// By seat, for one table after another: the square root of the table's weight times the bot's share.
    roots: Vec<f64>,
    /// By bot: the square root of its prior.
    prior_roots: Vec<f64>,
}

impl TableNoise<'_> {
    /// Draws a vector made from random signs. It has the same covariance as a vector made from normal variables, and a
    /// small number of such vectors estimates the covariance better. Source: Hutchinson, "A Stochastic Estimator of the
    /// Trace of the Influence Matrix for Laplacian Smoothing Splines" (1989).
    pub(super) fn draw(&self, draw: &mut SeededDraw) -> Vec<f64> {
        let mut signs = RandomSigns::new(draw);
        let TableInformation { tables, shares, .. } = self.information;
        let mut noise: Vec<f64> = self.prior_roots.iter().map(|root| signs.with_random_sign(*root)).collect();
        for (table, seats) in tables.iter_with_seats() {
            let mut all = 0.0;
            for (&bot, root) in table.iter().zip(&self.roots[seats.clone()]) {
                let own = signs.with_random_sign(*root);
                noise[bot as usize] += own;
                all += own;
            }
            for (&bot, share) in table.iter().zip(&shares[seats]) {
                noise[bot as usize] -= share * all;
            }
        }
        noise
    }
}

fn dot_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_covariance_of_the_noise_is_the_information() {
        const DRAWS: u32 = 40_000;
        let members: [&[u32]; 4] = [&[0, 1], &[1, 2, 3], &[0, 1, 2, 3, 4], &[0, 2, 3, 4]];
        let tables = SeatedTables::new(5, members);
        let shares = vec![0.3, 0.7, 0.5, 0.2, 0.3, 0.1, 0.2, 0.3, 0.3, 0.1, 0.4, 0.3, 0.2, 0.1];
        let information = TableInformation::new(&tables, vec![3.0, 1.0, 2.5, 4.0], shares, vec![0.5; 5]);
        let noise = information.noise();
        let mut draw = SeededDraw::new(11, 0);
        let mut sums = [[0.0; 5]; 5];
        for _ in 0..DRAWS {
            let drawn = noise.draw(&mut draw);
            for (row, one) in sums.iter_mut().zip(&drawn) {
                row.iter_mut().zip(&drawn).for_each(|(sum, other)| *sum += one * other);
            }
        }
        for (bot, row) in sums.iter().enumerate() {
            let mut unit = [0.0; 5];
            unit[bot] = 1.0;
            for (sum, expected) in row.iter().zip(information.times(&unit)) {
                let covariance = sum / f64::from(DRAWS);
                assert!((covariance - expected).abs() < 0.06, "{covariance} for {expected}");
            }
        }
    }
}
