//! What a run keeps of a program.

use super::{
    folder::{Folder, LASTNIM, SMALL, house, program},
    running::run,
};
use std::fs;

/// The most bytes of a log.
const MAX_LOG_BYTES: u64 = 2 << 20;

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
