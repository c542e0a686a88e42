//! `lastnim check benchmark` and its cards, by running the real binary.

use super::record_fixture::Folder;
use lastnim_core::referee::SigningKey;
use lastnim_proto::{
    benchmark_card::{read_card, write_card},
    pb,
};
use lastnim_server::load_or_generate_key;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A few items of the easiest and of the most difficult tier.
const SHORT: [&str; 4] = ["--tiers", "1,5", "--max-items", "4"];

fn lastnim(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lastnim")).args(args).output().unwrap()
}

/// Plays a short benchmark, and returns its folder.
fn play(folder: &Folder, name: &str, bot: &[&str]) -> PathBuf {
    let run = folder.0.join(name);
    let args = [&["check", "benchmark", "--dir", run.to_str().unwrap()], &SHORT[..], bot].concat();
    let output = lastnim(&args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    run
}

fn card_text(run: &Path) -> String {
    fs::read_to_string(run.join("card.jsonl")).unwrap()
}

fn card(run: &Path) -> pb::BenchmarkCard {
    read_card(&card_text(run)).unwrap().0
}

fn signing_key(run: &Path) -> SigningKey {
    load_or_generate_key(&run.join("signing.key")).unwrap()
}

/// Verifies the card of a run, and returns the output if it is invalid.
fn flaws(run: &Path) -> Option<String> {
    let output = lastnim(&["record", "verify", run.join("card.jsonl").to_str().unwrap()]);
    let printed = String::from_utf8(output.stdout).unwrap();
    match output.status.code() {
        Some(0) => None,
        Some(1) => Some(printed),
        code => panic!("{code:?}: {printed}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// Signs a changed card, as someone with the key could, and returns the findings.
fn flaws_of_changed_card(run: &Path, change: impl FnOnce(&mut pb::BenchmarkCard)) -> String {
    let kept = card_text(run);
    let mut changed = card(run);
    change(&mut changed);
    fs::write(run.join("card.jsonl"), write_card(changed, &signing_key(run))).unwrap();
    let found = flaws(run).expect("the card was changed");
    fs::write(run.join("card.jsonl"), kept).unwrap();
    found
}

/// Changes the records of a run, and returns the findings.
fn flaws_of_changed_records(run: &Path, change: impl FnOnce(&mut Vec<String>)) -> String {
    let file = run.join("records.jsonl");
    let kept = fs::read_to_string(&file).unwrap();
    let mut lines: Vec<String> = kept.lines().map(|line| format!("{line}\n")).collect();
    change(&mut lines);
    fs::write(&file, lines.concat()).unwrap();
    let found = flaws(run).expect("the records were changed");
    fs::write(&file, kept).unwrap();
    found
}

#[test]
fn a_program_scores_like_the_same_house_bot() {
    let folder = Folder::new("benchmark-same");
    let house = play(&folder, "house", &["--house", "greedy"]);
    let program = play(&folder, "program", &["--", env!("CARGO_BIN_EXE_lastnim"), "bot", "run", "greedy"]);
    let figures = |run: &Path| {
        let tiers = card(run).tiers.into_iter();
        tiers.map(|tier| pb::BenchmarkTier { heads: Vec::new(), ..tier }).collect::<Vec<_>>()
    };
    assert_eq!(figures(&house), figures(&program));
    let [easy, hard] = card(&house).tiers.try_into().unwrap();
    assert_eq!((easy.tier, hard.tier, easy.items, hard.items), (1, 5, 4, 4));
    assert!(hard.first_take_loss.unwrap().value > 0.0, "{hard:?}");
    let named = play(&folder, "named", &["--name", "mine 1.2", "--", "lastnim", "bot", "run", "greedy"]);
    for (run, player) in
        [(&house, "house bot greedy"), (&program, "lastnim bot run greedy"), (&named, "mine 1.2")]
    {
        for file in ["card.txt", "card.svg", "card.jsonl"] {
            let published = fs::read_to_string(run.join(file)).unwrap();
            let player = if file == "card.jsonl" { player.trim_start_matches("house bot ") } else { player };
            assert!(published.contains(player), "{file} without {player}: {published}");
            assert!(!published.contains(env!("CARGO_MANIFEST_DIR")), "{file}: {published}");
        }
        assert_eq!(flaws(run), None);
        let text = fs::read_to_string(run.join("card.txt")).unwrap();
        assert!(text.starts_with("Benchmark lastnim-2: ") && text.contains("No failures."), "{text}");
        assert!(fs::read_to_string(run.join("card.svg")).unwrap().starts_with("<svg"));
    }
    let key = signing_key(&house).public_key().to_string();
    let verified =
        lastnim(&["record", "verify", "--json", "--key", &key, house.join("card.jsonl").to_str().unwrap()]);
    let verdict: serde_json::Value = serde_json::from_slice(&verified.stdout).unwrap();
    assert_eq!(
        (&verdict["verified"], &verdict["records"], &verdict["signed_by_key"]),
        (&true.into(), &8.into(), &true.into())
    );
    let other = lastnim(&["record", "verify", "--key", &key, program.join("card.jsonl").to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&other.stdout).contains("signed by another key"), "{other:?}");
}

#[test]
fn an_older_set_can_still_be_played_and_verified() {
    let folder = Folder::new("benchmark-older-set");
    let run = play(&folder, "run", &["--house", "greedy", "--set", "lastnim-1"]);
    assert_eq!((card(&run).set.as_str(), flaws(&run)), ("lastnim-1", None));
    let found = flaws_of_changed_card(&run, |card| card.set = "lastnim-2".to_owned());
    assert!(found.contains("its set lastnim-2 differs from this program's set of that name"), "{found}");
}

#[test]
fn a_program_gets_only_the_variables_that_are_passed() {
    let folder = Folder::new("benchmark-variables");
    let (run, lastnim) = (folder.0.join("run"), env!("CARGO_BIN_EXE_lastnim"));
    let script = format!("echo \"$GIVEN_KEY, $OPENAI_API_KEY.\" >&2; exec '{lastnim}' bot run greedy");
    let mut command = Command::new(lastnim);
    command.args([
        "check",
        "benchmark",
        "--tiers",
        "1",
        "--max-items",
        "1",
        "--pass-env",
        "GIVEN_KEY",
        "--dir",
    ]);
    command.arg(&run).args(["--", "sh", "-c", &script]);
    let output = command.env("GIVEN_KEY", "given").env("OPENAI_API_KEY", "secret").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = fs::read_to_string(run.join("player.log")).unwrap();
    assert!(log.starts_with("given, .\n"), "{log}");
}

#[test]
fn every_change_to_a_card_or_its_records_is_found() {
    let folder = Folder::new("benchmark-tampering");
    let run = play(&folder, "run", &["--house", "minimax-1"]);
    let other = play(&folder, "other", &["--house", "minimax-1"]);
    assert_eq!(flaws(&run), None);
    // Without the key no byte can be changed.
    let kept = card_text(&run);
    fs::write(run.join("card.jsonl"), kept.replacen("\"items\":4", "\"items\":3", 1)).unwrap();
    assert!(flaws(&run).unwrap().contains("the signature does not match this card"));
    fs::write(run.join("card.jsonl"), &kept).unwrap();
    // Someone with the key would have to play other matches.
    let found = flaws_of_changed_card(&run, |card| card.tiers[1].loss.as_mut().unwrap().value /= 2.0);
    assert!(found.contains("tiers[1].loss.value: the card says "), "{found}");
    let found = flaws_of_changed_card(&run, |card| card.tiers[0].illegal_takes = 1);
    assert!(found.contains("tiers[0].illegal_takes: the card says 1, but the records say 0"), "{found}");
    let found = flaws_of_changed_card(&run, |card| {
        card.tiers[1].heads.remove(0);
        card.tiers[1].items -= 1;
    });
    assert!(found.contains("item 1 of tier 5: its record does not fit this item: the "), "{found}");
    let found = flaws_of_changed_card(&run, |card| {
        card.tiers[1].heads.pop();
        card.tiers[1].items -= 1;
    });
    assert!(found.contains("tier 5 is incomplete after 3 of 4 items"), "{found}");
    assert!(found.contains("belongs to item 4 of tier 5, but the card does not list it"), "{found}");
    let found = flaws_of_changed_card(&run, |card| card.tiers[1].heads.swap(0, 1));
    assert!(found.contains("item 1 of tier 5: its record does not fit this item"), "{found}");
    let found = flaws_of_changed_card(&run, |card| card.rule.as_mut().unwrap().max_items = 3);
    assert!(found.contains("tier 1 should have ended after 3 items, but it continues"), "{found}");
    let found = flaws_of_changed_card(&run, |card| card.set_hash[0] ^= 1);
    assert!(found.contains("its set lastnim-2 differs from this program's set of that name"), "{found}");
    // Another key's records of the same items do not replace these.
    let heads = card(&other).tiers[0].heads.clone();
    let records = fs::read_to_string(run.join("records.jsonl")).unwrap();
    let others = fs::read_to_string(other.join("records.jsonl")).unwrap();
    fs::write(run.join("records.jsonl"), format!("{records}{others}")).unwrap();
    let found = flaws_of_changed_card(&run, |card| card.tiers[0].heads = heads);
    assert!(
        found.contains("item 1 of tier 1: its record is not signed by the card's key, but by "),
        "{found}"
    );
    fs::write(run.join("records.jsonl"), records).unwrap();
    // Some records are missing or were changed.
    let found = flaws_of_changed_records(&run, |lines| drop(lines.remove(2)));
    assert!(found.contains("no record has the head "), "{found}");
    let found = flaws_of_changed_records(&run, |lines| {
        let take = lines[0].find("\"take\":\"").unwrap() + 8;
        let was = lines[0].as_bytes()[take];
        lines[0].replace_range(take..=take, if was == b'1' { "2" } else { "1" });
    });
    assert!(found.contains("records.jsonl:1: the record does not verify: event "), "{found}");
    fs::remove_file(run.join("records.jsonl")).unwrap();
    assert!(flaws(&run).unwrap().contains("no records were found"));
}

#[test]
fn an_interrupted_benchmark_continues_and_a_finished_one_is_not_overwritten() {
    let folder = Folder::new("benchmark-interrupted");
    let run = play(&folder, "run", &["--house", "epsilon-0.5"]);
    let whole = card(&run);
    let again = |bot: &str| {
        let args =
            [&["check", "benchmark", "--dir", run.to_str().unwrap(), "--house", bot], &SHORT[..]].concat();
        let output = lastnim(&args);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, why) = again("epsilon-0.5");
    assert!(code == Some(2) && why.contains("the benchmark in this folder is finished"), "{why}");
    // A benchmark killed while writing a line leaves such a file.
    fs::remove_file(run.join("card.jsonl")).unwrap();
    let records = fs::read_to_string(run.join("records.jsonl")).unwrap();
    let third = records.match_indices('\n').nth(2).unwrap().0;
    fs::write(run.join("records.jsonl"), &records[..third + 30]).unwrap();
    let (code, why) = again("greedy");
    assert!(code == Some(2) && why.contains("this folder has a different benchmark"), "{why}");
    assert_eq!(again("epsilon-0.5"), (Some(0), String::new()));
    assert_eq!(flaws(&run), None);
    let carried_on = fs::read_to_string(run.join("records.jsonl")).unwrap();
    assert!(carried_on.starts_with(&records[..=third]) && carried_on.lines().count() == 8);
    let losses = |card: &pb::BenchmarkCard| card.tiers.iter().map(|tier| tier.loss).collect::<Vec<_>>();
    assert_eq!(losses(&card(&run)), losses(&whole), "its draws follow from the positions");
}

#[test]
fn exactly_one_bot_is_required() {
    let refusal = |args: &[&str]| {
        let output = lastnim(&[&["check", "benchmark"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    for args in [&[][..], &["--house", "greedy", "--", "true"], &["--house", "greedy", "--model", "m"]] {
        assert!(
            refusal(args).contains("expected exactly one bot: --house NAME, --model NAME or `-- COMMAND`"),
            "{args:?}"
        );
    }
    assert!(
        refusal(&["--", "no-such-program"]).contains("no-such-program: there is no such program in PATH")
    );
    assert!(refusal(&["--house", "greedy", "--tiers", "6"]).contains("\"6\": expected a tier from 1 to 5"));
    assert!(
        refusal(&["--house", "greedy", "--set", "lastnim-3"])
            .contains("set \"lastnim-3\": expected lastnim-1 or lastnim-2")
    );
    assert!(refusal(&["--house", "greedy", "--tiers", "1,1"]).contains("a tier appears twice"));
    assert!(
        refusal(&["--house", "greedy", "--width", "0"]).contains("expected a width above 0 and at most 1")
    );
    assert!(
        refusal(&["--house", "greedy", "--temperature", "1"])
            .contains("--temperature: this flag is only for a language model")
    );
}
