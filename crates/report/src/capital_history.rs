//! How the capital of each bet in a sequential test changes over time.

use super::{Chart, ChartLevel, ChartLine, NumberFormat, NumberUnit, words::count_with_noun};
use lastnim_proto::pb;

/// Bounds that are closer than this are drawn as one line.
const MAX_MERGED_DISTANCE: f64 = 0.005;

/// Charts the capital of both bets in a sequential test, with their bounds; `None` before two groups are judged.
pub fn capital_chart(said: &pb::SprtVerdict) -> Option<Chart> {
    if said.path.len() < 2 {
        return None;
    }
    let level = |label: &str, value| ChartLevel { label: label.to_owned(), value };
    let line = |label: &str, capital: fn(&pb::CapitalPoint) -> f64| {
        let points = said.path.iter().map(|point| (axis_position(point.groups), capital(point)));
        ChartLine { label: label.to_owned(), points: std::iter::once((0.0, 0.0)).chain(points).collect() }
    };
    let (at_better, at_no_better) = (said.upper, -said.lower);
    let levels = if (at_better - at_no_better).abs() < MAX_MERGED_DISTANCE {
        vec![level("bound", at_better)]
    } else {
        vec![level("bound: better", at_better), level("bound: no better", at_no_better)]
    };
    Some(Chart {
        caption: "The capital of each bet, starting at 1, after each group (logarithmic scale)".to_owned(),
        axis: "groups".to_owned(),
        format: NumberFormat { is_signed: true, ..NumberFormat::new(NumberUnit::Count, 2) },
        lines: vec![
            line("bet that the candidate is better", |point| point.better),
            line("bet that the candidate is no better", |point| point.no_better),
        ],
        levels,
        // The losing bet falls without limit, so it is cut off.
        floor: Some(-at_better.max(at_no_better)),
    })
}

/// Describes the answer of a sequential test and its evidence.
pub fn capital_text(said: &pb::SprtVerdict) -> String {
    let groups = count_with_noun(said.groups, "group", "groups");
    let hypothesis = if said.llr < 0.0 { "no better" } else { "better" };
    let capital = said.llr.abs().exp();
    let bet = format!("after {groups}, a bet that it is {hypothesis} has turned 1 into {capital:.1}");
    match said.answer() {
        pb::SprtAnswer::Better => format!("The candidate is better: {bet}."),
        pb::SprtAnswer::NoBetter => format!("The candidate is no better: {bet}."),
        pb::SprtAnswer::Undecided => {
            format!(
                "All groups have been played, and it is still not known whether the candidate is better: {bet}."
            )
        }
        pb::SprtAnswer::Open | pb::SprtAnswer::Unspecified => {
            let needed = if said.llr < 0.0 { -said.lower } else { said.upper };
            format!(
                "It is not known yet whether the candidate is better: {bet}; the test ends when the bet reaches {:.1}.",
                needed.exp()
            )
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is only a position on an axis")]
fn axis_position(groups: u64) -> f64 {
    groups as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(answer: pb::SprtAnswer, path: &[(u64, f64)]) -> pb::SprtVerdict {
        let &(groups, llr) = path.last().unwrap();
        let point = |&(groups, llr)| pb::CapitalPoint { groups, llr, ..pb::CapitalPoint::default() };
        let path = path.iter().map(point).collect();
        let (lower, upper) = (-20_f64.ln(), 20_f64.ln());
        pb::SprtVerdict { answer: answer.into(), llr, lower, upper, groups, effect: None, path }
    }

    fn level_values(chart: &Chart) -> Vec<(&str, f64)> {
        chart.levels.iter().map(|level| (level.label.as_str(), level.value)).collect()
    }

    #[test]
    fn the_capital_chart_has_a_line_for_each_bet_and_the_bound() {
        let mut said = verdict(pb::SprtAnswer::Open, &[(1, 0.5), (2, -0.25)]);
        for (point, (better, no_better)) in said.path.iter_mut().zip([(0.5, -1.0), (-99.0, 0.25)]) {
            (point.better, point.no_better) = (better, no_better);
        }
        let chart = capital_chart(&said).unwrap();
        assert_eq!(chart.lines[0].points, [(0.0, 0.0), (1.0, 0.5), (2.0, -99.0)]);
        assert_eq!(chart.lines[1].points, [(0.0, 0.0), (1.0, -1.0), (2.0, 0.25)]);
        assert_eq!(level_values(&chart), [("bound", said.upper)]);
        assert_eq!(chart.frame().unwrap().y_range, (-said.upper, said.upper), "losses are cut off there");
        said.lower = -2.0;
        let chart = capital_chart(&said).unwrap();
        assert_eq!(level_values(&chart), [("bound: better", said.upper), ("bound: no better", 2.0)]);
        said.path.truncate(1);
        assert_eq!(capital_chart(&said), None, "one point is not a line");
    }

    #[test]
    fn verdicts_are_described() {
        let verdict_text = |answer, llr: f64| capital_text(&verdict(answer, &[(7, llr)]));
        assert_eq!(
            verdict_text(pb::SprtAnswer::Better, 30_f64.ln()),
            "The candidate is better: after 7 groups, a bet that it is better has turned 1 into 30.0."
        );
        assert_eq!(
            verdict_text(pb::SprtAnswer::Open, -(2_f64.ln())),
            "It is not known yet whether the candidate is better: after 7 groups, a bet that it is no better has turned 1 into 2.0; the test ends when the bet reaches 20.0."
        );
    }
}
