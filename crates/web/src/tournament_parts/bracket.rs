//! The bracket of a knockout: the tables of each round, why each was decided, and the path of the champion.

use crate::address::cell_link;
use askama::Template;
use lastnim_report::render::write_template;
use lastnim_report::verdict::tie_break_text;
use lastnim_report::words::join_items;
use lastnim_report::{Round, RoundFate, RoundTable};

#[derive(Template)]
#[template(path = "tournament/bracket.html")]
struct Bracket<'a> {
    /// Notes on how to read the bracket.
    notes: &'a [String],
    /// From the last round back to the first.
    rounds: Vec<RoundView>,
}

struct RoundView {
    name: String,
    ties: Vec<Tie>,
    /// Lines to the next round.
    joins: Vec<Connector>,
}

/// A table, or a bot that sat out.
struct Tie {
    class: &'static str,
    entries: Vec<TieEntry>,
    /// How it was decided, or how much of it has been played.
    reason: String,
}

/// A bot at a table.
struct TieEntry {
    bot: String,
    /// The page of the bot; empty for a guest.
    address: String,
    wins: Option<u32>,
    /// What became of the bot, for screen readers.
    fate: &'static str,
    is_through: bool,
}

/// A line from a table to one of the next round. The ends are the middles of the tables, in percent of the height.
struct Connector {
    from: f64,
    to: f64,
    is_path: bool,
}

/// A place in a round: a table, or a bot that sat out.
#[derive(Clone, Copy)]
enum BracketSlot<'a> {
    Table(&'a RoundTable),
    Bye(&'a String),
}

impl<'a> BracketSlot<'a> {
    /// Returns its bots that are not eliminated.
    fn advancing_bots(self) -> Vec<&'a str> {
        match self {
            Self::Table(table) => {
                let advancing =
                    table.entries.iter().filter(|entry| entry.fate != Some(RoundFate::Eliminated));
                advancing.map(|entry| entry.bot.as_str()).collect()
            }
            Self::Bye(bot) => vec![bot],
        }
    }

    fn has(self, bot: &str) -> bool {
        match self {
            Self::Table(table) => table.entries.iter().any(|entry| entry.bot == bot),
            Self::Bye(other) => other == bot,
        }
    }

    fn draw(self, champion: Option<&str>) -> Tie {
        let address = |bot: &str| cell_link("bot", bot).unwrap_or_default();
        let is_path = champion.is_some_and(|champion| self.has(champion));
        match self {
            Self::Table(table) => {
                let entries = table.entries.iter().map(|entry| TieEntry {
                    bot: entry.bot.clone(),
                    address: address(&entry.bot),
                    wins: Some(entry.wins),
                    fate: match entry.fate {
                        Some(RoundFate::Champion) => "champion",
                        Some(RoundFate::Advances) => "goes on",
                        Some(RoundFate::LuckyLoser) => "goes on as a lucky loser",
                        Some(RoundFate::Eliminated) => "is out",
                        None => "",
                    },
                    is_through: entry.fate.is_some_and(|fate| fate != RoundFate::Eliminated),
                });
                let class = if is_path { "tie path" } else { "tie" };
                Tie { class, entries: entries.collect(), reason: decision_text(table) }
            }
            Self::Bye(bot) => {
                let entry = TieEntry {
                    bot: bot.clone(),
                    address: address(bot),
                    wins: None,
                    fate: "goes on",
                    is_through: true,
                };
                let class = if is_path { "tie bye path" } else { "tie bye" };
                Tie { class, entries: vec![entry], reason: "sat out".to_owned() }
            }
        }
    }
}

/// Says how a table was decided, or how much of it has been played.
fn decision_text(table: &RoundTable) -> String {
    let is_decided = table.entries.iter().any(|entry| entry.fate.is_some());
    let lucky = table.entries.iter().filter(|entry| entry.fate == Some(RoundFate::LuckyLoser));
    let lucky = lucky.map(|entry| format!("{} goes on as a lucky loser", entry.bot));
    let decided = match table.tie_break {
        _ if !is_decided => format!("{} of {} matches played", table.played, table.matches),
        tie_break => match tie_break.and_then(tie_break_text) {
            None => "decided by points".to_owned(),
            Some(tie_break) => format!("level on points; decided {tie_break}"),
        },
    };
    join_items([decided].into_iter().chain(lucky), "; ")
}

/// Writes the bracket; empty without rounds.
pub(crate) fn bracket_html(rounds: &[Round], notes: &[String]) -> String {
    if rounds.is_empty() {
        return String::new();
    }
    let entries = rounds.iter().flat_map(|round| &round.tables).flat_map(|table| &table.entries);
    let champion = entries.clone().find(|entry| entry.fate == Some(RoundFate::Champion));
    let champion = champion.map(|entry| entry.bot.as_str());
    // Each round is in the order of the next one, so that few lines cross.
    let mut next: Vec<BracketSlot<'_>> = Vec::new();
    let drawn = rounds.iter().rev().map(|round| {
        let tables = round.tables.iter().map(BracketSlot::Table);
        let mut places: Vec<_> = tables.chain(round.byes.iter().map(BracketSlot::Bye)).collect();
        let next_place = |place: &BracketSlot<'_>| {
            let bots = place.advancing_bots();
            next.iter().position(|later| bots.iter().any(|bot| later.has(bot))).unwrap_or(usize::MAX)
        };
        places.sort_by_key(next_place);
        let joins = connectors_between(&places, &next, champion);
        let ties = places.iter().map(|place| place.draw(champion)).collect();
        next = places;
        RoundView { name: round.name.clone(), ties, joins }
    });
    let rounds = drawn.collect();
    write_template(&Bracket { notes, rounds })
}

fn connectors_between(
    places: &[BracketSlot<'_>],
    next: &[BracketSlot<'_>],
    champion: Option<&str>,
) -> Vec<Connector> {
    #[expect(clippy::cast_precision_loss, reason = "a round has few tables")]
    let middle = |index: usize, count: usize| 100.0 * (index as f64 + 0.5) / count as f64;
    let mut joins = Vec::new();
    for (from, place) in places.iter().enumerate() {
        let bots = place.advancing_bots();
        for (to, _) in next.iter().enumerate().filter(|(_, later)| bots.iter().any(|bot| later.has(bot))) {
            joins.push(Connector {
                from: middle(from, places.len()),
                to: middle(to, next.len()),
                is_path: champion.is_some_and(|champion| place.has(champion) && next[to].has(champion)),
            });
        }
    }
    // The path is drawn above other lines.
    joins.sort_by_key(|join| join.is_path);
    joins
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::pb;
    use lastnim_report::RoundEntry;

    fn round_table(
        entries: &[(&str, u32, Option<RoundFate>)],
        tie_break: Option<pb::TieBreak>,
    ) -> RoundTable {
        let entries = entries.iter().map(|&(bot, wins, fate)| RoundEntry { bot: bot.into(), wins, fate });
        RoundTable { entries: entries.collect(), played: 1, matches: 2, tie_break }
    }

    #[test]
    fn the_path_of_the_champion_is_marked() {
        use RoundFate::{Advances, Champion, Eliminated, LuckyLoser};
        let first = vec![
            round_table(&[("ann", 2, Some(Advances)), ("bob", 0, Some(Eliminated))], None),
            round_table(
                &[("cid", 1, Some(Advances)), ("dan", 1, Some(Eliminated))],
                Some(pb::TieBreak::Regret),
            ),
        ];
        let last = vec![round_table(
            &[("eve", 1, Some(Champion)), ("cid", 1, Some(Eliminated))],
            Some(pb::TieBreak::Lot),
        )];
        let semi = vec![round_table(&[("eve", 2, Some(Advances)), ("ann", 0, Some(Eliminated))], None)];
        let round = |name: &str, tables, byes: &[&str]| Round {
            name: name.into(),
            tables,
            byes: byes.iter().map(ToString::to_string).collect(),
        };
        let rounds =
            [round("Round 1", first, &["eve"]), round("Round 2", semi, &["cid"]), round("Final", last, &[])];
        let html = bracket_html(&rounds, &["<note>".to_owned()]);
        let order = ["Final", "Round 2", "Round 1"].map(|name| html.find(&format!("<h3>{name}")).unwrap());
        assert!(order.is_sorted(), "{html}");
        let third = round_table(&[("fay", 2, Some(Advances)), ("gus", 1, Some(LuckyLoser))], None);
        assert_eq!(decision_text(&third), "decided by points; gus goes on as a lucky loser");
        assert_eq!(html.matches("class=\"tie path\"").count(), 2, "{html}");
        assert_eq!(html.matches("class=\"tie bye path\"").count(), 1, "{html}");
        assert_eq!(html.matches("class=\"path\" d=").count(), 2, "{html}");
        assert!(
            html.contains("level on points; decided by lot") && html.contains("decided by fewer own errors"),
            "{html}"
        );
        // The first round is in the order of the second one: ann's table and eve lead to the same table.
        let first = &html[order[2]..];
        let places = [">eve<", ">ann<", ">cid<"].map(|bot| first.find(bot).unwrap());
        assert!(places[2] > places[0] && places[2] > places[1], "{first}");
        assert_eq!(bracket_html(&[], &[]), "");
    }

    #[test]
    fn an_open_table_says_how_much_was_played() {
        let open = round_table(&[("ann", 1, None), ("bob", 0, None)], None);
        let round = Round { name: "Round 1".into(), tables: vec![open], byes: Vec::new() };
        let html = bracket_html(&[round], &[]);
        assert!(html.contains("1 of 2 matches played") && !html.contains("path"), "{html}");
    }
}
