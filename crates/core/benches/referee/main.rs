//! Measures the cost of a ply in the referee alone, by the number of open matches.
//!
//! `cargo bench --bench referee`; `-- 5 512` takes five samples of each figure with 512 matches. Takes rotate through
//! the matches as on a server: a batch of inputs with one list of effects, then the announcement and the next deadline
//! of each match. Samples of all figures alternate and measure processor time. The baseline is the hash of one event,
//! which is computed for every event when the hashes are first needed.

mod open_matches;
mod samples;

use lastnim_core::referee::{EventHash, Referee, RefereeEffect, TimedEvent};
use open_matches::OpenMatches;
use samples::Samples;
use std::{env, hint::black_box};

/// The numbers of open matches, unless the command line gives others.
const MATCHES: [usize; 4] = [1, 64, 512, 4096];
/// How many samples of each figure are taken, unless the command line gives another number.
const ROUNDS: usize = 25;
/// The number of takes in each match.
const PLIES: usize = 100;
/// Minimum number of takes in a sample.
const MIN_TAKES: usize = 50_000;

const HASH: &str = "an event's hash";
const PLY: &str = "ply";
const HASHES_LATER: &str = "a ply, with all hashes at the end";
const HASHES_AT_ONCE: &str = "a ply, with its hash at once";
const FIGURES: [&str; 4] = [HASH, PLY, HASHES_LATER, HASHES_AT_ONCE];

fn main() {
    let mut numbers = env::args().filter_map(|word| word.parse().ok());
    let rounds = numbers.next().unwrap_or(ROUNDS);
    let mut counts: Vec<usize> = numbers.collect();
    if counts.is_empty() {
        counts.extend(MATCHES);
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
        "ns per ply: the median of {rounds} samples, the minimum in parentheses, and the ratio of the median to the time for an event's hash"
    );
    for matches in counts {
        println!("{matches} open matches");
        for figure in FIGURES {
            let (median, hash) = (samples.median((figure, matches)), samples.median((HASH, matches)));
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
    if figure == HASH {
        return hash_takes(open);
    }
    for _ in 0..PLIES {
        open.play_round();
        if figure == HASHES_AT_ONCE {
            open.look_at_hashes();
        }
    }
    if figure == HASHES_LATER {
        open.look_at_hashes();
    }
}

/// Computes as many hashes as the takes would need, in one chain per match.
fn hash_takes(open: &OpenMatches) {
    let take = open.some_take();
    let mut heads = vec![EventHash::from_bytes([7; EventHash::BYTES]); open.count()];
    for _ in 0..PLIES {
        for head in &mut heads {
            *head = head.hash_of_next(black_box(&take));
        }
    }
    black_box(heads);
}
