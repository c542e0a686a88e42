//! A bot's results against each opponent.

use super::{MarkShape, NumberFormat, NumberUnit, Plot, PlotMark};
use lastnim_proto::pb;

/// The 97.5% quantile of the standard normal distribution.
const QUANTILE: f64 = 1.959_963_984_540_054;

/// Plots, for each opponent, the share of their common matches that a bot won, the best result first; `None` without
/// opponents.
pub fn opponent_score_plot(bot: &str, comparisons: &[pb::Comparison]) -> Option<Plot> {
    let mut marks: Vec<_> = comparisons.iter().filter_map(|pair| opponent_mark(bot, pair)).collect();
    marks.sort_by(|one, other| other.value.total_cmp(&one.value));
    (!marks.is_empty()).then(|| Plot {
        caption: format!("The share that {bot} won of its matches against each opponent, with 95% intervals (Wilson's, assuming that matches are independent)"),
        shape: MarkShape::Intervals,
        format: NumberFormat::new(NumberUnit::Share, 0),
        marks,
    })
}

fn opponent_mark(bot: &str, pair: &pb::Comparison) -> Option<PlotMark> {
    let (opponent, wins) = match (pair.bot == bot, pair.other == bot) {
        (true, _) => (&pair.other, pair.wins),
        (_, true) => (&pair.bot, pair.other_wins),
        _ => return None,
    };
    let interval = wilson_interval(wins, pair.matches)?;
    let value = f64::from(wins) / f64::from(pair.matches);
    Some(PlotMark { label: opponent.clone(), value, interval: Some(interval) })
}

/// Returns the 95% confidence interval of a share; `None` if `whole` is 0. Source: Wilson, "Probable Inference, the Law
/// of Succession, and Statistical Inference" (1927).
pub fn wilson_interval(part: u32, whole: u32) -> Option<(f64, f64)> {
    if whole == 0 {
        return None;
    }
    let (count, square) = (f64::from(whole), QUANTILE * QUANTILE);
    let share = f64::from(part) / count;
    let middle = (share + square / (2.0 * count)) / (1.0 + square / count);
    let variance = share * (1.0 - share) / count + square / (4.0 * count * count);
    let half = QUANTILE * variance.sqrt() / (1.0 + square / count);
    Some(((middle - half).max(0.0), (middle + half).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_intervals_agree_with_known_values() {
        assert_eq!(wilson_interval(0, 0), None);
        let (low, high) = wilson_interval(8, 10).unwrap();
        assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4, "{low} {high}");
        assert!(wilson_interval(0, 5).unwrap().0 < 1e-12);
        assert!(wilson_interval(5, 5).unwrap().1 > 0.999_999);
    }

    #[test]
    fn opponents_are_sorted_by_result() {
        let pair = |bot: &str, other: &str, wins, other_wins| pb::Comparison {
            bot: bot.into(),
            other: other.into(),
            matches: 10,
            wins,
            other_wins,
            ..Default::default()
        };
        let comparisons = [pair("a", "b", 3, 7), pair("b", "c", 9, 1), pair("a", "c", 5, 5)];
        let plot = opponent_score_plot("b", &comparisons).unwrap();
        let scores: Vec<_> = plot.marks.iter().map(|mark| (mark.label.as_str(), mark.value)).collect();
        assert_eq!(scores, [("c", 0.9), ("a", 0.7)]);
        assert_eq!(opponent_score_plot("d", &comparisons), None);
    }
}
