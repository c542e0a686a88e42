//! Tests that audits of parts of some matches, merged in any order, are the audit of all of them.

use super::*;
use crate::partial_audit::SUMS_TOO_LARGE;
use lastnim_core::game::{BotVersion, SeatVersions};

/// Plays the field with versions and clocks that change from match to match, and returns an auditor for each part.
/// `part_of` chooses the part of each match.
fn audit_parts(
    field: &Field,
    groups: u64,
    subject: &AuditSubject,
    parts: usize,
    mut part_of: impl FnMut() -> usize,
) -> Vec<Auditor> {
    let mut auditors = vec![Auditor::new(subject.clone(), 5).with_max_puzzles(7); parts];
    let mut number = 0_usize;
    field.play(groups, |game| {
        number += 1;
        let label = format!("v{}", number / 7);
        let version = BotVersion { label: label.parse().ok(), config_hash: None };
        let versions = vec![SeatVersions::new([version]); game.bots.seats().get()];
        let time_left_percent: Vec<u8> =
            (0..game.audit.plies.len()).map(|ply| ((ply + number) % 100) as u8).collect();
        auditors[part_of()].add_match(&AuditedMatch {
            versions: &versions,
            time_left_percent: &time_left_percent,
            ..*game
        });
    });
    auditors
}

/// Merges the parts in a random order. Each part is written and read again before it is merged.
pub(super) fn merge_parts(mut parts: Vec<Auditor>, draw: &mut SeededDraw) -> Auditor {
    while parts.len() > 1 {
        draw.shuffle(&mut parts);
        let one = parts.pop().unwrap();
        let other = parts.pop().unwrap();
        let mut merged = Auditor::from_bytes(&one.to_bytes().unwrap()).unwrap();
        merged.merge(Auditor::from_bytes(&other.to_bytes().unwrap()).unwrap()).unwrap();
        parts.push(merged);
    }
    parts.pop().unwrap()
}

#[test]
fn partial_audits_merged_in_any_order_equal_the_whole_audit() {
    for seed in 0..24 {
        let draw = &mut SeededDraw::from_numbers([seed, 91]);
        let (rows, declared) = ROWS[seed as usize % 3];
        let seats = 2 + draw.number_below(4) as usize;
        let field = honest_field(HONEST_HABITS[draw.number_below(3) as usize], seats, rows, declared, seed);
        let subject =
            if draw.number_below(2) == 0 { AuditSubject::Field } else { AuditSubject::Bot(bot_name(2)) };
        let groups = 3 + draw.number_below(20);
        let whole = audit_parts(&field, groups, &subject, 1, || 0).remove(0);
        let parts = 2 + draw.number_below(5);
        let parts =
            audit_parts(&field, groups, &subject, parts as usize, || draw.number_below(parts) as usize);
        let merged = merge_parts(parts, draw);
        assert!(merged.to_bytes() == whole.to_bytes(), "seed {seed}: the states differ");
        assert_eq!(format!("{:?}", merged.finish()), format!("{:?}", whole.finish()), "seed {seed}");
    }
}

#[test]
fn an_audit_of_many_bots_is_merged_only_up_to_the_limit() {
    let field = |bots: usize, seed| {
        let bots = (0..bots).map(|_| SimulatedBot(Habit::Timid, None)).collect();
        Field { bots, seats: 3, rows: RowSource::Declared, seed }
    };
    // The audit of one bot counts up to 512 bots, and keeps the orders of the first 32 by name.
    let subject = AuditSubject::Bot(bot_name(3));
    let draw = &mut SeededDraw::from_numbers([4]);
    let many = field(MAX_FIELD_BOTS + 20, 1);
    let whole = audit_parts(&many, 400, &subject, 1, || 0).remove(0);
    let parts = audit_parts(&many, 400, &subject, 3, || draw.number_below(3) as usize);
    assert!(merge_parts(parts, draw).to_bytes() == whole.to_bytes(), "the states differ");
    let crowded = audit_parts(&many, 400, &AuditSubject::Field, 1, || 0).remove(0);
    assert_eq!(crowded.to_bytes(), Err(PartialAuditError::TooManyBots(MAX_FIELD_BOTS)));
    let mut one = audit_parts(&field(30, 2), 200, &AuditSubject::Field, 1, || 0).remove(0);
    let mut other = Auditor::new(AuditSubject::Field, 5).with_max_puzzles(7);
    other.play_under_other_names(&field(3, 3), 3);
    let refused = one.merge(other).unwrap_err();
    let expected =
        "the matches have more than 32 bots: expected at most 32 when parts of an audit are merged";
    assert_eq!(refused.to_string(), expected);
}

impl Auditor {
    /// Adds matches of bots whose names no other test uses.
    fn play_under_other_names(&mut self, field: &Field, groups: u64) {
        field.play(groups, |game| {
            let bots = game.bots.map(|bot| format!("other-{bot}").parse().unwrap());
            self.add_match(&AuditedMatch { bots: &bots, ..*game });
        });
    }
}

#[test]
fn audits_with_other_settings_are_not_merged() {
    let audit = || Auditor::new(AuditSubject::Field, 5);
    let refusal = |other: Auditor| audit().merge(other).unwrap_err().to_string();
    let expected = "expected the same in all parts";
    let seed = refusal(Auditor::new(AuditSubject::Field, 6));
    assert_eq!(seed, format!("the seed is 5 in one part and 6 in another: {expected}"));
    let subject = refusal(Auditor::new(AuditSubject::Bot(bot_name(1)), 5));
    assert_eq!(subject, format!("the subject is every bot in one part and bot-1 in another: {expected}"));
    let puzzles = refusal(audit().with_max_puzzles(3));
    assert_eq!(puzzles, format!("the number of puzzles is 10 in one part and 3 in another: {expected}"));
    assert!(refusal(audit().without_power()).starts_with("the power of the tests is estimated in one part"));
}

#[test]
fn damaged_states_are_refused() {
    let field = honest_field(HONEST_HABITS[0], 3, RowSource::Declared, DeclaredRows::Differing, 2);
    let audit = audit_parts(&field, 4, &AuditSubject::Bot(bot_name(0)), 1, || 0).remove(0);
    let bytes = audit.to_bytes().unwrap();
    let malformation = |bytes: &[u8]| match Auditor::from_bytes(bytes) {
        Err(PartialAuditError::Malformed(problem)) => problem,
        other => panic!("{other:?}"),
    };
    for length in (0..bytes.len()).step_by(997) {
        assert_eq!(malformation(&bytes[..length]), "its encoding is invalid");
    }
    assert_eq!(malformation(&[&bytes[..], &[0]].concat()), "trailing bytes");
    // A changed byte is refused, or only changes numbers: then the state can still be read in full.
    let draw = &mut SeededDraw::from_numbers([8]);
    let mut refused = 0;
    for _ in 0..3_000 {
        let mut changed = bytes.clone();
        changed[draw.number_below(bytes.len() as u64) as usize] = draw.next_bits() as u8;
        match Auditor::from_bytes(&changed) {
            Ok(read) => drop(read.without_power().finish()),
            Err(PartialAuditError::Malformed(_)) => refused += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(refused > 0, "no change was noticed");
}

#[test]
fn sums_that_could_overflow_are_refused() {
    let field = honest_field(HONEST_HABITS[0], 3, RowSource::Declared, DeclaredRows::Differing, 2);
    let bytes =
        audit_parts(&field, 4, &AuditSubject::Bot(bot_name(0)), 1, || 0).remove(0).to_bytes().unwrap();
    let audit = Auditor::from_bytes(&bytes).unwrap();
    let tally = audit.bots.iter().find_map(|bot| bot.tally.as_ref()).unwrap();
    let figures = postcard::to_allocvec(&tally.figures).unwrap();
    let start = bytes.windows(figures.len()).position(|found| found == figures).unwrap();
    // The number of sums comes first, in one byte, and then the number of matches.
    let encoded = |matches: i64| postcard::to_allocvec(&matches).unwrap();
    let (before, rest) = bytes.split_at(start + 1);
    let after = rest.strip_prefix(&encoded(tally.figures.figures().matches.cast_signed())[..]).unwrap();
    let auditor_with = |matches| Auditor::from_bytes(&[before, &encoded(matches), after].concat());
    let most = (1 << 53) - 1;
    for matches in [-1, most + 1, i64::MAX, i64::MIN] {
        let refused = auditor_with(matches).unwrap_err();
        assert_eq!(refused, PartialAuditError::Malformed("the counts of a bot are impossible"));
    }
    let mut merged = auditor_with(most).unwrap();
    let refused = merged.merge(auditor_with(1).unwrap()).unwrap_err();
    assert_eq!(refused, SUMS_TOO_LARGE);
}

#[test]
fn counts_that_would_wrap_are_refused() {
    let field = honest_field(HONEST_HABITS[0], 3, RowSource::Declared, DeclaredRows::Differing, 2);
    let audit = audit_parts(&field, 4, &AuditSubject::Bot(bot_name(0)), 1, || 0).remove(0);
    let crafted: [fn(&mut Auditor); 7] = [
        |part| part.matches = u64::MAX,
        |part| part.bots[1].mover.strength.plies = u64::MAX,
        |part| part.bots.iter_mut().find_map(|bot| bot.tally.as_mut()).unwrap().safety.hedges = u64::MAX,
        |part| part.bots.iter_mut().find_map(|bot| bot.tally.as_mut()).unwrap().kingmaking.plies = u64::MAX,
        |part| part.pairs.values_mut().next().unwrap().matches = u64::MAX,
        |part| part.pairs.values_mut().next().unwrap().declarations.seats = u64::MAX,
        |part| part.choices.groups.values_mut().next().unwrap().choices[0].opened = i64::MAX,
    ];
    for (number, craft) in crafted.into_iter().enumerate() {
        let mut part = audit.clone();
        craft(&mut part);
        let read = || Auditor::from_bytes(&part.to_bytes().unwrap()).unwrap();
        assert_eq!(read().merge(read()), Err(SUMS_TOO_LARGE), "crafted part {number}");
    }
}
