//! What a program gets from a run, and what a run keeps of it.

use super::{
    folder::{Folder, LASTNIM, SMALL, house, program},
    running::{Running, run, run_command},
};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

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

#[test]
fn the_commands_of_a_file_are_named_before_they_run() {
    let folder = Folder::new("named");
    folder.script("mine", &format!("exec '{LASTNIM}' bot run greedy"));
    let bots = house("first", "oracle") + &program("mine", &["./mine", "fast"]);
    let file = folder.write("cup.toml", &(SMALL.to_owned() + &bots));
    let ended = run(&file, &[]);
    ended.result();
    let warning = format!("{} runs commands as you, which can do what you can: ./mine fast", file.display());
    assert_eq!(ended.stderr.lines().filter(|line| *line == warning).count(), 1, "{}", ended.stderr);

    let file =
        folder.write("own.toml", &(SMALL.to_owned() + &house("first", "oracle") + &house("second", "timid")));
    let ended = run(&file, &[]);
    assert!(!ended.stderr.contains("runs commands"), "{}", ended.stderr);
}

#[test]
fn secrets_are_outside_the_working_folder() {
    let folder = Folder::new("secrets");
    let text = SMALL.to_owned() + &house("first", "oracle") + "[[bot]]\nname = \"guest\"\nremote = true\n";
    let file = folder.write("cup.toml", &text);
    let mut running = Running::start(&mut run_command(&file, &[]));
    running.wait_for_line("waiting for guest");
    let working = folder.as_path().canonicalize().unwrap();
    for name in ["lastnim.key", "lastnim.admin-token", "guest.token"] {
        let path = folder.path("cup.run/secrets").join(name).canonicalize().unwrap();
        assert!(!path.starts_with(&working), "{}", path.display());
        assert_eq!(mode(&path), 0o600, "{name}");
        assert_eq!(mode(path.parent().unwrap()), 0o700, "{name}");
    }
    assert_eq!(mode(&folder.path("cup.run")), 0o700);
    assert!(fs::symlink_metadata(folder.path("cup.run/lastnim.key")).unwrap().is_symlink());
    running.signal("INT");
    running.finish();

    // A link that somebody else made is not followed.
    fs::remove_file(folder.path("cup.run/secrets")).unwrap();
    symlink(&working, folder.path("cup.run/secrets")).unwrap();
    let ended = run(&file, &["--fresh"]);
    let expected = format!("cup.run/secrets: it leads to {}, which is no folder of ", working.display());
    assert!(ended.failure(2).contains(&expected), "{}", ended.stderr);
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}
