//! `lastnim record verify` on changed files, with the real binary.

use super::record_fixture::{FROZEN, FROZEN_KEY, Folder, NOBODY, frozen, json, offline, printed};
use serde_json::json;
use std::fs;

#[test]
fn frozen_records_verify_in_every_form() {
    for name in FROZEN {
        let verdict = printed(&["record", "verify", "-"], &frozen(name));
        let first = verdict.lines().next().unwrap();
        assert_eq!(
            first,
            format!("standard input: match {NOBODY}: intact, 11 events, signed by {FROZEN_KEY}")
        );
        assert!(verdict.contains("not that this is the key of the server you"), "{verdict}");
        assert!(
            !printed(&["record", "verify", "--key", FROZEN_KEY, "-"], &frozen(name)).contains("This shows")
        );
    }
}

#[test]
fn each_change_to_a_record_is_named_in_one_line() {
    let [line, pretty] = FROZEN.map(frozen);
    let cases = [
        (line.replacen("\"take\":\"2\"", "\"take\":\"1\"", 1), "event 5 was changed, or "),
        (line.replacen("\"bob\"", "\"rob\"", 1), "event 0 or the match's id was changed"),
        (line.replacen("REASON_RESIGNED", "REASON_TIMED_OUT", 1), "event 8 was changed, or "),
        (
            line.replacen("\"signature\":\"5mN", "\"signature\":\"AAA", 1),
            "the signature does not match this record",
        ),
        (
            line[..line.find(",\"signer\"").unwrap()].to_owned() + "}\n",
            "it is not signed: its match is over, so it should have a signature",
        ),
        (
            line.replacen("\"take\":\"2\"", "\"take\":\"many\"", 1),
            "events[5].took.take: \"many\" is not a whole number\n",
        ),
        (
            line.replacen("\"at_us\":", "\"att_us\":", 1),
            "events[0]: unknown key \"att_us\": did you mean \"at_us\"? expected one of ",
        ),
        ("{}\n".to_owned(), "match_id: match id \"\": expected a UUID "),
        (
            line.replacen(
                "\"seat\":1,\"take\":\"2\"",
                "\"note_hash\":null,\"ply\":null,\"seat\":1.0,\"take\":2e0",
                1,
            ),
            "only its layout differs from what lastnim writes, starting at line 1, column ",
        ),
        (
            line.replacen("{\"", "{ \"", 1),
            "only its layout differs from what lastnim writes, starting at line 1, column 2; --any-layout",
        ),
        (
            line.trim_end().to_owned(),
            "only its layout differs from what lastnim writes, starting at line 1, column ",
        ),
        (line[..200].to_owned(), "the record is truncated: its text ends at line 1, column 200\n"),
        (
            pretty.lines().take(30).collect::<Vec<_>>().join("\n"),
            "the record is truncated: its text ends at line 30, column ",
        ),
        (
            pretty.replacen("\": ", "\":", 1),
            "only its layout differs from what lastnim writes, starting at line 2, column 14",
        ),
        (
            pretty.replacen(",\n", ",\r\n", 1),
            "only its layout differs from what lastnim writes, starting at line 2, column ",
        ),
        (frozen("record.txt"), "this is a record as text, for people to read: give its JSON, "),
        (String::new(), "not a record: expected JSON that begins with `{`\n"),
    ];
    for (changed, words) in cases {
        assert!(![&line, &pretty].contains(&&changed), "{words}");
        let (code, verdict, error) = offline(&["record", "verify", "-"], &changed);
        assert_eq!(
            (code, error.as_str(), verdict.lines().count()),
            (1, "error: the record does not verify\n", 1)
        );
        let verdict = verdict.strip_prefix("standard input: ").unwrap();
        let verdict = verdict.strip_prefix(&format!("match {NOBODY}: ")).unwrap_or(verdict);
        assert!(verdict.starts_with(words), "{words:?}: {verdict}");
        if words.contains("layout") {
            assert!(
                printed(&["record", "verify", "--any-layout", "--key", FROZEN_KEY, "-"], &changed)
                    .contains("intact")
            );
        }
    }
    // A removed event leaves a gap in the plies.
    let mut removed = json(&line);
    removed["events"].as_array_mut().unwrap().retain(|event| event["took"]["ply"] != 1);
    let verdict = json(&offline(&["record", "verify", "--json", "-"], &format!("{removed}\n")).1);
    assert_eq!(
        (&verdict["flaw"], &verdict["event"], &verdict["verified"]),
        (&json!("removed"), &json!(7), &json!(false))
    );
    let twice = line.trim_end().to_owned() + "\n" + &line + "\n" + &line;
    let (code, verdicts, _) = offline(&["record", "verify", "-"], &twice);
    assert!(code == 1 && verdicts.contains("standard input:3: not a record"), "{verdicts}");
    assert_eq!(
        printed(&["record", "verify", "--any-layout", "--key", FROZEN_KEY, "-"], &twice).lines().count(),
        3
    );
}

#[test]
fn a_difference_at_the_ends_of_lines_is_named() {
    let [line, pretty] = FROZEN.map(frozen);
    let (crlf, newline) = ("lines end with CR LF instead of LF", "the newline at the end is missing");
    for (changed, cause) in [
        (line.replace('\n', "\r\n"), crlf.to_owned()),
        (pretty.replace('\n', "\r\n"), crlf.to_owned()),
        (line.trim_end().to_owned(), newline.to_owned()),
        (pretty.trim_end().replace('\n', "\r\n"), format!("{crlf}, and {newline}")),
    ] {
        let (code, verdict, _) = offline(&["record", "verify", "-"], &changed);
        assert_eq!(code, 1);
        assert!(verdict.ends_with(&format!(": {cause}; --any-layout accepts this\n")), "{verdict}");
    }
}

#[test]
fn an_unreadable_record_does_not_stop_others() {
    let folder = Folder::new("cli-unreadable");
    let line = frozen("record.json");
    let whole = folder.write("whole.json", &line);
    let (lines, missing) = (folder.path("lines.jsonl"), folder.path("missing.json"));
    let torn =
        [line.as_bytes(), b"{\xff}\n", &line.as_bytes()[..90], b"\n{\"match_id\"1}\n", line.as_bytes()]
            .concat();
    fs::write(&lines, torn).unwrap();
    let (code, verdicts, error) =
        offline(&["record", "verify", "--key", FROZEN_KEY, &missing, &lines, &whole], "");
    assert_eq!((code, error.as_str()), (1, "error: 4 of 7 records do not verify\n"), "{verdicts}");
    let verdicts: Vec<_> = verdicts.lines().collect();
    assert!(verdicts[0].starts_with(&format!("{missing}: No such file")), "{verdicts:?}");
    assert_eq!(verdicts[2], format!("{lines}:2: byte 2 of the record is not UTF-8"));
    assert_eq!(
        verdicts[3],
        format!("{lines}:3: the record is truncated: its text ends at line 3, column 90")
    );
    assert_eq!(verdicts[4], format!("{lines}:4: not valid JSON: expected `:` at column 12, found \"1\""));
    for (at, place) in [(1, format!("{lines}:1: ")), (5, format!("{lines}:5: ")), (6, format!("{whole}: "))] {
        assert!(verdicts[at].starts_with(&place) && verdicts[at].contains("intact, "), "{verdicts:?}");
    }
}
