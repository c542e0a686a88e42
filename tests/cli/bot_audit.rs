//! The audit of bots over many matches, with the real binary on signed records.

#[path = "../../benches/audit/records.rs"]
pub(crate) mod records;

use lastnim_core::referee::{Record, Seal};
use lastnim_proto::record_file::RecordForm;
use records::{FIELD, MadeUp};
use serde_json::Value;
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");

/// Runs the program on an input to its end.
pub(crate) fn lastnim(args: &[&str], input: &str) -> (i32, String, String) {
    let mut command = Command::new(LASTNIM);
    command.args(args).env_remove("LASTNIM_SERVER").env_remove("LASTNIM_ADMIN_TOKEN");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_owned());
    // On a separate thread, since a batch is answered while it is read. A program that does not read its input may
    // have closed it.
    let writer = thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A folder that is removed with the test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // An interrupted run may have left one.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn record(number: u64, form: RecordForm) -> String {
    let (record, seal) = MadeUp::new(3, 1).play(number);
    form.write(&record, Some(&seal))
}

/// The records of this many matches, one per line.
fn lines(matches: u64) -> String {
    (0..matches).map(|number| record(number, RecordForm::Json)).collect()
}

#[test]
fn figures_are_the_sums_of_single_audits() {
    let records = lines(150);
    let (code, single, _) = lastnim(&["audit", "match", "--batch"], &records);
    assert_eq!(code, 0);
    let single: Vec<Value> = single.lines().map(json).collect();
    let bots: Vec<Vec<String>> = records
        .lines()
        .map(|line| serde_json::from_value(json(line)["events"][0]["created"]["bots"].clone()).unwrap())
        .collect();
    let (code, found, errors) = lastnim(&["audit", "field", "--json", "-"], &records);
    assert_eq!((code, errors.as_str()), (0, ""));
    let found = json(&found);
    assert_eq!((&found["matches"], &found["groups"]), (&150.into(), &50.into()));
    assert_eq!(found["bots"].as_array().unwrap().len(), FIELD.len());
    for bot in found["bots"].as_array().unwrap() {
        let seats = bots.iter().zip(&single).filter_map(|(bots, audit)| {
            let seat = bots.iter().position(|name| bot["bot"] == **name)?;
            Some((seat, audit))
        });
        let regret: u64 =
            seats.clone().map(|(seat, audit)| audit["seats"][seat]["regret"].as_u64().unwrap()).sum();
        let own_plies = seats.clone().flat_map(|(seat, audit)| {
            audit["plies"].as_array().unwrap().iter().filter(move |ply| ply["seat"] == seat)
        });
        let (plies, optimal) =
            (own_plies.clone().count(), own_plies.filter(|ply| ply["regret"] == 0).count());
        let wins = seats.clone().filter(|(seat, audit)| audit["winner"] == *seat).count();
        let figures = &bot["figures"];
        assert_eq!((&figures["matches"], &figures["wins"]), (&seats.count().into(), &wins.into()));
        assert_eq!((&figures["regret"], &figures["plies"]), (&regret.into(), &plies.into()));
        assert_eq!(figures["optimal_plies"], optimal);
        let accuracy = &figures["accuracy"];
        let value = f64::from(optimal as u32) / f64::from(plies as u32);
        assert!((accuracy["value"].as_f64().unwrap() - value).abs() < 1e-12);
        assert!(accuracy["low"].as_f64() <= Some(value) && accuracy["high"].as_f64() >= Some(value));
    }
    for pair in found["pairs"].as_array().unwrap() {
        let seat = |bots: &[String], key: &str| bots.iter().position(|name| pair[key] == **name);
        let entries = bots.iter().zip(&single).filter_map(|(bots, audit)| {
            let (mover, other) = (seat(bots, "mover")?, seat(bots, "other")?);
            audit["ledger"][mover][other].as_i64()
        });
        assert_eq!(pair["ledger"], entries.sum::<i64>(), "{pair}");
    }
    let optimal = found["bots"].as_array().unwrap().iter().find(|bot| bot["bot"] == "optimal").unwrap();
    let figures = &optimal["figures"];
    assert_eq!((&figures["regret"], &figures["accuracy"]["high"]), (&0.into(), &1.0.into()));
    assert!(figures["accuracy"]["low"].as_f64().is_some_and(|low| (0.9..1.0).contains(&low)), "{figures}");
    assert_eq!(optimal["preferences"][0]["rows"][0]["row"]["offsets"], serde_json::json!([0, 1, 2]));
    let pairs = found["pairs"].as_array().unwrap();
    assert_eq!(pairs.iter().filter(|pair| pair["favouritism"]["flagged"] == true).count(), 0);
}

#[test]
fn the_form_and_order_of_inputs_do_not_matter() {
    let folder = Folder::new("bot-audit-folder");
    for (number, form) in (0..60).zip(RecordForm::JSON.into_iter().cycle()) {
        folder.write(&format!("{number:03}.json"), &record(number, form));
    }
    let mut backwards: Vec<String> = (0..60).rev().map(|number| record(number, RecordForm::Json)).collect();
    backwards.swap(3, 40);
    let (code, from_folder, _) = lastnim(&["audit", "bot", "poor", "--json", folder.path()], "");
    assert_eq!(code, 0);
    let (_, from_input, _) = lastnim(&["audit", "bot", "poor", "--json", "-"], &backwards.concat());
    assert_eq!(json(&from_folder), json(&from_input));
    let found = json(&from_folder);
    assert_eq!(found["bots"].as_array().unwrap().len(), 1);
    let has_poor = |pair: &Value| pair["mover"] == "poor" || pair["other"] == "poor";
    assert!(found["pairs"].as_array().unwrap().iter().all(has_poor));
}

#[test]
fn the_text_report_shows_every_section() {
    let records = lines(150);
    let (code, report, errors) = lastnim(&["audit", "bot", "any", "-"], &records);
    assert_eq!((code, errors.as_str()), (0, ""));
    let expected = [
        "any in 81 matches of 27 duplicate groups (the same bots on the same piles, in every rotation of the seats): ",
        "No pair is flagged: in ",
        "of any's pairs only; an audit of the field corrects for all pairs.",
        "Left out: 69 without this bot.",
        "Signatures: 81 by ",
        "; no --key was given, so the owner of this key was not checked.",
        "Figures, with 95% intervals over duplicate groups",
        "By phase",
        "opening",
        "Preferences at tables of 3",
        "No row makes every take optimal, because the bot's choices form a cycle: +",
        "Pairs: ranks that the mover's takes cost the other bot, and ranks that they gave it",
        "\n  any ",
        "Kingmaking (an error that improved a third seat's rank): ",
        "Puzzles: its worst errors",
        "What should seat ",
        "     Solution: ",
        "Verdict\n  At tables of 3 it declares 0 1 2",
        "No pair is flagged.",
    ];
    for words in expected {
        assert!(report.contains(words), "{words:?} is not in:\n{report}");
    }
    let (_, field, _) = lastnim(&["audit", "field", "-"], &records);
    assert!(field.starts_with("6 bots in 150 matches of 50 duplicate groups ("), "{field}");
    assert!(!field.contains("-0.000") && !field.contains("+0 "), "{field}");
    let (_, none, _) = lastnim(&["audit", "bot", "any", "--puzzles", "0", "-"], &records);
    assert!(none.contains("Puzzles: not requested."), "{none}");
    let (code, found, _) = lastnim(&["audit", "bot", "any", "--puzzles", "50", "--json", "-"], &records);
    let puzzles = json(&found)["bots"][0]["puzzles"].as_array().unwrap().len();
    assert!(code == 0 && puzzles > 10, "{puzzles}");
    let (_, few, _) = lastnim(&["audit", "bot", "any", "-"], &lines(15));
    assert!(few.contains("too few: "), "{few}");
}

#[test]
fn unverified_records_do_not_count() {
    let good = record(0, RecordForm::Json);
    let took = good.find("\"took\":").unwrap();
    let forged = format!("{}{}", &good[..took], good[took..].replacen("\"take\":\"", "\"take\":\"1", 1));
    let mut unsigned = json(&good);
    for key in ["signer", "signature"] {
        unsigned.as_object_mut().unwrap().remove(key);
    }
    let mut open = unsigned.clone();
    open["events"].as_array_mut().unwrap().pop();
    let bot = json(&good)["events"][0]["created"]["bots"][0].as_str().unwrap().to_owned();
    let input = format!("{good}{forged}{unsigned}\n{open}\n\nno record\n");
    let (code, found, errors) = lastnim(&["audit", "bot", &bot, "--json", "-"], &input);
    assert_eq!(code, 3, "{errors}");
    let found = json(&found);
    let records = &found["records"];
    assert_eq!((&found["matches"], &records["read"]), (&1.into(), &5.into()), "{records}");
    assert_eq!((&records["refused"], &records["key"]), (&4.into(), &"unchecked".into()), "{records}");
    let refusals: Vec<&str> = errors.lines().collect();
    assert_eq!(refusals.len(), 4, "{errors}");
    assert!(
        refusals[0].starts_with("left out: standard input: line 2: it does not verify: event "),
        "{errors}"
    );
    assert!(refusals[1].starts_with("left out: standard input: line 3: it is not signed"), "{errors}");
    assert_eq!(refusals[2], "left out: standard input: line 4: its match is not over");
    assert!(refusals[3].starts_with("left out: standard input: line 6: not a record"), "{errors}");

    let (code, found, _) = lastnim(&["audit", "bot", &bot, "--unsigned", "--json", "-"], &input);
    // This counts as the record that was given before, no matter who signed it.
    let records = &json(&found)["records"];
    assert_eq!((code, &records["unsigned"], &records["given_twice"]), (3, &0.into(), &1.into()));
    let (code, found, _) =
        lastnim(&["audit", "bot", &bot, "--unsigned", "--json", "-"], &unsigned.to_string());
    assert_eq!((code, &json(&found)["records"]["unsigned"]), (0, &1.into()));
    let other = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";
    let (code, _, errors) = lastnim(&["audit", "bot", &bot, "--key", other, "-"], &good);
    assert_eq!(code, 3);
    assert!(errors.contains("it is signed by another key: "), "{errors}");
    let (code, _, errors) = lastnim(&["audit", "bot", "nobody", "-"], &good);
    assert_eq!(code, 2);
    assert!(
        errors.starts_with("error: nobody does not play in any match that counts (1 record): "),
        "{errors}"
    );
    assert!(errors.contains(&bot), "{errors}");
}

#[test]
fn a_match_counts_once() {
    let records = lines(60);
    let (_, once, _) = lastnim(&["audit", "field", "--json", "-"], &records);
    let (code, twice, errors) = lastnim(&["audit", "field", "--json", "-"], &records.repeat(2));
    assert_eq!((code, errors.as_str()), (0, ""));
    let (once, twice) = (json(&once), json(&twice));
    for key in ["matches", "groups", "bots", "pairs"] {
        assert_eq!(once[key], twice[key], "{key}");
    }
    assert_eq!((&once["records"]["given_twice"], &twice["records"]["given_twice"]), (&0.into(), &60.into()));
    let (_, report, _) = lastnim(&["audit", "field", "-"], &records.repeat(2));
    assert!(report.contains("\nLeft out: 60 given twice.\n"), "{report}");

    // Another tournament has the same name and numbers, but different records of the same matches.
    let (record, seal) = MadeUp::new(3, 2).play(7);
    let other = RecordForm::Json.write(&record, Some(&seal));
    let (code, report, errors) = lastnim(&["audit", "field", "-"], &format!("{records}{other}"));
    assert_eq!(code, 3, "{errors}");
    let named = format!(
        "left out: standard input: line 61: another record of match {} was already counted",
        record.id()
    );
    assert!(errors.starts_with(&named), "{errors}");
    assert!(report.contains("6 bots in 60 matches of "), "{report}");
}

#[test]
fn a_number_and_a_rotation_count_once() {
    let made_up = MadeUp::new(3, 1);
    let written =
        |(record, seal): (Record, Seal)| (record.id(), RecordForm::Json.write(&record, Some(&seal)));
    let mut other = MadeUp::new(3, 1);
    other.run = 1;
    let again = written(other.play(4));
    let fourth = written(made_up.play_in_group(60, 1));
    let first_four: String = (0..3).map(|number| record(number, RecordForm::Json)).collect();
    for (records, surplus, words) in [
        (lines(30), &again, " has the number 5 of tournament "),
        (
            lines(30),
            &fourth,
            ", but its duplicate group 2, which has 3 rotations, does not contain this number\n",
        ),
        // Only the records tell how many matches a group has: a sequential test has twice as many.
        (
            first_four,
            &written(made_up.play_in_group(3, 0)),
            " does not count: the duplicate group 1 of tournament ",
        ),
    ] {
        let (id, text) = surplus;
        let (code, output, errors) = lastnim(&["audit", "field", "--json", "-"], &format!("{records}{text}"));
        assert_eq!(code, 3, "{errors}");
        let line = records.lines().count() + 1;
        assert!(
            errors.starts_with(&format!("left out: standard input: line {line}: match {id}")),
            "{errors}"
        );
        assert!(errors.contains(words), "{errors}");
        assert_eq!(json(&output)["matches"], records.lines().count());
        assert_eq!(json(&output)["records"]["refused"], 1);
    }
}

#[test]
fn missing_matches_of_a_tournament_are_reported() {
    let some: String = [0, 1, 2, 4, 5, 9, 10, 11].map(|number| record(number, RecordForm::Json)).concat();
    let (code, report, _) = lastnim(&["audit", "field", "-"], &some);
    assert_eq!(code, 0);
    assert!(
        report.contains(
            ": 1 of 3 duplicate groups is incomplete, 4 match numbers below the highest are missing.\n"
        ),
        "{report}"
    );
    let (_, found, _) = lastnim(&["audit", "field", "--json", "-"], &some);
    assert_eq!(json(&found)["records"]["missing"][0]["missing_numbers"], "4");
    let (_, whole, _) = lastnim(&["audit", "field", "-"], &lines(9));
    assert!(!whole.contains("missing") && !whole.contains("incomplete"), "{whole}");
}

#[test]
fn favouritism_of_a_bot_is_the_same_in_a_field_audit() {
    let records = lines(150);
    let (_, field, _) = lastnim(&["audit", "field", "--json", "-"], &records);
    let (_, bot, _) = lastnim(&["audit", "bot", "any", "--json", "-"], &records);
    let (field, bot) = (json(&field), json(&bot));
    assert_eq!((&field["bot"], &bot["bot"]), (&"".into(), &"any".into()));
    assert!(field["pairs_tested"].as_u64() > bot["pairs_tested"].as_u64(), "{field}");
    let all = field["pairs"].as_array().unwrap();
    for pair in bot["pairs"].as_array().unwrap().iter().filter(|pair| pair["mover"] == "any") {
        let is_same_pair =
            |other: &&Value| other["mover"] == pair["mover"] && other["other"] == pair["other"];
        let other = all.iter().find(is_same_pair).unwrap();
        for key in ["per_error", "p_value"] {
            assert_eq!(pair["favouritism"][key], other["favouritism"][key], "{key} of {pair}");
        }
        assert_eq!(pair["untested"], other["untested"], "{pair}");
        assert_ne!(pair["favouritism"].is_null(), pair["untested"].is_null(), "{pair}");
    }
    let (_, few, _) = lastnim(&["audit", "bot", "any", "--json", "-"], &lines(15));
    let few = json(&few);
    let untested =
        |pair: &Value| (pair["untested"]["reason"].clone(), pair["untested"]["needed_groups"].clone());
    let reasons: Vec<_> = few["pairs"].as_array().unwrap().iter().map(untested).collect();
    assert!(reasons.contains(&("too_few_groups".into(), 10.into())), "{reasons:?}");
}

#[test]
fn records_that_cannot_be_audited_are_named() {
    let folder = Folder::new("bot-audit-folders");
    fs::create_dir(folder.0.join("inside")).unwrap();
    let (code, _, errors) = lastnim(&["audit", "match", folder.path()], "");
    assert_eq!(code, 2);
    assert!(
        errors.ends_with(": this is a folder: use `lastnim audit bot` or `lastnim audit field`\n"),
        "{errors}"
    );
    let (code, _, errors) = lastnim(&["audit", "field", folder.path()], "");
    assert_eq!(code, 2);
    assert!(errors.contains("name its subfolder instead"), "{errors}");
    let (code, _, errors) = lastnim(&["audit", "field", "-"], "");
    assert_eq!((code, errors.as_str()), (2, "error: standard input: expected records, but it is empty\n"));
    let (code, _, errors) = lastnim(&["audit", "field", "-"], "no record\n");
    assert_eq!(code, 3);
    assert!(errors.contains("error: no match in 1 record counts for any bot: 1 refused"), "{errors}");
}

#[test]
fn a_single_match_is_audited() {
    let good = record(0, RecordForm::Json);
    let (code, report, _) = lastnim(&["audit", "match"], &good);
    assert_eq!(code, 0);
    assert!(report.contains("\nTakes\n"), "{report}");
    let refusal = |args: &[&str]| {
        let (code, _, errors) = lastnim(args, &good);
        assert_eq!(code, 2, "{errors}");
        errors
    };
    for flag in ["--unsigned", "--csv"] {
        assert!(refusal(&["audit", "match", flag, "-"]).contains("unexpected argument"));
    }
    refusal(&["audit", "match", "one", "two"]);
    refusal(&["audit", "bot", "any", "--puzzles", "51", "-"]);
    refusal(&["audit", "bot", "any", "--batch", "-"]);
    refusal(&["audit", "models", "-"]);
}
