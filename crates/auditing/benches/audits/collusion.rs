//! False positives in honest fields, detections in colluding ones, and the accuracy of the predicted power.

use crate::{
    declares::DeclarationStrategy,
    fields::{Field, bot_name},
    kinds::{FieldKind, colluding_fields, fields_with_room_to_help, honest_fields, with_help},
    options::Options,
};
use lastnim_auditing::{AuditFindings, HELP_SHARES, HelpKind, PairFindings};
use lastnim_core::game::BotName;

/// The number of fields of each kind that are simulated by default.
const DEFAULT_FIELDS: u64 = 50;

/// Prints how often honest fields are flagged.
pub fn print_honest(options: &Options) {
    let count = options.count.unwrap_or(DEFAULT_FIELDS);
    println!(
        "\nHow many of {count} honest fields are flagged / have a pair with dependent declarations / have a pair with significant favouritism"
    );
    let all = print_fields(honest_fields(), options, |_, found| {
        [
            !found.flagged_pairs().is_empty(),
            found.pairs.iter().any(|pair| pair.declarations.is_dependent()),
            found.pairs.iter().any(|pair| pair.favouritism.is_significant()),
        ]
    });
    let [flagged, dependent, significant] = all.counts;
    println!(
        "\nOf {} honest fields, {flagged} are flagged: {}; {dependent} have a pair with dependent declarations, and {significant} one with significant favouritism",
        all.fields,
        share_interval(flagged, all.fields)
    );
}

/// Prints how often the tests reject the null hypothesis in fields whose bots cannot identify each other.
pub fn print_level(options: &Options) {
    let count = options.count.unwrap_or(DEFAULT_FIELDS);
    println!(
        "\nHow many of {count} fields whose bots know nothing about each other have a corrected p-value of at most 0.05 / 0.02 / 0.01"
    );
    let blind = honest_fields().into_iter().filter(|(_, _, bots)| {
        let is_blind = |&(declares, plays): &(DeclarationStrategy, _)| {
            matches!(
                declares,
                DeclarationStrategy::Standard
                    | DeclarationStrategy::Offset(_)
                    | DeclarationStrategy::RandomRow
                    | DeclarationStrategy::SeatOrder
            ) && !matches!(
                plays,
                crate::plays::PlayStrategy::ExploitsToWin | crate::plays::PlayStrategy::ExploitsForRank
            )
        };
        bots.iter().all(is_blind)
    });
    let all = print_fields(blind.collect(), options, |_, found| {
        let smallest = found.pairs.iter().filter_map(PairFindings::smallest_p_corrected).fold(1.0, f64::min);
        [0.05, 0.02, 0.01].map(|level| smallest <= level)
    });
    for (level, count) in [0.05, 0.02, 0.01].into_iter().zip(all.counts) {
        println!("{level}: {count} of {}, {}", all.fields, share_interval(count, all.fields));
    }
}

/// Prints how often colluding fields are flagged.
pub fn print_colluding(options: &Options) {
    let count = options.count.unwrap_or(DEFAULT_FIELDS);
    println!(
        "\nIn how many of {count} colluding fields a pair of colluding bots is flagged / all such pairs are flagged in both directions / other pairs are flagged too"
    );
    print_fields(colluding_fields(), options, |name, found| {
        let members = if name.contains("a ring of three") { 3 } else { 2 };
        let is_member = |bot: &BotName| (0..members).any(|member| *bot == bot_name(member));
        let flagged = found.flagged_pairs();
        let colluding =
            flagged.iter().filter(|pair| is_member(&pair.mover) && is_member(&pair.other)).count();
        [colluding > 0, colluding == members * (members - 1), flagged.len() > colluding]
    });
}

/// The number of simulated fields, and the numbers of those that meet each of three conditions.
struct FieldCounts {
    fields: u64,
    counts: [u64; 3],
}

fn print_fields(
    kinds: Vec<FieldKind>,
    options: &Options,
    judge: impl Fn(&str, &AuditFindings) -> [bool; 3],
) -> FieldCounts {
    let columns: Vec<_> = options
        .seats
        .iter()
        .flat_map(|seats| {
            options.groups.iter().map(move |groups| format!(" {seats} seats, {groups} groups |"))
        })
        .collect();
    println!("\n| bots |{}\n|---|{}", columns.concat(), "---|".repeat(columns.len()));
    let mut all = FieldCounts { fields: 0, counts: [0; 3] };
    for (name, rows, bots) in kinds.into_iter().filter(|(name, ..)| name.contains(&options.only)) {
        let mut line = format!("| {name} |");
        for &seats in &options.seats {
            let field = Field::new(bots.clone(), seats, rows);
            for &groups in &options.groups {
                let mut counts = [0; 3];
                for number in 0..options.count.unwrap_or(DEFAULT_FIELDS) {
                    let judged = judge(name, &field.audit(groups, options.seed + number));
                    for (count, is_so) in counts.iter_mut().zip(judged) {
                        *count += u64::from(is_so);
                    }
                    all.fields += 1;
                }
                for (sum, count) in all.counts.iter_mut().zip(counts) {
                    *sum += count;
                }
                let [first, second, third] = counts;
                line = format!("{line} {first} / {second} / {third} |");
            }
        }
        println!("{line}");
    }
    all
}

/// Compares the power that audits of an honest field report with how often pairs of bots are flagged if they help each
/// other in that field.
pub fn print_power(options: &Options) {
    let count = options.count.unwrap_or(DEFAULT_FIELDS);
    println!(
        "\nHelp in a share of groups: the reported chance of finding it / how often it is found in {count} fields"
    );
    let columns: Vec<String> = HELP_SHARES.iter().map(|share| format!(" {:.0}% |", 100.0 * share)).collect();
    println!("\n| field | help |{}\n|---|---|{}", columns.concat(), "---|".repeat(columns.len()));
    for (field, rows, bots) in fields_with_room_to_help() {
        for (&seats, &groups) in
            options.seats.iter().flat_map(|seats| options.groups.iter().map(move |groups| (seats, groups)))
        {
            let stated_powers =
                |seed| Field::new(bots.clone(), seats, rows).play(groups, seed).finish().powers;
            let stated: Vec<_> =
                (0..count.min(5)).map(|number| stated_powers(options.seed + number)).collect();
            for kind in HelpKind::ALL {
                let cells = HELP_SHARES.map(|share| {
                    let chances = stated
                        .iter()
                        .flatten()
                        .filter(|power| power.kind == kind && power.share.total_cmp(&share).is_eq());
                    let chances: Vec<f64> = chances.map(|power| power.chance).collect();
                    let mean = chances.iter().sum::<f64>() / chances.len() as f64;
                    let field =
                        Field::new(with_help(&bots, kind, (100.0 * share).round() as u64), seats, rows);
                    let is_member = |bot: &BotName| *bot == bot_name(0) || *bot == bot_name(1);
                    let is_found = |number: &u64| {
                        let found = field.audit(groups, options.seed + 1_000_000 + number);
                        found
                            .flagged_pairs()
                            .iter()
                            .any(|pair| is_member(&pair.mover) && is_member(&pair.other))
                    };
                    format!(" {:.0}% / {} |", 100.0 * mean, (0..count).filter(is_found).count())
                });
                println!("| {field}, {seats} seats, {groups} groups | {kind:?} |{}", cells.concat());
            }
        }
    }
}

/// Returns a share in percent with its 95% interval (Clopper and Pearson).
pub fn share_interval(hits: u64, all: u64) -> String {
    // The probability of at most `max` hits.
    let is_rare = |share: f64, max: u64| {
        let mut log_term = all as f64 * (1.0 - share).ln();
        let mut sum = log_term.exp();
        for hit in 1..=max {
            log_term += ((all - hit + 1) as f64 / hit as f64).ln() + (share / (1.0 - share)).ln();
            sum += log_term.exp();
        }
        sum
    };
    let where_it_falls_to = |chance: f64, max: u64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if is_rare(middle, max) > chance { low = middle } else { high = middle }
        }
        100.0 * low
    };
    let low = if hits == 0 { 0.0 } else { where_it_falls_to(0.975, hits - 1) };
    let high = if hits == all { 100.0 } else { where_it_falls_to(0.025, hits) };
    format!("{:.1}% ({low:.1}% to {high:.1}%)", 100.0 * hits as f64 / all.max(1) as f64)
}
