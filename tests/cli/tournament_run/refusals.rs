//! Refused runs, and programs that cannot start or do not keep running.

use super::{
    folder::{Folder, LASTNIM, LONG, SMALL, house, program},
    running::{Running, run, run_command},
};
use std::fs;

#[test]
fn a_program_that_cannot_start_is_named_before_any_match() {
    let folder = Folder::new("missing");
    fs::write(folder.path("plain.txt"), "no program").unwrap();
    folder.script("broken", "");
    fs::write(folder.path("broken"), "#!/no/such/interpreter\n").unwrap();
    let cases = [
        (
            "no-such-program",
            2,
            "bot mine: \"no-such-program\" cannot be started: there is no such program in PATH",
        ),
        ("./gone.py", 2, "gone.py: there is no such file"),
        ("./plain.txt", 2, "plain.txt: not executable: run `chmod +x` on it"),
        ("./broken", 1, "bot mine: \"./broken\" cannot be started: No such file or directory"),
    ];
    for (word, code, expected) in cases {
        let file = folder
            .write("cup.toml", &(SMALL.to_owned() + &house("first", "oracle") + &program("mine", &[word])));
        let ended = run(&file, &["--fresh"]);
        assert!(ended.failure(code).contains(expected), "{}", ended.stderr);
        assert_eq!(ended.stdout, "");
    }
}

#[test]
fn a_program_that_keeps_dying_is_no_longer_restarted() {
    let folder = Folder::new("dying");
    folder.script("dying", "echo the reason why\nexit 7");
    let file = folder
        .write("cup.toml", &(SMALL.to_owned() + &house("first", "oracle") + &program("mine", &["./dying"])));
    let ended = run(&file, &[]);
    let first = "mine: its program ended (exit status: 7); restarting it in 250 ms, for the 1st time (see ";
    assert!(ended.stderr.contains(first), "{}", ended.stderr);
    assert_eq!(ended.stderr.matches("; restarting it in").count(), 8, "{}", ended.stderr);
    let failure = ended.failure(1);
    assert!(failure.contains("bot mine: its program keeps ending (exit status: 7): see "), "{failure}");
    assert!(failure.contains("nothing has been played yet"), "{failure}");
    assert_eq!(folder.read("cup.run/mine.log"), "the reason why\n".repeat(9));

    // Once the file is corrected, the same command continues.
    folder.script("dying", &format!("exec '{LASTNIM}' bot run greedy"));
    assert_eq!(run(&file, &[]).result()["tournament"]["matches_played"], 4);
}

#[test]
fn a_program_that_dies_occasionally_keeps_playing() {
    let folder = Folder::new("flaky");
    // It is killed twice, each time after some matches, and then keeps running.
    let lines = format!(
        "echo start >> starts\nif [ $(wc -l < starts) -lt 3 ]; then\n: > matches\n'{LASTNIM}' bot run timid >> matches &\n\
         while [ $(wc -l < matches) -lt 20 ]; do sleep 0.05; done\nkill -9 $!\nexit 9\nfi\nexec '{LASTNIM}' bot run timid"
    );
    folder.script("flaky", &lines);
    let file = folder
        .write("cup.toml", &(LONG.to_owned() + &house("first", "oracle") + &program("mine", &["./flaky"])));
    let ended = run(&file, &[]);
    let result = ended.result();
    assert_eq!(result["tournament"]["matches_played"], 800);
    for line in result["standings"].as_array().unwrap() {
        assert_eq!(line["forfeits"], 0, "{line}");
    }
    assert_eq!(
        ended.stderr.matches("mine: its program ended (exit status: 9)").count(),
        2,
        "{}",
        ended.stderr
    );
}

#[test]
fn a_changed_file_is_refused_without_fresh() {
    let folder = Folder::new("changed");
    let text = SMALL.to_owned() + &house("first", "oracle") + &house("second", "timid");
    let file = folder.write("cup.toml", &text);
    let before = run(&file, &[]).result();

    folder.write("cup.toml", &text.replace("seed = 3", "seed = 4").replace("timid", "greedy"));
    let ended = run(&file, &[]);
    let expected = "it has changed since this tournament started (seed, bot): undo the change to continue, or use --fresh to start again; only the limits of models may change";
    assert!(ended.failure(2).ends_with(expected), "{}", ended.stderr);
    // A comment changes nothing.
    folder.write("cup.toml", &format!("# Ours.\n{text}"));
    assert_eq!(run(&file, &[]).result(), before);

    folder.write("cup.run/notes.txt", "mine");
    folder.write("cup.toml", &text.replace("seed = 3", "seed = 4"));
    let fresh = run(&file, &["--fresh"]).result();
    assert_eq!(fresh["tournament"]["settings"]["seed"], 4);
    assert_ne!(fresh["tournament"]["id"], before["tournament"]["id"]);
    assert_eq!(folder.read("cup.run/notes.txt"), "mine");
}

#[test]
fn a_tournament_has_one_run_at_a_time() {
    let folder = Folder::new("twice");
    let file = folder.write(
        "cup.toml",
        &(SMALL.to_owned() + &house("first", "oracle") + "[[bot]]\nname = \"guest\"\nremote = true\n"),
    );
    let mut running = Running::start(&mut run_command(&file, &[]));
    running.wait_for_line("waiting for guest");
    for more in [&[][..], &["--fresh"]] {
        let second = run(&file, more);
        assert!(
            second.failure(1).contains("another `lastnim tournament run` is using "),
            "{}",
            second.stderr
        );
    }
    running.signal("INT");
    running.finish();
}

#[test]
fn folders_of_other_programs_are_not_changed() {
    let folder = Folder::new("foreign");
    let file =
        folder.write("cup.toml", &(SMALL.to_owned() + &house("first", "oracle") + &house("second", "timid")));
    fs::create_dir(folder.path("cup.run")).unwrap();
    folder.write("cup.run/lastnim.db", "");
    for more in [&[][..], &["--fresh"]] {
        let ended = run(&file, more);
        assert!(
            ended.failure(1).contains("lastnim.db: this store was not made by a run"),
            "{}",
            ended.stderr
        );
    }
    assert_eq!(folder.read("cup.run/lastnim.db"), "");
    folder.write("cup.run/run.json", "{}");
    let ended = run(&file, &[]);
    assert!(
        ended
            .failure(1)
            .contains("run.json: this saved run is damaged, or another version of lastnim wrote it"),
        "{}",
        ended.stderr
    );
    run(&file, &["--fresh"]).result();

    let mistaken = folder.write("mistaken.toml", "seats = 2\n");
    let ended = run(&mistaken, &[]);
    assert_eq!((ended.status.code(), ended.stdout.as_str()), (Some(2), ""));
    assert!(!folder.path("mistaken.run").exists());
}
