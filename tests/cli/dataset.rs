//! `lastnim oracle dataset`, by running the real binary.

use lastnim_bots::HouseBot;
use lastnim_client::MatchView;
use lastnim_core::{
    game::{Game, Seat},
    oracle::Solution,
};
use lastnim_proto::{game::parse_game, json::message_from_json, parse_request, pb};
use std::{
    collections::{BTreeSet, HashSet},
    env, fs,
    process::{self, Command, Output},
};

fn dataset(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lastnim")).args(["oracle", "dataset"]).args(args).output().unwrap()
}

fn lines(args: &[&str]) -> Vec<pb::LabelledPosition> {
    let output = dataset(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| message_from_json(&serde_json::from_str(line).unwrap()).unwrap()).collect()
}

fn refusal(args: &[&str]) -> String {
    let output = dataset(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn game_of(line: &pb::LabelledPosition) -> Game {
    parse_request(|field| parse_game(line.game.as_ref().unwrap(), field)).unwrap()
}

#[test]
fn every_label_agrees_with_the_oracle() {
    let lines = lines(&["--positions", "150", "--seed", "3"]);
    assert_eq!(lines.len(), 150);
    for line in &lines {
        let game = game_of(line);
        let (solution, start) = (Solution::new(&game), game.first_position());
        let mover = start.to_move();
        let winner = solution.winner(&start);
        assert_eq!(line.winner, u32::from(winner));
        let (mut takes, mut optimal, mut regrets) = (0.0, 0.0, 0.0);
        for take in 1..=start.counters() {
            let mut after = start.clone();
            after.take(take).unwrap();
            let winner_after: Seat = solution.winner(&after);
            let ranks = [winner, winner_after].map(|seat| game.matrix.rank(mover, seat));
            let regret = ranks[1] - ranks[0];
            let holds = |option: &&pb::TakeOption| {
                let range = option.takes.as_ref().unwrap();
                (range.lo..=range.hi).contains(&take)
            };
            let options: Vec<_> = line.options.iter().filter(holds).collect();
            assert_eq!(options.len(), 1, "each take is in one option");
            let told = (options[0].winner, options[0].regret as usize, options[0].optimal);
            assert_eq!(told, (winner_after.into(), regret, regret == 0));
            takes += 1.0;
            optimal += f64::from(u8::from(regret == 0));
            regrets += f64::from(options[0].regret);
        }
        let difficulty = line.difficulty.unwrap();
        let (plies_to_see, errors) = bots_that_err(&game, &solution);
        assert_eq!(difficulty.plies_to_see, plies_to_see);
        assert!((difficulty.playout_error_rate - f64::from(errors) / 16.0).abs() < 1e-12);
        assert!((difficulty.optimal_share - optimal / takes).abs() < 1e-12);
        assert!((difficulty.random_regret - regrets / takes).abs() < 1e-12);
    }
    let difficulties = || lines.iter().filter_map(|line| line.difficulty);
    assert!(difficulties().any(|found| found.plies_to_see.is_none()), "minimax-8 errs somewhere");
    assert!(difficulties().any(|found| found.playout_error_rate > 0.0), "mcts-32 errs somewhere");
}

/// Returns the search depth from which minimax plays optimally, and how many of 16 runs of mcts err. Seats are numbered
/// from the mover.
fn bots_that_err(game: &Game, solution: &Solution) -> (Option<u32>, u8) {
    let seats = game.matrix.seats();
    let rows: Vec<Vec<u64>> = (0..seats.get())
        .map(|offset| {
            let row = &game.matrix.rows()[seats.seat_at_offset(game.first_seat(), offset)];
            row.offsets().iter().map(|&offset| offset.into()).collect()
        })
        .collect();
    let turned = Game::parse(game.piles.as_slice(), &rows, 0, game.ending).unwrap();
    let view = MatchView::practice(&turned, &[]).unwrap();
    let optimal = solution.optimal_takes(&game.first_position());
    let errs = |bot: &str, seed| {
        let bot: HouseBot = bot.parse().unwrap();
        !optimal.contains(bot.build_bot(seed).play(&view))
    };
    let plies = (1..=8).find(|&from| (from..=8).all(|plies| !errs(&format!("minimax-{plies}"), 0)));
    (plies, (0..16).map(|seed| u8::from(errs("mcts-32", seed))).sum())
}

#[test]
fn the_set_of_a_position_follows_from_its_id_as_documented() {
    for split in ["train", "benchmark"] {
        for line in lines(&["--positions", "100", "--split", split]) {
            let first = u64::from_str_radix(&line.id[..16], 16).unwrap();
            assert_eq!(first.is_multiple_of(10), split == "benchmark", "{}", line.id);
        }
    }
}

#[test]
fn the_same_seed_writes_the_same_distinct_positions() {
    let same: [&str; 4] = ["--positions", "60", "--seed", "9"];
    assert_eq!(dataset(&same).stdout, dataset(&same).stdout);
    let lines = lines(&same);
    let ids: HashSet<_> = lines.iter().map(|line| &line.id).collect();
    assert_eq!(ids.len(), lines.len());
}

#[test]
fn training_and_benchmark_positions_never_overlap() {
    // There are so few positions of this kind that every set contains nearly all of those that belong to it.
    let kind = ["--seats", "2", "--draw-piles", "1,2", "--draw-counters", "1,6", "--positions"];
    let ids = |split: &str, positions: &str, seed: &str| -> BTreeSet<String> {
        let lines = lines(&[&kind[..], &[positions, "--split", split, "--seed", seed]].concat());
        assert!(
            lines
                .iter()
                .all(|line| line.split().as_str_name() == format!("DATASET_SPLIT_{}", split.to_uppercase()))
        );
        lines.into_iter().map(|line| line.id).collect()
    };
    let train: BTreeSet<_> = ["1", "2"].iter().flat_map(|seed| ids("train", "120", seed)).collect();
    let benchmark: BTreeSet<_> = ["1", "3"].iter().flat_map(|seed| ids("benchmark", "12", seed)).collect();
    assert!(train.is_disjoint(&benchmark));
}

#[test]
fn easy_positions_can_be_left_out() {
    let lines = lines(&["--positions", "40", "--max-optimal-share", "0.3"]);
    assert!(lines.iter().all(|line| line.difficulty.unwrap().optimal_share <= 0.3));
}

#[test]
fn a_file_is_complete_or_absent() {
    let folder = env::temp_dir().join(format!("lastnim-dataset-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("few.jsonl");
    let path = path.to_str().unwrap();
    let one_pile = ["--seats", "2", "--draw-piles", "1,1", "--draw-counters", "1,2", "--output", path];
    let refused = refusal(&[&one_pile[..], &["--positions", "1000"]].concat());
    assert!(refused.contains("--positions 1000"), "{refused}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    let written = dataset(&[&one_pile[..], &["--positions", "3"]].concat());
    assert!(written.status.success() && written.stdout.is_empty());
    assert_eq!(fs::read_to_string(path).unwrap().lines().count(), 3);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn wrong_values_are_named() {
    let cases: [(&[&str], &str); 10] = [
        (&["--seats", "1"], "--seats: 1 seat"),
        (&["--seats", "2,33"], "33 seats"),
        (&["--seats", ""], "--seats: expected numbers from 2 to 32"),
        (&["--seats", "2,3,2"], "--seats: 2 appears twice"),
        (&["--draw-piles", "x"], "--draw-piles"),
        (&["--draw-piles", "3"], "--draw-piles \"3\" has 1 number:"),
        (&["--draw-piles", "3,1"], "3 to 1 piles"),
        (&["--draw-counters", "0,1"], "piles of 0 to 1 counters"),
        (&["--max-optimal-share", "0"], "above 0 and at most 1"),
        (&["--positions", "0"], "0 is not in 1..=10000000"),
    ];
    for (args, expected) in cases {
        let error = refusal(args);
        assert!(error.contains(expected), "{args:?}: {error}");
    }
}
