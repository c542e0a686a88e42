//! The environment that a program gets from a run, and the part of its output that the run keeps.

use super::{
    folder::{Folder, LASTNIM, SMALL, house, program},
    running::{Running, run, run_command, soon},
};
use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::{Command, Stdio},
};

/// The maximum size of a log in bytes.
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

    // The file passes a variable that is not set.
    let ended = run(&file, &["--fresh"]);
    let expected = "bot mine: pass_env: GIVEN_KEY is not set: set it, or leave it out";
    assert!(ended.failure(2).ends_with(expected), "{}", ended.stderr);
}

#[test]
fn a_program_that_prints_a_lot_leaves_a_short_log() {
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
    assert!(log.starts_with("first words\nxxx"), "{log:.40}");
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
    let warning = format!("{} runs commands as you, with all your rights: ./mine fast", file.display());
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
    let expected =
        format!("cup.run/secrets: this link leads to {}, which is not a folder in ", working.display());
    assert!(ended.failure(2).contains(&expected), "{}", ended.stderr);
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// The command line under which the superuser has no more rights than others.
const WITHOUT_CAPABILITIES: [&str; 3] = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"];

/// Returns whether a command line works here.
fn is_permitted(words: &[&str]) -> bool {
    let trial = Command::new(words[0]).args(&words[1..]).arg("true").stderr(Stdio::null()).status();
    trial.is_ok_and(|status| status.success())
}

/// Returns a command under another command line.
fn wrapped(words: &[&str], command: &Command) -> Command {
    let mut outer = Command::new(words[0]);
    outer.args(&words[1..]).arg(command.get_program()).args(command.get_args());
    outer.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
    outer
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_cannot_read_the_environments_of_its_run_and_its_supervisor() {
    let folder = Folder::new("environ");
    // The parent of the program is its supervisor, whose parent is the run.
    let lines = format!(
        "cat /proc/$$/environ > own\nrun=$(cut -d ' ' -f 4 /proc/$PPID/stat)\n\
         cat /proc/$PPID/environ /proc/$run/environ > others 2> refused\nexec '{LASTNIM}' bot run greedy"
    );
    folder.script("mine", &lines);
    let bots = house("first", "oracle") + &program("mine", &["./mine"]);
    let file = folder.write("cup.toml", &(SMALL.to_owned() + &bots));
    let mut command = run_command(&file, &[]);
    command.env("OPENAI_API_KEY", "secret");
    // Only root has capabilities to drop.
    if is_permitted(&WITHOUT_CAPABILITIES) {
        command = wrapped(&WITHOUT_CAPABILITIES, &command);
    }
    Running::start(&mut command).finish().result();
    assert!(folder.read("own").contains("LASTNIM_TOKEN="), "a program reads its own environment");
    assert_eq!(folder.read("others"), "");
    let refused = folder.read("refused");
    assert_eq!(refused.matches("Permission denied").count(), 2, "{refused}");
}

/// The command line that makes a program the first process of a container.
const AS_FIRST_PROCESS: [&str; 5] = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];

/// Returns the number of zombies among the children of the process that `unshare` started.
fn zombies_below(unshare: u32) -> usize {
    let children = |parent: u32| {
        let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let stats = all.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
        let children = stats.filter_map(move |stat| {
            let (id, (_, rest)) = (stat.split_once(' ')?.0.parse().ok()?, stat.rsplit_once(") ")?);
            let (letter, rest) = rest.split_once(' ')?;
            (rest.split(' ').next()?.parse() == Ok(parent)).then(|| (id, letter == "Z"))
        });
        children.collect::<Vec<(u32, bool)>>()
    };
    let first = children(unshare);
    assert_eq!(first.len(), 1, "{first:?}");
    children(first[0].0).iter().filter(|(_, is_zombie)| *is_zombie).count()
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_that_is_the_first_process_leaves_no_zombies() {
    if !is_permitted(&AS_FIRST_PROCESS) {
        let skipped = "a_run_that_is_the_first_process_leaves_no_zombies is SKIPPED: `unshare --pid` is not permitted here";
        // The message is written directly, since the test harness hides the output of passing tests.
        let _ = writeln!(std::io::stderr(), "{skipped}");
        return;
    }
    let folder = Folder::new("zombies");
    // Each subshell ends at once and leaves a child behind, which ends later.
    let orphans = "for i in 1 2 3 4 5 6 7 8 9; do (setsid sh -c 'sleep 0.3; echo ended >> ended' &); done";
    folder.script("mine", &format!("{orphans}\n'{LASTNIM}' bot run greedy"));
    let bots = house("first", "oracle") + &program("mine", &["./mine"]);
    let guest = "[[bot]]\nname = \"guest\"\nremote = true\n";
    let file = folder.write("held.toml", &(SMALL.to_owned() + &bots + guest));
    let mut running = Running::start(&mut wrapped(&AS_FIRST_PROCESS, &run_command(&file, &[])));
    running.wait_for_line("waiting for guest");
    soon("the orphans end", || {
        fs::read_to_string(folder.path("ended")).is_ok_and(|ended| ended.lines().count() == 9)
    });
    soon("no orphan stays as a zombie", || zombies_below(running.id()) == 0);
    drop(running);

    // Supervisors are waited for as before.
    let file = folder.write("cup.toml", &(SMALL.to_owned() + &bots));
    let ended = Running::start(&mut wrapped(&AS_FIRST_PROCESS, &run_command(&file, &[]))).finish();
    assert_eq!(ended.result()["tournament"]["matches_played"], 4);
    assert!(!ended.stderr.contains("its supervisor is gone"), "{}", ended.stderr);
}
