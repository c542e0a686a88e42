//! How often honest fields are flagged, colluding ones found, and how well the power is foretold.

use crate::fields::{Declares, Field, Plays, bot_name, colluding_fields, honest_fields};
use lastnim_core::auditing::{AuditFindings, Favouritism, PairFindings};

/// Tournaments of each kind.
const TOURNAMENTS: u64 = 50;
/// The numbers of groups.
const GROUPS: [u64; 3] = [40, 150, 600];
/// The numbers of seats.
const SEATS: [usize; 2] = [3, 4];

/// Prints the tables.
pub fn print() {
    println!("\nHonest fields of {TOURNAMENTS}: flagged / with a pair that depends / with significant takes");
    print_fields(honest_fields(), |found| {
        let significant = |pair: &PairFindings| matches!(pair.favouritism, Favouritism::Tested { p_corrected, .. } if p_corrected <= 0.05);
        [
            !found.flagged_pairs().is_empty(),
            found.pairs.iter().any(|pair| pair.declarations.is_dependent()),
            found.pairs.iter().any(significant),
        ]
    });
    println!(
        "\nColluding fields of {TOURNAMENTS}: the two are flagged / in both directions / somebody else is flagged as well"
    );
    print_fields(colluding_fields(), |found| {
        let of_the_two = |pair: &&PairFindings| {
            [&pair.mover, &pair.other].iter().all(|&bot| *bot == bot_name(0) || *bot == bot_name(1))
        };
        let flagged = found.flagged_pairs();
        let two = flagged.iter().filter(|pair| of_the_two(pair)).count();
        [two > 0, two == 2, flagged.len() > two]
    });
    print_power();
}

fn print_fields(
    fields: Vec<(&'static str, Vec<(Declares, Plays)>)>,
    judge: impl Fn(&AuditFindings) -> [bool; 3],
) {
    let columns: Vec<_> = SEATS
        .iter()
        .flat_map(|seats| GROUPS.map(|groups| format!(" {seats} seats, {groups} groups |")))
        .collect();
    println!("\n| bots |{}\n|---|{}", columns.concat(), "---|".repeat(columns.len()));
    for (name, bots) in fields {
        let mut line = format!("| {name} |");
        for seats in SEATS {
            for groups in GROUPS {
                let field = Field { bots: bots.clone(), seats };
                let mut counts = [0; 3];
                for seed in 0..TOURNAMENTS {
                    let judged = judge(&field.audit(groups, 1_000 + seed));
                    for (count, is_so) in counts.iter_mut().zip(judged) {
                        *count += u32::from(is_so);
                    }
                }
                let [first, second, third] = counts;
                line = format!("{line} {first} / {second} / {third} |");
            }
        }
        println!("{line}");
    }
}

/// Lets a bot help another as often as an honest field said that it could have shown with a chance of 0.8.
fn print_power() {
    println!(
        "\nHelp of the strength that an honest field could have shown with a chance of 0.8: found in {TOURNAMENTS}"
    );
    println!("\n| seats, groups | share of groups | found |\n|---|---|---|");
    for seats in SEATS {
        for groups in GROUPS {
            let (_, mut bots) = honest_fields().swap_remove(0);
            let honest = Field { bots: bots.clone(), seats }.audit(groups, 1);
            let pair = |found: &AuditFindings| {
                let wanted = |pair: &&PairFindings| pair.mover == bot_name(0) && pair.other == bot_name(1);
                found.pairs.iter().find(wanted).cloned()
            };
            let Some(share) = pair(&honest).and_then(|pair| pair.declarations.detectable_share) else {
                println!("| {seats}, {groups} | none | |");
                continue;
            };
            bots[0].0 = Declares::Helps(1, ((100.0 * share).round() as i64).unsigned_abs());
            let field = Field { bots, seats };
            let is_found = |seed: &u64| {
                pair(&field.audit(groups, 2_000 + seed)).is_some_and(|pair| pair.declarations.is_dependent())
            };
            let found = (0..TOURNAMENTS).filter(is_found).count();
            println!("| {seats}, {groups} | {:.0}% | {found} |", 100.0 * share);
        }
    }
}
