//! Standings with each bot's rating as a bar, against a line at the lower end of the leader's bar.

use crate::address::cell_link;
use askama::Template;
use lastnim_proto::pb;
use lastnim_report::render::write_template;
use lastnim_report::standings::{StandingMeasure, place_range_text};
use lastnim_report::tournament_finding::may_be_ahead;
use lastnim_report::verdict::tie_break_text;
use lastnim_report::{NumberFormat, NumberUnit};

/// The margin at each side, in percent of the drawing's width.
const MARGIN: f64 = 4.0;
/// The minimum number of rows of a table that can be sorted.
const MIN_SORTED_ROWS: usize = 3;

#[derive(Template)]
#[template(path = "tournament/standings.html")]
struct StandingsChart {
    measure: StandingMeasure,
    /// The ends of the scale, as text; `None` if no bot is rated.
    scale: Option<(String, String)>,
    /// Where the line at the lower end of the leader's interval is, in percent of the width; `None` if some ratings
    /// cannot be compared.
    bound: Option<f64>,
    has_places: bool,
    has_points: bool,
    has_forfeits: bool,
    rows: Vec<StandingRow>,
}

struct StandingRow {
    place: u32,
    /// The places that its strength may deserve; `None` if they are unknown.
    places: Option<String>,
    bot: String,
    /// The page of the bot; empty for a guest.
    address: String,
    is_disqualified: bool,
    is_withdrawn: bool,
    /// The tie-break that decided its place, if any.
    tie_break: Option<&'static str>,
    rating: Option<ShownRating>,
    points: String,
    wins: u32,
    matches: u32,
    accuracy: String,
    regret: String,
    luck: String,
    forfeits: u32,
}

/// A rating, as text and as a place on the scale.
struct ShownRating {
    points: String,
    /// The interval, as text.
    interval: String,
    /// The points, to sort by.
    value: f64,
    may_lead: bool,
    low: f64,
    at: f64,
    high: f64,
}

/// Writes standings in the order in which they are shown.
pub(crate) fn standings_chart_html(standings: &[pb::Standing]) -> String {
    let measure = StandingMeasure::of_standings(standings);
    let ratings = || standings.iter().filter_map(|line| line.rating.as_ref());
    let low = ratings().map(|rating| rating.low).fold(f64::INFINITY, f64::min);
    let high = ratings().map(|rating| rating.high).fold(f64::NEG_INFINITY, f64::max);
    let x_of = |points: f64| {
        let share = if high > low { (points - low) / (high - low) } else { 0.5 };
        MARGIN + share.clamp(0.0, 1.0) * (100.0 - 2.0 * MARGIN)
    };
    let leader = standings.iter().find(|line| line.rating.is_some() && line.competes());
    let island = leader.and_then(|leader| leader.rating).map(|rating| rating.island);
    let is_connected = ratings().all(|rating| Some(rating.island) == island);
    let bound =
        leader.and_then(|leader| leader.rating).filter(|_| is_connected).map(|rating| x_of(rating.low));
    let number = |points: f64| measure.format.format_number(points);
    let share = NumberFormat::new(NumberUnit::Share, 0);
    let places = NumberFormat::new(NumberUnit::Ranks, 2);
    let signed_places = NumberFormat { is_signed: true, ..places };
    let figure = |value: Option<f64>, format: NumberFormat| {
        value.map_or_else(|| "-".to_owned(), |value| format.format_number(value))
    };
    let row = |line: &pb::Standing| StandingRow {
        place: line.place,
        places: line.place_range.as_ref().map(|range| place_range_text(range, "–")),
        bot: line.bot.clone(),
        address: cell_link("bot", &line.bot).unwrap_or_default(),
        is_disqualified: line.disqualified,
        is_withdrawn: line.withdrawn,
        tie_break: tie_break_text(line.tie_break()),
        rating: line.rating.as_ref().map(|rating| ShownRating {
            points: number(rating.points),
            interval: format!("{} to {}", number(rating.low), number(rating.high)),
            value: rating.points,
            may_lead: leader.is_some_and(|leader| may_be_ahead(line, leader)),
            low: x_of(rating.low),
            at: x_of(rating.points),
            high: x_of(rating.high),
        }),
        points: NumberFormat::new(NumberUnit::Points, 2).format_number(line.points),
        wins: line.wins,
        matches: line.matches,
        accuracy: figure(line.accuracy, share),
        regret: figure(line.regret_per_match, places),
        luck: figure(line.luck_per_match, signed_places),
        forfeits: line.forfeits,
    };
    write_template(&StandingsChart {
        measure,
        scale: leader.map(|_| (number(low), number(high))),
        bound,
        has_places: standings.iter().any(|line| line.place_range.is_some()),
        has_points: standings.iter().any(|line| (line.points - f64::from(line.wins)).abs() > 0.005),
        has_forfeits: standings.iter().any(|line| line.forfeits > 0),
        rows: standings.iter().map(row).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rated_line(bot: &str, low: f64, high: f64, island: u32) -> pb::Standing {
        let points = f64::midpoint(low, high);
        let rating = Some(pb::BotRating { points, low, high, island, ..Default::default() });
        pb::Standing { bot: bot.into(), wins: 1, points: 1.0, rating, ..Default::default() }
    }

    #[test]
    fn bars_that_reach_the_leaders_bound_are_marked_as_possible_leaders() {
        let near = [
            rated_line("ann", 1_500.0, 1_600.0, 0),
            rated_line("bob", 1_400.0, 1_500.0, 0),
            rated_line("cid", 1_400.0, 1_499.0, 0),
        ];
        let html = standings_chart_html(&near);
        assert_eq!(html.matches("class=\"bar may-lead\"").count(), 2, "{html}");
        assert_eq!(html.matches("class=\"bound\" x1=\"50.00%\"").count(), 3, "{html}");
        assert!(html.contains("x1=\"4.00%\" x2=\"50.00%\"") && html.contains("1400 to 1500"), "{html}");
        assert!(!html.contains(">points<") && !html.contains(">forfeits<"), "{html}");
        let [leader, withdrawn, _] = near.clone();
        let html = standings_chart_html(&[leader, pb::Standing { withdrawn: true, ..withdrawn }]);
        assert_eq!(html.matches("class=\"bar may-lead\"").count(), 1, "{html}");
        let apart = [near[0].clone(), rated_line("bob", 1_400.0, 1_600.0, 1)];
        let html = standings_chart_html(&apart);
        assert!(!html.contains("bound") && html.matches("may-lead").count() == 1, "{html}");
    }

    #[test]
    fn a_tie_break_is_named() {
        let lot_line = pb::Standing { tie_break: pb::TieBreak::Lot.into(), ..rated_line("bob", 1.0, 2.0, 0) };
        let html = standings_chart_html(&[rated_line("ann", 1.0, 2.0, 0), lot_line]);
        assert_eq!(html.matches("placed by lot").count(), 1, "{html}");
    }

    #[test]
    fn a_bot_without_results_has_a_row() {
        let late = pb::Standing { place: 2, bot: "late".into(), points: 0.5, ..Default::default() };
        let html = standings_chart_html(&[late]);
        assert!(html.contains("late</a>") && html.contains(">0.50<") && !html.contains("<svg"), "{html}");
    }
}
