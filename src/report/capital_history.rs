//! How the capital of a sequential test has moved between its bounds.

use super::{Chart, ChartLevel, ChartLine, NumberFormat, NumberUnit, words::count_words};
use crate::wire::pb;

/// Draws how the capital of a sequential test has moved between its bounds; nothing before two groups are judged, and for tests whose path was not kept.
pub fn capital_chart(said: &pb::SprtVerdict) -> Option<Chart> {
    if said.path.len() < 2 {
        return None;
    }
    let points = said.path.iter().map(|point| (place_on_axis(point.groups), point.llr));
    let points = std::iter::once((0.0, 0.0)).chain(points).collect();
    let level = |label: &str, value| ChartLevel { label: label.to_owned(), value };
    Some(Chart {
        caption: "The logarithm of the capital, group by group, between the bounds".to_owned(),
        axis: "groups".to_owned(),
        format: NumberFormat { is_signed: true, ..NumberFormat::new(NumberUnit::Count, 2) },
        lines: vec![ChartLine { label: "llr".to_owned(), points }],
        levels: vec![level("better", said.upper), level("no better", said.lower)],
    })
}

/// Says what a sequential test has found, and how sure that is.
pub fn capital_words(said: &pb::SprtVerdict) -> String {
    let groups = count_words(said.groups, "group", "groups");
    let hypothesis = if said.llr < 0.0 { "better" } else { "no better" };
    let capital = said.llr.abs().exp();
    let bet = format!("after {groups}, a bet against its being {hypothesis} has made {capital:.1} out of 1");
    match said.answer() {
        pb::SprtAnswer::Better => format!("The candidate is better: {bet}."),
        pb::SprtAnswer::NoBetter => format!("The candidate is no better: {bet}."),
        pb::SprtAnswer::Undecided => {
            format!("It is not known whether the candidate is better, and no group is left: {bet}.")
        }
        pb::SprtAnswer::Open | pb::SprtAnswer::Unspecified => {
            let needed = if said.llr < 0.0 { -said.lower } else { said.upper };
            format!(
                "It is not known yet whether the candidate is better: {bet}; {:.1} ends the test.",
                needed.exp()
            )
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is a place on an axis")]
fn place_on_axis(groups: u64) -> f64 {
    groups as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(answer: pb::SprtAnswer, path: &[(u64, f64)]) -> pb::SprtVerdict {
        let &(groups, llr) = path.last().unwrap();
        let path = path.iter().map(|&(groups, llr)| pb::CapitalPoint { groups, llr }).collect();
        let (lower, upper) = (-20_f64.ln(), 20_f64.ln());
        pb::SprtVerdict { answer: answer.into(), llr, lower, upper, groups, effect: None, path }
    }

    #[test]
    fn the_path_is_drawn_between_its_bounds() {
        let said = verdict(pb::SprtAnswer::Open, &[(1, 0.5), (2, 1.0), (5, -0.25)]);
        let chart = capital_chart(&said).unwrap();
        assert_eq!(chart.lines[0].points, [(0.0, 0.0), (1.0, 0.5), (2.0, 1.0), (5.0, -0.25)]);
        let levels: Vec<_> = chart.levels.iter().map(|level| (level.label.as_str(), level.value)).collect();
        assert_eq!(levels, [("better", said.upper), ("no better", said.lower)]);
        assert_eq!(capital_chart(&verdict(pb::SprtAnswer::Open, &[(1, 0.5)])), None);
    }

    #[test]
    fn a_verdict_is_said_in_words() {
        let said = |answer, llr: f64| capital_words(&verdict(answer, &[(7, llr)]));
        assert_eq!(
            said(pb::SprtAnswer::Better, 30_f64.ln()),
            "The candidate is better: after 7 groups, a bet against its being no better has made 30.0 out of 1."
        );
        assert_eq!(
            said(pb::SprtAnswer::Open, -(2_f64.ln())),
            "It is not known yet whether the candidate is better: after 7 groups, a bet against its being better has made 2.0 out of 1; 20.0 ends the test."
        );
    }
}
