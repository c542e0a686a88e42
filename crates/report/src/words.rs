//! Text that several reports share: names of enumeration values, numbers, and lists.

use lastnim_core::shown_number::shown_number;
use lastnim_proto::{pb, record_text::Utc};

/// The maximum length of a list in a table, without its count.
const MAX_LIST_CHARS: usize = 40;
/// The maximum number of items in a list that is written in full.
const MAX_FULL_LIST: usize = 6;
/// Maximum number of items named from a longer list.
const MAX_NAMED_FROM_LONG_LIST: usize = 3;

/// Returns the name of an enum value in lower case and without its prefix, such as `to_move_wins` for
/// `ENDING_TO_MOVE_WINS`.
pub fn enum_word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase()
}

/// Returns the name of an enum value as [`enum_word`] does, but with spaces for use in sentences, such as `ply limit`.
pub fn enum_phrase(name: &str, prefix: &str) -> String {
    enum_word(name, prefix).replace('_', " ")
}

/// Formats a count with its noun: `1 match`, `2 matches`.
pub fn count_with_noun(count: impl TryInto<u64>, one: &str, more: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Formats a place in an order: `1st`, `2nd`, `11th`.
pub fn ordinal_word(place: u64) -> String {
    let is_teen = place % 100 / 10 == 1;
    let ending = match place % 10 {
        1 if !is_teen => "st",
        2 if !is_teen => "nd",
        3 if !is_teen => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}

/// Formats a time, given in microseconds since 1970-01-01 UTC, to the second.
pub fn format_time(micros: u64) -> String {
    let text = Utc(micros).to_string();
    text.split('.').next().unwrap_or(&text).replace('T', " ")
}

/// Formats a duration, rounded more coarsely the longer it is: `0.8 s`, `12 s`, `3 min 20 s`, `5 h 7 min`, `2 d 3 h`.
pub fn format_duration(millis: u64) -> String {
    let seconds = millis / 1_000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes, seconds) {
        (0, 0, 0, 0..10) => format!("{seconds}.{} s", millis % 1_000 / 100),
        (0, 0, 0, _) => format!("{seconds} s"),
        (0, 0, ..) => format!("{minutes} min {} s", seconds % 60),
        (0, ..) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

/// Joins things with a separator.
pub fn join_items(things: impl IntoIterator<Item: ToString>, between: &str) -> String {
    things.into_iter().map(|thing| thing.to_string()).collect::<Vec<_>>().join(between)
}

/// Lists the first items of a long list and counts the rest.
pub fn join_first_items(words: &[String]) -> String {
    if words.len() <= MAX_FULL_LIST {
        return words.join(", ");
    }
    let others = words.len() - MAX_NAMED_FROM_LONG_LIST;
    format!("{} and {others} others", words[..MAX_NAMED_FROM_LONG_LIST].join(", "))
}

/// Joins items as in a sentence: `random, epsilon and mcts`.
pub fn join_with_and(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        words => words.concat(),
    }
}

/// Writes the row of the seat with the index `own` as the numbers of the seats, counted from 1: `2>3>1`.
pub fn order_text(row: &pb::Row, own: usize, seats: usize) -> String {
    join_items(row.offsets.iter().map(|offset| shown_number((own + *offset as usize) % seats.max(1))), ">")
}

/// Formats the rows of a matrix: `0 2 1; 0 1 2; 0 2 1`.
pub fn matrix_text<'a>(rows: impl IntoIterator<Item = &'a pb::Row>) -> String {
    join_items(rows.into_iter().map(|row| join_items(&row.offsets, " ")), "; ")
}

/// Shortens a long list for a table: `a, b, .. (9)` has nine items.
pub fn shortened_list(words: &[impl AsRef<str>], between: &str) -> String {
    let mut line = String::new();
    for (index, word) in words.iter().enumerate() {
        let mark = if index == 0 { "" } else { between };
        if line.chars().count() + mark.len() + word.as_ref().chars().count() > MAX_LIST_CHARS {
            return format!("{line}{mark}.. ({})", words.len());
        }
        line.push_str(mark);
        line.push_str(word.as_ref());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_name_only_the_first_items() {
        let bots: Vec<_> = (0..32).map(|bot| format!("b{bot}")).collect();
        assert_eq!(join_first_items(&bots[..6]), "b0, b1, b2, b3, b4, b5");
        assert_eq!(join_first_items(&bots), "b0, b1, b2 and 29 others");
        assert_eq!(join_first_items(&[]), "");
    }

    #[test]
    fn counts_use_the_singular_or_the_plural() {
        assert_eq!(
            [0_u32, 1, 2].map(|count| count_with_noun(count, "match", "matches")),
            ["0 matches", "1 match", "2 matches"]
        );
    }

    #[test]
    fn a_long_list_is_cut_and_counted() {
        assert_eq!(shortened_list(&["ann", "bob"], ", "), "ann, bob");
        assert_eq!(shortened_list(&[""; 0], ", "), "");
        let piles = vec!["12"; 20];
        assert_eq!(shortened_list(&piles, ","), format!("{},.. (20)", ["12"; 13].join(",")));
    }

    #[test]
    fn orders_have_the_numbers_of_seats() {
        let row = |offsets: &[u32]| pb::Row { offsets: offsets.to_vec() };
        assert_eq!(order_text(&row(&[0, 2, 1]), 1, 3), "2>1>3");
        assert_eq!(order_text(&row(&[7]), 0, 0), "1", "an invalid row is no panic");
    }

    #[test]
    fn times_have_seconds() {
        assert_eq!(format_time(1_700_000_000_123_456), "2023-11-14 22:13:20");
    }

    #[test]
    fn long_durations_are_rounded() {
        let texts = [0, 850, 9_999, 12_345, 200_000, 18_420_000, 183_600_000].map(format_duration);
        assert_eq!(texts, ["0.0 s", "0.8 s", "9.9 s", "12 s", "3 min 20 s", "5 h 7 min", "2 d 3 h"]);
        assert_eq!(format_duration(u64::MAX), "213503982334 d 14 h");
    }

    #[test]
    fn the_words_of_enum_values_have_no_prefix() {
        assert_eq!(enum_word(pb::Ending::ToMoveWins.as_str_name(), "ENDING_"), "to_move_wins");
        assert_eq!(enum_phrase(pb::EndReason::PlyLimit.as_str_name(), "END_REASON_"), "ply limit");
    }
}
