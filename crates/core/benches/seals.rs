//! Compares the time to check a record's seal with the time of strict verification by `ed25519-dalek`, which parses the
//! key each time.
//!
//! Run it with `cargo bench -p lastnim-core --bench seals`. The benchmark first makes sure that both methods accept
//! every seal, and then measures the methods alternately, in two rounds.

use criterion::Criterion;
use ed25519_dalek::VerifyingKey;
use lastnim_core::referee::{EventHash, PublicKey, Seal, SigningKey};
use std::{hint::black_box, time::Duration};

/// The number of different seals, which are used in turn.
const SEAL_COUNT: u8 = 64;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .configure_from_args();
    let key = SigningKey::from_seed(&[7; SigningKey::SEED_BYTES]);
    let heads = (0..SEAL_COUNT).map(|number| EventHash::from_bytes([number; EventHash::BYTES]));
    let sealed: Vec<(EventHash, Seal)> = heads.map(|head| (head, key.seal(head))).collect();
    assert!(sealed.iter().all(|(head, seal)| verify_seal(*head, seal) && verify_strictly(*head, seal)));
    let mut turns = sealed.iter().cycle();
    let mut next_seal = || turns.next().expect("there are seals");
    for round in 1..=2 {
        let mut group = criterion.benchmark_group(format!("round {round}"));
        group.bench_function("strict, parsing the key each time", |bencher| {
            bencher.iter(|| {
                let (head, seal) = next_seal();
                verify_strictly(*head, seal)
            });
        });
        group.bench_function("seal", |bencher| {
            bencher.iter(|| {
                let (head, seal) = next_seal();
                verify_seal(*head, seal)
            });
        });
    }
    criterion.final_summary();
}

fn verify_seal(head: EventHash, seal: &Seal) -> bool {
    let signer = PublicKey::from_bytes(black_box(*seal.signer.as_bytes())).expect("a key");
    Seal { signer, ..*seal }.verifies(black_box(head))
}

fn verify_strictly(head: EventHash, seal: &Seal) -> bool {
    let key = VerifyingKey::from_bytes(black_box(seal.signer.as_bytes())).expect("a key");
    let message = [b"lastnim record seal v1\n".as_slice(), black_box(head).as_bytes()].concat();
    !key.is_weak()
        && key
            .verify_strict(&message, &ed25519_dalek::Signature::from_bytes(seal.signature.as_bytes()))
            .is_ok()
}
