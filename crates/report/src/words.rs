//! Words for what several reports say: enumerations of the wire, numbers, counts.

use lastnim_proto::{pb, record_text::Utc};

/// The most characters of a list of words in a table, but for its count.
const LONGEST_LIST: usize = 40;
/// The most words that are listed one by one.
const MAX_JOINED: usize = 6;
/// The words of a longer list that are named.
const FIRST_JOINED: usize = 3;

/// Returns the word for a value: its name on the wire without what all values of its kind begin with, as `to_move_wins`
/// for `ENDING_TO_MOVE_WINS`.
pub fn enum_word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_ascii_lowercase()
}

/// Returns the word as it stands in a sentence, as `ply limit`.
pub fn enum_phrase(name: &str, prefix: &str) -> String {
    enum_word(name, prefix).replace('_', " ")
}

/// Counts things: `1 match`, `2 matches`.
pub fn count_words(count: impl TryInto<u64>, one: &str, more: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Writes a time to the second.
pub fn format_time(micros: u64) -> String {
    let text = Utc(micros).to_string();
    text.split('.').next().unwrap_or(&text).replace('T', " ")
}

/// Writes a span of time, more coarsely the longer it is: `0.8 s`, `12 s`, `3 min 20 s`, `5 h 7 min`, `2 d 3 h`.
pub fn span_words(millis: u64) -> String {
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

/// Writes things with a mark between them.
pub fn join_words(things: impl IntoIterator<Item: ToString>, between: &str) -> String {
    things.into_iter().map(|thing| thing.to_string()).collect::<Vec<_>>().join(between)
}

/// Lists the first of many words and says how many others there are; all of few.
pub fn join_first_words(words: &[String]) -> String {
    if words.len() <= MAX_JOINED {
        return words.join(", ");
    }
    let others = words.len() - FIRST_JOINED;
    format!("{} and {others} others", words[..FIRST_JOINED].join(", "))
}

/// Writes words as a sentence lists them, as in `random, epsilon and mcts`.
pub fn enumerate_words(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        words => words.concat(),
    }
}

/// Writes the rows of a matrix, as in `0 2 1; 0 1 2; 0 2 1`.
pub fn matrix_words<'a>(rows: impl IntoIterator<Item = &'a pb::Row>) -> String {
    join_words(rows.into_iter().map(|row| join_words(&row.offsets, " ")), "; ")
}

/// Cuts a list of words that is too long for a column of a table: `a, b, .. (9)` has nine.
pub fn shortened_list(words: &[impl AsRef<str>], between: &str) -> String {
    let mut line = String::new();
    for (index, word) in words.iter().enumerate() {
        let mark = if index == 0 { "" } else { between };
        if line.chars().count() + mark.len() + word.as_ref().chars().count() > LONGEST_LIST {
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
    fn of_many_words_the_first_are_named() {
        let bots: Vec<_> = (0..32).map(|bot| format!("b{bot}")).collect();
        assert_eq!(join_first_words(&bots[..6]), "b0, b1, b2, b3, b4, b5");
        assert_eq!(join_first_words(&bots), "b0, b1, b2 and 29 others");
        assert_eq!(join_first_words(&[]), "");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            [0_u32, 1, 2].map(|count| count_words(count, "match", "matches")),
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
    fn a_time_is_told_to_the_second() {
        assert_eq!(format_time(1_700_000_000_123_456), "2023-11-14 22:13:20");
    }

    #[test]
    fn a_span_is_told_as_coarsely_as_it_is_long() {
        let told = [0, 850, 9_999, 12_345, 200_000, 18_420_000, 183_600_000].map(span_words);
        assert_eq!(told, ["0.0 s", "0.8 s", "9.9 s", "12 s", "3 min 20 s", "5 h 7 min", "2 d 3 h"]);
        assert_eq!(span_words(u64::MAX), "213503982334 d 14 h");
    }

    #[test]
    fn a_word_is_a_name_without_its_kind() {
        assert_eq!(enum_word(pb::Ending::ToMoveWins.as_str_name(), "ENDING_"), "to_move_wins");
        assert_eq!(enum_phrase(pb::EndReason::PlyLimit.as_str_name(), "END_REASON_"), "ply limit");
    }
}
