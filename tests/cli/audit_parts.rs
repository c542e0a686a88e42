//! Audits of parts of some records, merged with `--merge`.

use crate::bot_audit::{Folder, lastnim, record, records::MadeUp};
use lastnim_proto::record_file::RecordForm;
use lastnim_tournament::SeededDraw;
use std::fs;

/// Writes the audit of some records to a file, and returns its path.
fn write_part(folder: &Folder, name: &str, audit: &[&str], records: &str) -> String {
    let path = folder.write(name, "");
    fs::remove_file(&path).unwrap();
    let (code, output, errors) = lastnim(&[audit, &["--partial", &path, "-"]].concat(), records);
    assert!([0, 3].contains(&code) && output.is_empty(), "{code} {output} {errors}");
    assert!(errors.ends_with(&format!(" to {path}\n")), "{errors}");
    path
}

fn merge(audit: &[&str], parts: &[&str]) -> (i32, String, String) {
    lastnim(&[audit, &["--merge"], parts].concat(), "")
}

#[test]
fn partial_audits_can_be_merged_in_any_order() {
    let folder = Folder::new("audit-parts");
    let draw = &mut SeededDraw::from_numbers([3]);
    let good: Vec<String> = (0..45).map(|number| record(number, RecordForm::Json)).collect();
    // Some numbers are missing, and one record is refused.
    let kept: Vec<&String> =
        good.iter().enumerate().filter(|(at, _)| at % 11 != 5).map(|(_, text)| text).collect();
    let mut parts = vec![String::new(); 3];
    for text in kept {
        parts[draw.number_below(3) as usize].push_str(text);
    }
    parts[1].push_str("no record\n");
    let files: Vec<String> =
        parts.iter().enumerate().map(|(at, text)| folder.write(&format!("{at}.jsonl"), text)).collect();
    for audit in [&["audit", "field"][..], &["audit", "bot", "good"], &["audit", "field", "--json"]] {
        let all: Vec<&str> = files.iter().map(String::as_str).collect();
        let whole = lastnim(&[audit, &["--seed", "7", "--puzzles", "3"], &all].concat(), "");
        assert_eq!(whole.0, 3, "{}", whole.2);
        let written: Vec<String> = (0..3)
            .map(|at| {
                let path = format!("{}/{at}.part", folder.path());
                let args =
                    [audit, &["--seed", "7", "--puzzles", "3", "--partial", &path, &files[at]]].concat();
                assert_eq!(lastnim(&args, "").0, if at == 1 { 3 } else { 0 });
                path
            })
            .collect();
        let [one, two, three] = [0, 1, 2].map(|at| written[at].as_str());
        for order in [[one, two, three], [three, one, two], [two, three, one]] {
            assert_eq!(merge(audit, &order), whole);
        }
        // Merged parts can be written as a part again.
        let both = format!("{}/both.part", folder.path());
        let (code, _, errors) = lastnim(&[audit, &["--partial", &both, "--merge", three, two]].concat(), "");
        assert_eq!(code, 3, "{errors}");
        assert_eq!(merge(audit, &[&both, one]), whole);
    }
}

#[test]
fn partial_audits_that_do_not_fit_are_refused() {
    let folder = Folder::new("audit-parts-refused");
    let field = ["audit", "field"];
    let lines = |numbers: std::ops::Range<u64>| -> String {
        numbers.map(|number| record(number, RecordForm::Json)).collect()
    };
    let first = write_part(&folder, "first", &field, &lines(0..6));
    let assert_refused = |path: &str, words: &str| {
        let (code, output, errors) = merge(&field, &[&first, path]);
        assert_eq!((code, output.as_str()), (2, ""), "{errors}");
        assert_eq!(errors.lines().next(), Some(format!("error: {path}: {words}").as_str()));
    };
    let (played, _) = MadeUp::new(3, 1).play(0);
    let tournament = played.state().setup().origin.as_ref().unwrap().tournament;
    let twice = write_part(&folder, "twice", &field, &lines(5..9));
    assert_refused(
        &twice,
        &format!(
            "match 6 of tournament {tournament} is also in another part: expected each match in one part"
        ),
    );
    assert_refused(
        &first,
        &format!(
            "match 1 of tournament {tournament} is also in another part: expected each match in one part"
        ),
    );
    let record_in_group = |number, group| {
        let (played, seal) = MadeUp::new(3, 1).play_in_group(number, group);
        RecordForm::Json.write(&played, Some(&seal))
    };
    let double = write_part(&folder, "double", &field, &record_in_group(9, 1));
    assert_refused(
        &double,
        &format!("the duplicate groups of tournament {tournament} have a different size in another part"),
    );
    let start = write_part(&folder, "start", &field, &lines(0..3));
    let rotation = write_part(&folder, "rotation", &field, &record_in_group(3, 0));
    let (code, _, errors) = merge(&field, &[&start, &rotation]);
    let expected = format!(
        "error: {rotation}: duplicate group 1 of tournament {tournament} has a match with the same bots at the same seats in two parts: expected each seating once\n"
    );
    assert_eq!((code, errors), (2, expected));
    let seed = write_part(&folder, "seed", &["audit", "field", "--seed", "2"], &lines(6..9));
    assert_refused(&seed, "the seed is 1 in one part and 2 in another: expected the same in all parts");
    let unsigned = write_part(&folder, "unsigned", &["audit", "field", "--unsigned"], &lines(6..9));
    assert_refused(
        &unsigned,
        "written with --unsigned: expected none of these flags, as for the earlier parts",
    );
    let bot_part = write_part(&folder, "of-bot", &["audit", "bot", "good"], &lines(6..9));
    assert_refused(&bot_part, "an audit of good: expected an audit of every bot");
    assert_refused(&folder.write("text", "nonsense"), "not a file that --partial wrote");
    let mut bytes = fs::read(&twice).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = folder.0.join("damaged");
    fs::write(&damaged, &bytes).unwrap();
    assert_refused(damaged.to_str().unwrap(), "it is damaged or incomplete: write it again");
    fs::write(&damaged, &bytes[..60]).unwrap();
    assert_refused(damaged.to_str().unwrap(), "it is damaged or incomplete: write it again");
    let (code, _, errors) = merge(&field, &[&first, "-", "--seed", "3"]);
    assert_eq!(code, 2);
    assert!(errors.contains("cannot be used with"), "{errors}");
}
