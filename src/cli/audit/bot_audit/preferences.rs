//! What a bot declares and what its takes say, in words.

use crate::{
    auditing::{ExplainedRows, Preference, Rationalisable, RowSource},
    cli::text::table::{self, align_left, table},
};
use std::io::{self, Write};

/// The rows that are listed.
const MAX_LISTED: usize = 8;

/// Prints the rows that a bot had, those that its takes fit, and how often it chose which winner over which.
pub fn print(output: &mut impl Write, preference: &Preference) -> io::Result<()> {
    let seats = preference.seats;
    writeln!(
        output,
        "\nPreferences at tables of {seats}, by takes that chose between winners: {}\n\
         A row lists offsets from the bot's own seat, which is 0, the winner that it likes best first; 1 moves next",
        preference.choices
    )?;
    let mut rows = table(&["row", "", "matches", "optimal for it", "fits the choices"]);
    for held in preference.rows.iter().take(MAX_LISTED) {
        rows.add_row([
            held.row.to_string(),
            match held.source {
                RowSource::Declared => "declared".to_owned(),
                RowSource::Assigned => "assigned".to_owned(),
            },
            held.matches.to_string(),
            percent(held.accuracy()),
            percent(held.agreement),
        ]);
    }
    if let Some(fit) = &preference.best_fit {
        rows.add_row([
            fit.row.to_string(),
            "fits best".to_owned(),
            "-".to_owned(),
            percent(Some(fit.optimal_share())),
            percent(Some(fit.agreement)),
        ]);
    }
    align_left(&mut rows, &[0, 1]);
    table::print(output, &rows)?;
    let more = preference.rows.len().saturating_sub(MAX_LISTED);
    if more > 0 || preference.other_rows > 0 {
        let rows = if more == 1 { "row" } else { "rows" };
        let matches = if preference.other_rows == 1 { "match" } else { "matches" };
        let other_rows = preference.other_rows;
        writeln!(
            output,
            " {more} more {rows}, and {other_rows} {matches} with rows that are not told apart."
        )?;
    }
    writeln!(output, " {}.", if_believed(preference))?;
    writeln!(output, " {}.", if_known(&preference.explained))?;
    if preference.choices == 0 || seats.get() > 8 {
        return Ok(());
    }
    writeln!(
        output,
        "\nHow often it made the seat at the line's offset win where it could have made the column's: +1 moves next after it"
    )?;
    let columns =
        ["took".to_owned()].into_iter().chain((0..seats.get()).map(|offset| format!("over +{offset}")));
    let mut chosen = table(&columns.collect::<Vec<_>>());
    for offset in 0..seats.get() {
        let cells = (0..seats.get()).map(|other| percent(preference.chosen_share(offset, other)));
        chosen.add_row([format!("+{offset}")].into_iter().chain(cells).collect::<Vec<_>>());
    }
    table::print(output, &chosen)
}

/// Says which rows make all takes optimal, the others believing the declared one, as a sentence without its full stop.
fn if_believed(preference: &Preference) -> String {
    let held = believed(preference);
    match &preference.rationalisable {
        _ if preference.choices == 0 => "No take chose between winners, so that every row fits".to_owned(),
        Rationalisable::ByRows { rows: 1, example } => {
            format!("One row makes every take optimal, the others believing {held}: {example}")
        }
        Rationalisable::ByRows { rows, example } => {
            format!(
                "{rows} rows make every take optimal, the others believing {held}; the first is {example}"
            )
        }
        Rationalisable::Uncounted { example } => {
            format!(
                "There are rows that make every take optimal, the others believing {held}, such as {example}"
            )
        }
        Rationalisable::Contradicted { cycle } => {
            let words = cycle.iter().chain(cycle.first()).map(|offset| format!("+{offset}"));
            let words: Vec<_> = words.collect();
            format!(
                "No row makes every take optimal: it took winners {}, each at least once",
                words.join(" over ")
            )
        }
    }
}

/// Says how many rows make all takes optimal if they are common knowledge, as a sentence without its full stop.
fn if_known(explained: &ExplainedRows) -> String {
    let left_out = match explained.left_out {
        0 => String::new(),
        1 => "; 1 match, which would have taken too long, is not counted in".to_owned(),
        left_out => format!("; {left_out} matches, which would have taken too long, are not counted in"),
    };
    match (&explained.example, explained.rows.at_least()) {
        (_, 0) => format!("Were its row common knowledge, no row would make every take optimal{left_out}"),
        (Some(example), 1) => {
            format!("Were its row common knowledge, one would make every take optimal: {example}{left_out}")
        }
        (Some(example), rows) => {
            format!(
                "Were its row common knowledge, {rows} would make every take optimal; the first is {example}{left_out}"
            )
        }
        (None, _) => format!(
            "Were its row common knowledge, {} would make every take optimal{left_out}",
            explained.rows
        ),
    }
}

/// Says which row the others believe.
fn believed(preference: &Preference) -> &'static str {
    if preference.rows.iter().all(|held| held.source == RowSource::Assigned) {
        "the assigned one"
    } else {
        "the declared one"
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1}%", 100.0 * share))
}
