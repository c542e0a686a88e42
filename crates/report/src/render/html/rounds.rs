//! Rounds as lists: beside each other where there is room.

use super::{Escaped, Html};
use crate::{Round, RoundEntry, RoundTable};
use std::fmt::Write as _;

impl Html<'_> {
    /// Writes rounds, one list each.
    pub(super) fn rounds_html(self, rounds: &[Round]) -> String {
        let mut html = String::from("<ol class=\"rounds\">\n");
        for round in rounds {
            // Writing to a text does not fail.
            let _ = write!(html, "<li><h3>{}</h3>\n<ul>", Escaped(&round.name));
            for table in &round.tables {
                let _ = write!(html, "<li>{}</li>", self.table_of_round_html(table));
            }
            if !round.byes.is_empty() {
                let byes: Vec<_> = round.byes.iter().map(|bot| self.linked_text("bot", bot)).collect();
                let _ = write!(html, "<li class=\"byes\">sat out: {}</li>", byes.join(", "));
            }
            html.push_str("</ul></li>\n");
        }
        html + "</ol>\n"
    }

    fn table_of_round_html(self, table: &RoundTable) -> String {
        let mut html = String::from("<table>");
        for RoundEntry { bot, wins, fate } in &table.entries {
            let fate = fate.as_deref().unwrap_or_default();
            let class = if fate.is_empty() || fate.starts_with("out") { "" } else { " class=\"on\"" };
            let _ = write!(
                html,
                "<tr{class}><th scope=\"row\">{}</th><td class=\"number\">{wins}</td><td>{}</td></tr>",
                self.linked_text("bot", bot),
                Escaped(fate)
            );
        }
        html.push_str("</table>");
        if table.played < table.matches {
            let _ = write!(html, "<p>{} of {} matches played</p>", table.played, table.matches);
        }
        html
    }
}
