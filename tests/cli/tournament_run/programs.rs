//! What a program gets from a run, and what a run keeps of it.

use super::{
    folder::{Folder, LASTNIM, SMALL, house, program},
    running::{Running, run, run_command},
};
use std::{collections::BTreeMap, fs};

/// The most bytes of a log.
const MAX_LOG_BYTES: u64 = 2 << 20;

#[test]
fn a_program_sees_only_the_variables_that_it_is_given() {
    let folder = Folder::new("variables");
    folder.script("mine", &format!("env > variables\nexec '{LASTNIM}' bot run greedy"));
    let given = "env = { MODE = \"fast\", LANG = \"C\" }\npass_env = [\"GIVEN_KEY\"]\n";
    let bots = house("first", "oracle") + &program("mine", &["./mine"]) + given;
    let file = folder.write("cup.toml", &(SMALL.to_owned() + &bots));
    let mut command = run_command(&file, &[]);
    let secrets = ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY", "LASTNIM_VIEWER_TOKEN"];
    command.envs(secrets.map(|name| (name, "secret"))).env("GIVEN_KEY", "given").env("LC_ALL", "C");
    Running::start(&mut command).finish().result();

    let printed = folder.read("variables");
    let seen: BTreeMap<&str, &str> = printed.lines().filter_map(|line| line.split_once('=')).collect();
    assert!(!printed.contains("secret"), "{printed}");
    for (name, value) in [("MODE", "fast"), ("LANG", "C"), ("LC_ALL", "C"), ("GIVEN_KEY", "given")] {
        assert_eq!(seen.get(name), Some(&value), "{printed}");
    }
    for name in ["PATH", "LASTNIM_SERVER", "LASTNIM_TOKEN", "LASTNIM_TOURNAMENT"] {
        assert!(seen.contains_key(name), "{name}: {printed}");
    }

    // The run asks for what it cannot give.
    let ended = run(&file, &["--fresh"]);
    let expected = "bot mine: pass_env: GIVEN_KEY is not set: set it, or leave it out";
    assert!(ended.failure(2).ends_with(expected), "{}", ended.stderr);
}

#[test]
fn a_program_that_prints_much_leaves_a_short_log() {
    let folder = Folder::new("loud");
    let lines = format!(
        "if [ ! -e began ]; then\ntouch began\necho first words\nhead -c 50000000 /dev/zero | tr '\\0' x\necho\n\
         echo last words\nexit 9\nfi\necho second start\nyes flood &\nexec '{LASTNIM}' bot run greedy"
    );
    folder.script("loud", &lines);
    let bots = house("first", "oracle") + &program("mine", &["./loud"]);
    let file = folder.write("cup.toml", &(SMALL.to_owned() + &bots));
    let ended = run(&file, &[]);
    // The second process plays to the end, whatever its child prints.
    assert_eq!(ended.result()["tournament"]["matches_played"], 4);
    assert!(ended.stderr.contains("mine: its program ended (exit status: 9)"), "{}", ended.stderr);

    let bytes = fs::metadata(folder.path("cup.run/mine.log")).unwrap().len();
    assert!(bytes < MAX_LOG_BYTES, "{bytes} bytes");
    let log = folder.read("cup.run/mine.log");
    assert!(log.starts_with("first words\nxxx"), "{:.40}", log);
    // The last line may be cut.
    assert_eq!(log.lines().rev().nth(1), Some("flood"));
    let note = log.lines().find_map(|line| line.strip_prefix("[lastnim left out ")).unwrap();
    let left_out: u64 = note.strip_suffix(" bytes of output here]").unwrap().parse().unwrap();
    assert!(left_out > 50_000_000 - MAX_LOG_BYTES, "{left_out}");
}
