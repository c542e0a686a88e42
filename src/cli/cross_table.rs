//! Who wins at whose tables, as a table and as JSON.

use super::table::{table, words_in};
use crate::wire::pb;
use comfy_table::Table;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Makes the cross-table: in the row of a bot and the column of another, how many of the matches in which both sat the bot of the
/// row won.
pub(super) fn cross_table(meetings: &[pb::Meeting]) -> Table {
    let mut cells: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for pb::Meeting { bot, other, matches, wins, other_wins } in meetings {
        cells.insert((bot, other), format!("{wins}/{matches}"));
        cells.insert((other, bot), format!("{other_wins}/{matches}"));
    }
    let bots: BTreeSet<&str> = cells.keys().map(|&(bot, _)| bot).collect();
    let columns: Vec<&str> = ["won/met"].into_iter().chain(bots.iter().copied()).collect();
    let mut table = table(&columns);
    words_in(&mut table, &[0]);
    for &bot in &bots {
        let cell = |other: &&str| cells.get(&(bot, *other)).cloned().unwrap_or_else(|| "-".to_owned());
        table.add_row([bot.to_owned()].into_iter().chain(bots.iter().map(cell)));
    }
    table
}

/// Makes the cross-table's JSON, a list of the pairs that met, with the names of the proto's fields.
pub(super) fn cross_table_json(meetings: &[pb::Meeting]) -> Value {
    let meeting = |meeting: &pb::Meeting| {
        json!({
            "bot": meeting.bot,
            "other": meeting.other,
            "matches": meeting.matches,
            "wins": meeting.wins,
            "other_wins": meeting.other_wins,
        })
    };
    meetings.iter().map(meeting).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table;

    #[test]
    fn every_meeting_is_seen_from_both() {
        let meeting = |bot: &str, other: &str, [matches, wins, other_wins]: [u32; 3]| pb::Meeting {
            bot: bot.into(),
            other: other.into(),
            matches,
            wins,
            other_wins,
        };
        let meetings = [meeting("a", "b", [6, 3, 1]), meeting("b", "c", [2, 0, 2])];
        let mut text = Vec::new();
        table::print(&mut text, &cross_table(&meetings)).unwrap();
        let text = String::from_utf8(text).unwrap();
        let words: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["won/met", "a", "b", "c"]);
        assert_eq!(words[1], ["a", "-", "3/6", "-"]);
        assert_eq!(words[2], ["b", "1/6", "-", "0/2"]);
        assert_eq!(words[3], ["c", "-", "2/2", "-"]);
        assert_eq!(cross_table_json(&meetings)[1]["other_wins"], 2);
    }
}
