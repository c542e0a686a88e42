//! Measures how long the referee alone takes to handle a ply, for different numbers of open matches.
//!
//! Run it with `cargo bench --bench referee`; append `-- 5 512` to take five samples of each figure with 512 matches.
//! As on a server, the takes rotate through the matches: a batch of inputs fills one list of effects, then each match
//! announces its effects and computes its next deadline. The figures are sampled in turn, and all times are processor
//! times. The baseline is the time to hash one event; the referee hashes its events only when the hashes are first
//! needed.

mod open_matches;
mod samples;

use lastnim_core::referee::{EventHash, Referee, RefereeEffect, TimedEvent};
use open_matches::OpenMatches;
use samples::Samples;
use std::{env, hint::black_box};

/// The numbers of open matches to measure, unless the command line gives others.
const OPEN_MATCH_COUNTS: [usize; 4] = [1, 64, 512, 4096];
/// The number of samples of each figure, unless the command line gives another.
const SAMPLES_PER_FIGURE: usize = 25;
/// The number of takes in each match.
const PLIES: usize = 100;
/// Minimum number of takes in a sample.
const MIN_TAKES: usize = 50_000;

const EVENT_HASH: &str = "hash of one event";
const PLY_UNHASHED: &str = "ply, not hashed";
const PLY_HASHED_LATER: &str = "ply, hashed after the last one";
const PLY_HASHED_AT_ONCE: &str = "ply, hashed immediately";
const FIGURES: [&str; 4] = [EVENT_HASH, PLY_UNHASHED, PLY_HASHED_LATER, PLY_HASHED_AT_ONCE];

fn main() {
    let mut numbers = env::args().filter_map(|word| word.parse().ok());
    let rounds = numbers.next().unwrap_or(SAMPLES_PER_FIGURE);
    let mut counts: Vec<usize> = numbers.collect();
    if counts.is_empty() {
        counts.extend(OPEN_MATCH_COUNTS);
    }
    let mut samples = Samples::default();
    for _ in 0..rounds {
        for &matches in &counts {
            take_samples(&mut samples, matches);
        }
    }
    let sizes = (size_of::<Referee>(), size_of::<TimedEvent>(), size_of::<RefereeEffect>());
    println!("sizes of a referee, an event and an effect in bytes: {sizes:?}");
    println!(
        "ns per ply: the median of {rounds} samples, the minimum in parentheses, and the ratio of the median to that of hashing one event"
    );
    for matches in counts {
        println!("{matches} open matches");
        for figure in FIGURES {
            let (median, hash) = (samples.median((figure, matches)), samples.median((EVENT_HASH, matches)));
            let ratio = median.unwrap_or(f64::NAN) / hash.unwrap_or(f64::NAN);
            println!("{figure:>30}: {} = {ratio:.2}", samples.summary((figure, matches)));
        }
    }
}

/// Takes one sample of each figure.
fn take_samples(samples: &mut Samples, matches: usize) {
    let plays = MIN_TAKES.div_ceil(matches * PLIES);
    for figure in FIGURES {
        let mut open: Vec<_> = (0..plays).map(|_| OpenMatches::begin(matches)).collect();
        samples.measure((figure, matches), plays * matches * PLIES, || {
            for matches in &mut open {
                play_sample(matches, figure);
            }
        });
    }
}

fn play_sample(open: &mut OpenMatches, figure: &str) {
    if figure == EVENT_HASH {
        return hash_takes(open);
    }
    for _ in 0..PLIES {
        open.play_round();
        if figure == PLY_HASHED_AT_ONCE {
            open.compute_hashes();
        }
    }
    if figure == PLY_HASHED_LATER {
        open.compute_hashes();
    }
}

/// Computes one hash for each take of a sample, in one chain per match.
fn hash_takes(open: &OpenMatches) {
    let take = open.example_take();
    let mut heads = vec![EventHash::from_bytes([7; EventHash::BYTES]); open.count()];
    for _ in 0..PLIES {
        for head in &mut heads {
            *head = head.hash_of_next(black_box(&take));
        }
    }
    black_box(heads);
}
