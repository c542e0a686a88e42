//! The cross-table: for each pair of bots, how often one of the two won, in the order of the standings.

use askama::Template;
use lastnim_proto::pb;
use lastnim_report::CellShade;
use lastnim_report::render::write_template;
use lastnim_report::words::count_with_noun;
use std::collections::BTreeMap;

/// The maximum number of bots with a cross-table on a page; larger ones are in the CSV and JSON.
pub(crate) const MAX_COMPARED_BOTS: usize = 16;
/// The maximum probability that at least one of the leads that are shown as certain is due to chance.
const MAX_ERROR_PROBABILITY: f64 = 0.05;

#[derive(Template)]
#[template(path = "tournament/who_beats_whom.html")]
struct HeadToHeadTable<'a> {
    rows: Vec<HeadToHeadRow<'a>>,
    has_certain: bool,
}

struct HeadToHeadRow<'a> {
    place: u32,
    bot: &'a str,
    cells: Vec<HeadToHeadCell>,
}

struct HeadToHeadCell {
    class: String,
    /// The share of wins in percent; empty if they did not meet.
    percent: String,
    words: String,
}

/// One direction of a comparison.
#[derive(Clone, Copy)]
struct Duel {
    wins: u32,
    other_wins: u32,
    matches: u32,
    is_certain: bool,
}

/// Writes the cross-table of bots in the order of the given standings; empty if nobody met.
pub(crate) fn head_to_head_html(standings: &[pb::Standing], comparisons: &[pb::Comparison]) -> String {
    let mut duels: BTreeMap<(&str, &str), Duel> = BTreeMap::new();
    for &pb::Comparison { ref bot, ref other, matches, wins, other_wins, adjusted_chance, .. } in comparisons
    {
        let is_certain = adjusted_chance.is_some_and(|chance| chance <= MAX_ERROR_PROBABILITY);
        let duel = Duel { wins, other_wins, matches, is_certain };
        duels.insert((bot, other), duel);
        duels.insert((other, bot), Duel { wins: other_wins, other_wins: wins, ..duel });
    }
    let met = |bot: &str| duels.keys().any(|&(one, _)| one == bot);
    let lines: Vec<_> = standings.iter().filter(|line| met(&line.bot)).collect();
    if lines.len() < 2 {
        return String::new();
    }
    let rows = lines.iter().map(|line| HeadToHeadRow {
        place: line.place,
        bot: &line.bot,
        cells: lines
            .iter()
            .map(|other| {
                duel_cell(&line.bot, &other.bot, duels.get(&(line.bot.as_str(), other.bot.as_str())))
            })
            .collect(),
    });
    let rows = rows.collect();
    write_template(&HeadToHeadTable { rows, has_certain: duels.values().any(|duel| duel.is_certain) })
}

fn duel_cell(bot: &str, other: &str, duel: Option<&Duel>) -> HeadToHeadCell {
    if bot == other {
        return HeadToHeadCell { class: "itself".into(), percent: String::new(), words: "itself".into() };
    }
    let Some(duel) = duel.filter(|duel| duel.wins + duel.other_wins > 0) else {
        let description = format!("neither {bot} nor {other} won a match in which both played");
        return HeadToHeadCell { class: String::new(), percent: String::new(), words: description };
    };
    let share = f64::from(duel.wins) / f64::from(duel.wins + duel.other_wins);
    let (sure, certain) = if duel.is_certain {
        (" sure", "; their ratings differ by more than chance explains")
    } else {
        ("", "")
    };
    HeadToHeadCell {
        class: format!("leaning step-{}{sure}", CellShade::step_of_share(share)),
        percent: format!("{:.0}", 100.0 * share),
        words: format!(
            "{bot} won {}, {other} won {}, of {} in which both played{certain}",
            duel.wins,
            duel.other_wins,
            count_with_noun(duel.matches, "match", "matches")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_are_in_the_order_of_the_standings() {
        let line = |place, bot: &str| pb::Standing { place, bot: bot.into(), ..Default::default() };
        let standings = [line(1, "cid"), line(2, "ann"), line(3, "bob"), line(4, "late")];
        let pair = |bot: &str, other: &str, wins, other_wins| pb::Comparison {
            bot: bot.into(),
            other: other.into(),
            matches: 9,
            wins,
            other_wins,
            adjusted_chance: Some(if wins == 0 { 0.01 } else { 0.5 }),
            ..Default::default()
        };
        let comparisons = [pair("ann", "bob", 3, 1), pair("ann", "cid", 0, 4), pair("bob", "cid", 0, 0)];
        let html = head_to_head_html(&standings, &comparisons);
        let order: Vec<_> =
            ["> cid</th>", "> ann</th>", "> bob</th>"].map(|name| html.find(name).unwrap()).into();
        assert!(order.is_sorted() && !html.contains("late"), "{html}");
        assert!(
            html.contains("title=\"ann won 3, bob won 1, of 9 matches in which both played\">75</td>"),
            "{html}"
        );
        assert!(html.contains("class=\"leaning step-9 sure\" title=\"cid won 4, ann won 0"), "{html}");
        assert!(html.contains("class=\"leaning step-1 sure\" title=\"ann won 0, cid won 4"), "{html}");
        assert!(html.contains("neither cid nor bob won"), "{html}");
        assert_eq!(head_to_head_html(&standings, &[]), "");
    }
}
