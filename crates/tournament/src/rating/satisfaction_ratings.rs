//! Ratings by satisfaction.

use super::{
    ConfidenceInterval, Resampling, StrengthLead,
    information::TableInformation,
    islands::find_islands,
    random_signs::RandomSigns,
    resampling::{RESIDUAL_REDUCTION, StrengthDeviations},
    student::StudentDistribution,
    tables::SeatedTables,
};
use crate::SeededDraw;
use lastnim_core::{
    game::BotName,
    oracle::{Budget, HaltReason},
};

/// The strengths of bots by satisfaction at comparable positions, with their uncertainty.
///
/// In a duplicate group, each bot sits once at every seat, and at one seat all of them get the same position and the
/// same row. So the satisfaction of bot i at seat s of group g is modelled as `m(g, s) + b(i) + error`: the value of
/// the seat, plus the bot's distance from the mean of the field, plus an error. Least squares over all seats gives `b`.
/// This accounts for the choice of opponents, because only bots at the same seat are compared, and shared seats connect
/// all bots.
#[derive(Debug, Clone, PartialEq)]
pub struct SatisfactionRatings {
    /// Sorted by name.
    bots: Vec<SatisfactionRating>,
    deviations: StrengthDeviations,
    /// Maximum number of degrees of freedom of a standard error.
    freedom: u32,
}

/// One bot's rating by satisfaction.
#[derive(Debug, Clone, PartialEq)]
pub struct SatisfactionRating {
    /// The bot.
    pub bot: BotName,
    /// How far the bot's satisfaction per match is above the mean of the field: -1 to 1.
    pub lead: f64,
    /// The 95% confidence interval.
    pub interval: ConfidenceInterval<f64>,
    /// Number of matches at seats where another bot also played.
    pub matches: u32,
    /// Number of duplicate groups to which these matches belong.
    pub groups: u32,
    /// The number of the bot's island, from 0. No chain of common seats connects bots on different islands, so they
    /// cannot be compared.
    pub island: u32,
    /// The index of the bot in `deviations`.
    number: usize,
}

/// The comparisons within one duplicate group: each bot is compared with all bots that sat at the same seat.
#[derive(Debug, Clone, Default)]
pub(super) struct ComparedGroup {
    /// The sets of two or more bots that sat at the same seat, each sorted, with the number of seats at which its bots
    /// were compared.
    sets: Vec<(Vec<u32>, u32)>,
    /// By bot: how far its satisfaction was above the mean of all bots at the same seat, summed over the seats.
    leads: Vec<(u32, f64)>,
}

/// The weight of the prior, as a number of matches in which all other bots at the table play like the mean of the
/// field. It is low, but it prevents a bot with a single match from leading.
const VIRTUAL_MATCHES: f64 = 1.0;
/// The weight of the prior variance, as a number of groups with uniformly random satisfaction. Without this prior, two
/// groups with equal results would seem to leave no uncertainty.
const VIRTUAL_GROUPS: f64 = 2.0;
/// Maximum leverage of a group, which bounds the divisor `sqrt(1 - leverage)`. Without the prior, a group whose bots play
/// in no other group would have leverage 1 and no residuals.
const MAX_LEVERAGE: f64 = 0.9;
/// The residual is reduced to this fraction when the strengths are computed.
const TOLERANCE: f64 = 1e-12;

impl ComparedGroup {
    /// Compares the scores of a group, each given by its seat, bot and satisfaction.
    pub(super) fn compare(scores: impl Iterator<Item = (u8, u32, f64)>) -> Self {
        let mut scores: Vec<_> = scores.collect();
        // A bot may sit at the same seat twice in one group. Sorting by the score too makes the order deterministic.
        scores.sort_unstable_by(|(seat, bot, score), (other_seat, other_bot, other)| {
            (seat, bot).cmp(&(other_seat, other_bot)).then(score.total_cmp(other))
        });
        let mut group = Self::default();
        let places = scores.chunk_by(|one, other| one.0 == other.0);
        // The scores are sorted, so they all belong to the same bot if the first and the last do.
        for place in places.filter(|place| place.first().map(|one| one.1) != place.last().map(|one| one.1)) {
            let mean = place.iter().map(|(.., score)| score).sum::<f64>() / to_float(place.len());
            for &(_, bot, score) in place {
                match group.leads.iter_mut().find(|(known, _)| *known == bot) {
                    Some((_, lead)) => *lead += score - mean,
                    None => group.leads.push((bot, score - mean)),
                }
            }
            let set: Vec<u32> = place.iter().map(|&(_, bot, _)| bot).collect();
            match group.sets.iter_mut().find(|(known, _)| *known == set) {
                Some((_, seats)) => *seats += 1,
                None => group.sets.push((set, 1)),
            }
        }
        group
    }

    /// Returns, for each bot, the part of its lead that the strengths do not explain.
    fn residuals(&self, strengths: &[f64]) -> Vec<(u32, f64)> {
        let mut residuals = self.leads.clone();
        for (set, seats) in &self.sets {
            let mean = set.iter().map(|&bot| strengths[bot as usize]).sum::<f64>() / to_float(set.len());
            for (bot, residual) in &mut residuals {
                let times = f64::from(count_in_set(set, *bot) * seats);
                *residual -= times * (strengths[*bot as usize] - mean);
            }
        }
        residuals
    }

    /// Returns, for each bot, the number of seats at which it was compared, and the information about its strength.
    fn comparisons(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        self.leads.iter().map(|&(bot, _)| {
            self.sets.iter().fold((bot, 0, 0.0), |(bot, matches, information), (set, seats)| {
                let times = count_in_set(set, bot);
                let share = f64::from(times) / to_float(set.len());
                (bot, matches + times * seats, information + f64::from(times * seats) * (1.0 - share))
            })
        })
    }
}

fn count_in_set(set: &[u32], bot: u32) -> u32 {
    set.iter().filter(|&&member| member == bot).count() as u32
}

/// The comparisons of all groups.
struct GatheredGroups<'a> {
    groups: &'a [ComparedGroup],
    tables: SeatedTables,
    /// By table: the number of scores at the seats that its bots shared.
    weights: Vec<f64>,
    /// By bot: the number of seats at which it was compared with another bot.
    matches: Vec<u32>,
    /// By bot: the number of groups in which it was compared with another bot.
    group_counts: Vec<u32>,
    /// By bot: how far its satisfaction was above the mean of all bots at the same seat, summed over all groups.
    leads: Vec<f64>,
}

impl<'a> GatheredGroups<'a> {
    fn gather(bots: usize, groups: &'a [ComparedGroup]) -> Self {
        let mut sets: Vec<&[u32]> =
            groups.iter().flat_map(|group| &group.sets).map(|(set, _)| set.as_slice()).collect();
        sets.sort_unstable();
        sets.dedup();
        let tables = SeatedTables::new(bots, sets.iter().copied());
        let mut weights = vec![0.0; sets.len()];
        let (mut matches, mut group_counts, mut leads) = (vec![0; bots], vec![0; bots], vec![0.0; bots]);
        for group in groups {
            for (set, seats) in &group.sets {
                if let Ok(table) = sets.binary_search(&set.as_slice()) {
                    weights[table] += f64::from(*seats) * to_float(set.len());
                }
            }
            for &(bot, lead) in &group.leads {
                leads[bot as usize] += lead;
            }
            for (bot, seats, _) in group.comparisons() {
                matches[bot as usize] += seats;
                group_counts[bot as usize] += 1;
            }
        }
        Self { groups, tables, weights, matches, group_counts, leads }
    }

    fn information(&self, prior: f64) -> TableInformation<'_> {
        let shares = self.tables.iter().flat_map(|table| table.iter().map(|_| 1.0 / to_float(table.len())));
        let (weights, shares) = (self.weights.clone(), shares.collect());
        TableInformation::new(&self.tables, weights, shares, vec![prior; self.tables.bot_count()])
    }
}

/// The residuals: what the strengths do not explain.
struct ScaledResiduals {
    /// By group, then by bot: the residuals, scaled up because fitting the strengths to the same data made them
    /// smaller.
    residuals: Vec<Vec<(u32, f64)>>,
    /// The variance of a single satisfaction, given the seat and the bot.
    variance: f64,
    /// The number of degrees of freedom of `variance`.
    freedom: u32,
}

impl ScaledResiduals {
    /// Computes the residuals. The fit absorbs a share `h` of a group's information, called its leverage, so the
    /// group's residuals are divided by `sqrt(1 - h)`. Source: Bell and `McCaffrey`, "Bias Reduction in Standard Errors
    /// for Linear Regression with Multi-Stage Samples" (2002), here with the mean leverage of the group.
    fn of_groups(
        gathered: &GatheredGroups<'_>,
        diagonal: &[f64],
        strengths: &[f64],
        islands: &[u32],
        seat_count: usize,
    ) -> Self {
        let mut island_sizes = vec![0_u32; islands.iter().max().map_or(0, |&last| last as usize + 1)];
        for &island in islands {
            island_sizes[island as usize] += 1;
        }
        let seats = to_float(seat_count);
        let usual = VIRTUAL_GROUPS * seats * (seats - 1.0);
        let (mut squares, mut expected) = (usual * rank_variance(seat_count), usual);
        let mut freedom = VIRTUAL_GROUPS * (seats - 1.0);
        let mut residuals = Vec::with_capacity(gathered.groups.len());
        for group in gathered.groups {
            let mut left = group.residuals(strengths);
            let Some(&(first, _)) = left.first() else { continue };
            let (mut trace, mut leverage) = (0.0, 0.0);
            for (bot, _, information) in group.comparisons() {
                trace += information;
                leverage += information / diagonal[bot as usize];
            }
            let size = f64::from(island_sizes[islands[first as usize] as usize]);
            let dimensions = to_float(left.len()) - 1.0;
            let leverage = (leverage * (size - 1.0) / size / dimensions).min(MAX_LEVERAGE);
            squares += left.iter().map(|(_, left)| left * left).sum::<f64>();
            expected += trace * (1.0 - leverage);
            freedom += dimensions * (1.0 - leverage);
            for (_, left) in &mut left {
                *left /= (1.0 - leverage).sqrt();
            }
            residuals.push(left);
        }
        Self { residuals, variance: squares / expected, freedom: whole_part(freedom) }
    }
}

impl SatisfactionRatings {
    /// Rates bots, numbered in the order of names, from groups of matches with this many seats.
    pub(super) fn compute(
        names: &[&BotName],
        groups: &[ComparedGroup],
        seats: usize,
        resampling: &Resampling,
        budget: &mut Budget,
    ) -> Result<Self, HaltReason> {
        let gathered = GatheredGroups::gather(names.len(), groups);
        let prior = VIRTUAL_MATCHES * (1.0 - 1.0 / to_float(seats));
        let information = gathered.information(prior);
        let strengths = information.solve(&gathered.leads, TOLERANCE, budget)?;
        let islands = find_islands(&gathered.tables);
        let unexplained =
            ScaledResiduals::of_groups(&gathered, information.diagonal(), &strengths, &islands, seats);
        let mut deviations = StrengthDeviations::empty(names.len(), resampling);
        let noise = information.noise();
        let scale = unexplained.variance.sqrt();
        let prior_deviation = (prior * unexplained.variance).sqrt();
        for replicate in 0..resampling.replicates.get() {
            let mut draw = SeededDraw::new(resampling.seed, u64::from(replicate));
            budget.spend(gathered.tables.steps())?;
            let mut resampled: Vec<f64> =
                names.iter().map(|_| RandomSigns::new(&mut draw).with_random_sign(prior_deviation)).collect();
            for group in &unexplained.residuals {
                let sign = if draw.number_below(2) == 0 { 1.0 } else { -1.0 };
                for &(bot, left) in group {
                    resampled[bot as usize] += sign * left;
                }
            }
            let simulated = noise.draw(&mut draw);
            let simulated = simulated.into_iter().map(|noise| scale * noise).collect();
            let mut both = [resampled, simulated];
            for right in &mut both {
                *right = information.solve(right, RESIDUAL_REDUCTION, budget)?;
                center_islands(right, &islands);
            }
            let [resampled, simulated] = both;
            deviations.push(&resampled, &simulated);
        }
        let mut ratings = Self { bots: Vec::new(), deviations, freedom: unexplained.freedom };
        for (number, bot) in names.iter().enumerate() {
            let groups = gathered.group_counts[number];
            if groups == 0 {
                continue;
            }
            let error = ratings.deviations.standard_error(number, groups);
            let half = error * StudentDistribution::new(ratings.freedom_of(groups)).quantile(0.975);
            let lead = strengths[number];
            ratings.bots.push(SatisfactionRating {
                bot: (*bot).clone(),
                lead,
                interval: ConfidenceInterval { low: (lead - half).max(-1.0), high: (lead + half).min(1.0) },
                matches: gathered.matches[number],
                groups,
                island: islands[number],
                number,
            });
        }
        Ok(ratings)
    }

    /// Returns every bot's rating, in the order of names.
    pub fn bots(&self) -> &[SatisfactionRating] {
        &self.bots
    }

    /// Returns the rating of a bot; `None` if it was never compared with another bot.
    pub fn get(&self, bot: &BotName) -> Option<&SatisfactionRating> {
        self.bots.binary_search_by(|rated| rated.bot.cmp(bot)).ok().map(|index| &self.bots[index])
    }

    /// Returns the lead of one bot over another; `None` if either is not rated or no chain of common seats connects
    /// them.
    pub fn lead_between(&self, one: &BotName, other: &BotName) -> Option<StrengthLead> {
        let (ours, theirs) = (self.get(one)?, self.get(other)?);
        let groups = ours.groups.min(theirs.groups);
        (ours.island == theirs.island).then(|| StrengthLead {
            lead: ours.lead - theirs.lead,
            error: self.deviations.error_of_difference(ours.number, theirs.number, groups),
            freedom: self.freedom_of(groups),
        })
    }

    /// Returns the island of a bot, its lead and the variance of its lead.
    pub(super) fn strength_and_variance(&self, bot: &BotName) -> Option<(u32, f64, f64)> {
        let rated = self.get(bot)?;
        let error = self.deviations.standard_error(rated.number, rated.groups);
        Some((rated.island, rated.lead, error * error))
    }

    /// Returns the number of degrees of freedom of the standard error of a bot with this many groups. It is at most the
    /// number for the variance, which is estimated from all groups.
    fn freedom_of(&self, groups: u32) -> u32 {
        StrengthDeviations::freedom(groups).min(self.freedom)
    }
}

/// Returns the variance of a seat's satisfaction if every rank is equally likely.
pub(super) fn rank_variance(seats: usize) -> f64 {
    (to_float(seats) + 1.0) / (12.0 * (to_float(seats) - 1.0))
}

/// Shifts the strengths of each island so that their mean is 0.
fn center_islands(strengths: &mut [f64], islands: &[u32]) {
    let mut sums = vec![(0.0, 0.0); islands.iter().max().map_or(0, |&last| last as usize + 1)];
    for (strength, &island) in strengths.iter().zip(islands) {
        let (sum, count) = &mut sums[island as usize];
        *sum += strength;
        *count += 1.0;
    }
    for (strength, &island) in strengths.iter_mut().zip(islands) {
        let (sum, count) = sums[island as usize];
        *strength -= sum / count;
    }
}

#[expect(clippy::cast_sign_loss, reason = "the number is not negative")]
fn whole_part(number: f64) -> u32 {
    number as u32
}

#[expect(clippy::cast_precision_loss, reason = "bots and seats are far below 2^53")]
fn to_float(count: usize) -> f64 {
    count as f64
}
