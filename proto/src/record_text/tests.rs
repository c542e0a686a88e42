//! Records as text and back, and text that is none.

use super::*;
use crate::pb;
use lastnim_core::referee::testing::scene;
use lastnim_core::referee::{Seal, SigningKey};
use proptest::prelude::*;

const SAMPLE: &str = include_str!("../../../tests/data/record.txt");

#[test]
fn what_does_not_read_is_named_by_its_line_and_value() {
    let cases = [
        (
            "lastnim record 1",
            "lastnim record 2",
            "line 1: \"lastnim record 2\": the first line is `lastnim record 1`",
        ),
        ("match 0", "match x", "line 2: match id \"x1890a5d-"),
        (
            "\nseat 0 alice",
            "\nseat 0 Alice",
            "line 4: bot name \"Alice\": expected 1 to 32 of the characters",
        ),
        ("\nseat 1 bob", "\nseat 2 bob", "line 5: seat 2: seat 1 comes next, and 31 is the last"),
        (
            "\npiles 2 3",
            "\npiles 2 x",
            "line 7: pile \"x\": expected a whole number of 0 to 18446744073709551615",
        ),
        ("\nfirst 1", "\nfirst 1 2", "line 8: \"2\" where the line should end"),
        ("\nending last", "\nendng last", "line 9: \"endng\" where `ending` should stand"),
        ("last_mover_wins", "misere", "line 9: ending \"misere\": unknown name"),
        (
            "increment_ms 100",
            "increment_ms +1",
            "line 10: increment_ms \"+1\": expected a whole number of 0 to 4294967295",
        ),
        ("rows declared", "rows drawn", "line 13: rows \"drawn\": expected `declared` or `assigned`"),
        ("\nsigner ", "\nsigner A", "line 14: public key \"A"),
        ("\nsignature ", "\nsignature =", "line 15: signature \"="),
        ("\nevents 1", "\nevents 2", "line 27: the text ends after 11 events: the line `events` says 21"),
        (
            "events 11\n2023-11-14T",
            "events 11\n2023-11-31T",
            "line 17: time \"2023-11-31T22:13:20.000000Z\": expected UTC in RFC 3339",
        ),
        (" declared seat 0", " declred seat 0", "line 18: event \"declred\": unknown name"),
        (
            "seat 0 alice row 0 1 2",
            "seat 0 bob row 0 1 2",
            "line 18: seat 0 \"bob\": the bot of seat 0 is alice",
        ),
        ("row 0 1 2", "row 0 1 1", "line 18: offset 1 appears twice in a row, at places 1 and 2"),
        ("default late", "default unspecified", "line 20: default \"unspecified\": unknown name"),
        ("rows 0 1 2; 2", "rows 0 1 2, 2", "line 21: offset \"2,\": expected a whole number"),
        (" by bot", " by nobody", "line 22: by \"nobody\": expected `bot` or `steward`"),
        (
            "take 2 by",
            "take two by",
            "line 22: take \"two\": expected a whole number of 0 to 18446744073709551615",
        ),
        ("for illegal_take", "for Illegal_take", "line 23: reason \"Illegal_take\": unknown name"),
        ("ended finished winner 0", "ended finished winner 9", "line 27: seat 9: the seats are 0 to 2"),
    ];
    for (from, to, words) in cases {
        assert!(SAMPLE.contains(from), "{from}");
        let refused = read_record_text(&SAMPLE.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(refused.starts_with(words), "{from:?} as {to:?}: {refused}");
    }
}

#[test]
fn a_text_that_ends_early_is_refused_wherever_it_ends() {
    for (end, _) in SAMPLE.match_indices('\n') {
        let cut = &SAMPLE[..end];
        let lines = cut.lines().count();
        match read_record_text(cut) {
            Ok(_) => assert_eq!(lines, SAMPLE.lines().count()),
            Err(refused) => {
                assert!((lines..=lines + 1).contains(&refused.line), "{refused} in {lines} lines");
            }
        }
    }
    assert_eq!(
        read_record_text("").unwrap_err().to_string(),
        "line 1: the text ends where a line `lastnim ..` should stand"
    );
}

#[test]
fn absurd_numbers_are_refused() {
    let seats: Vec<_> = (0..40).map(|seat| format!("seat {seat} bot-{seat}\n")).collect();
    let text = SAMPLE.replace("seat 0 alice\nseat 1 bob\n", &seats.concat());
    assert_eq!(
        read_record_text(&text).unwrap_err().to_string(),
        "line 36: seat 32: seat 32 comes next, and 31 is the last"
    );
    let text = SAMPLE.replace("events 11", "events 99999999");
    assert!(
        read_record_text(&text)
            .unwrap_err()
            .to_string()
            .starts_with("line 16: 99999999 events: a record has at most")
    );
}

proptest! {
    // Signing is slow in a test that is not optimised.
    #![proptest_config(lastnim_core::game::testing::cases(80))]

    #[test]
    fn a_record_survives_the_text(scene in scene(), seed: [u8; 32]) {
        let finished = scene.finish(&mut |_| ());
        let open = scene.play(&mut |_| ()).0.into_record();
        let seal = SigningKey::from_seed(&seed).seal(finished.last_hash());
        let given: [(_, Option<&Seal>); 3] = [(&finished, Some(&seal)), (&finished, None), (&open, None)];
        for (record, seal) in given {
            let text = write_record_text(record, seal);
            prop_assert_eq!(read_record_text(&text), Ok(pb::MatchRecord::of(record, seal)));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(lastnim record 1\n)?[ -~\n]{0,300}") {
        if let Err(refused) = read_record_text(&text) {
            prop_assert!(refused.line <= text.lines().count() + 1, "{refused}");
        }
    }
}
