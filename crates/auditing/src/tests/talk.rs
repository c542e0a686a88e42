//! Pacts and claims in the audit of a field.

use super::partial_audits::merge_parts;
use super::*;
use lastnim_analysis::deals::{TalkAudit, WordKept};
use lastnim_core::oracle::Budget;
use lastnim_core::referee::testing::{OfferedTerms, TalkedMatch};
use lastnim_core::referee::{Record, TalkPrivacy, Timestamp};

const SEATS: usize = 3;

fn shuffled_row(draw: &mut SeededDraw) -> Vec<u64> {
    let mut row: Vec<u64> = (0..SEATS as u64).collect();
    draw.shuffle(&mut row);
    row
}

/// Plays one match for each rotation of three bots in each group. Half of the seats lie, some are late, some pacts are
/// not signed, and in some groups messages are private or no rows are dealt.
pub(super) fn play_matches(groups: u64, mut see: impl FnMut(MatchGroup, &Record)) {
    let tournament = TournamentId::new(1, &[0; 10]);
    for number in 0..groups {
        for rotation in 0..SEATS {
            let draw = &mut SeededDraw::from_numbers([number, rotation as u64]);
            let rows: Vec<_> = (0..SEATS).map(|_| shuffled_row(draw)).collect();
            let piles: Vec<u64> = (0..=draw.number_below(3)).map(|_| 1 + draw.number_below(4)).collect();
            let matrix = AllianceMatrix::parse(&rows).unwrap();
            let piles = Piles::parse(&piles).unwrap();
            let mut talked = TalkedMatch::of_game(Game::new(piles, matrix, 0, Ending::default()).unwrap());
            talked.id = MatchId::new(FIRST_MS + number, &[rotation as u8; 10]);
            // The matches of two groups overlap.
            talked.began = Timestamp::from_micros(1_000 * (number / 2));
            talked.bots = (0..SEATS).map(|seat| bot_name((seat + rotation) % SEATS).to_string()).collect();
            talked.is_dealt = number % 4 != 1;
            if number % 4 == 2 {
                talked.privacy = TalkPrivacy::Private;
            }
            for row in &mut talked.declared {
                match draw.number_below(6) {
                    0 => *row = None,
                    1 | 2 => *row = Some(shuffled_row(draw)),
                    _ => {}
                }
            }
            for _ in 0..draw.number_below(3) {
                let mut seats: Vec<usize> = (0..SEATS).collect();
                draw.shuffle(&mut seats);
                let mut relation =
                    |member: usize| (member, vec![(seats[0], seats[draw.number_below(2) as usize + 1])]);
                let mut pact = OfferedTerms::signed((0..SEATS).map(&mut relation).collect());
                if draw.number_below(4) == 0 {
                    pact.accepted.pop();
                }
                talked.pacts.push(pact);
            }
            for (seat, row) in rows.iter().enumerate() {
                if draw.number_below(2) == 0 {
                    let row = if draw.number_below(2) == 0 { row.clone() } else { shuffled_row(draw) };
                    talked.claims.push((seat, row, Vec::new()));
                }
            }
            see(MatchGroup::Duplicate { tournament, number }, &talked.play());
        }
    }
}

pub(super) fn audit_talk(record: &Record) -> TalkAudit {
    TalkAudit::of_record(record, &mut Budget::of_steps(TalkAudit::STEP_LIMIT)).unwrap()
}

impl Auditor {
    pub(super) fn add_record(&mut self, group: MatchGroup, record: &Record) {
        let state = record.state();
        let bots = &state.setup().bots;
        self.add_match(&AuditedMatch {
            id: record.id(),
            group,
            bots,
            game: state.game().unwrap(),
            rows: RowSource::Declared,
            audit: &record.audit().unwrap(),
            lost: &BySeat::filled(bots.seats(), &None),
            versions: &[],
            time_left_percent: &[],
            talk: Some(&audit_talk(record)),
        });
    }
}

/// Returns the sum of a number over the talk of a bot's matches.
fn sum(
    audits: &[(BySeat<BotName>, TalkAudit)],
    bot: &BotName,
    number: impl Fn(&TalkAudit, Seat) -> i64,
) -> i64 {
    let seats = audits.iter().map(|(bots, talk)| {
        let (seat, _) = bots.enumerate().find(|&(_, name)| name == bot).unwrap();
        number(talk, seat)
    });
    seats.sum()
}

fn words_of(talk: &TalkAudit, seat: Seat, wanted: WordKept) -> i64 {
    let members = talk.pacts.iter().flat_map(|pact| &pact.members);
    members.filter(|member| member.seat == seat && member.word == wanted).count() as i64
}

#[test]
fn figures_agree_with_the_audits_of_the_matches() {
    let (mut auditor, mut audits) = (Auditor::new(AuditSubject::Field, 1), Vec::new());
    play_matches(60, |group, record| {
        auditor.add_record(group, record);
        audits.push((record.state().setup().bots.clone(), audit_talk(record)));
    });
    let found = auditor.finish();
    assert_eq!(found.bots.len(), SEATS);
    let (mut done, mut suffered) = (0, 0);
    for BotFindings { bot, talk, .. } in &found.bots {
        let figures = talk.as_ref().unwrap();
        let sum = |number: &dyn Fn(&TalkAudit, Seat) -> i64| sum(&audits, bot, number);
        let count = |number: &dyn Fn(&TalkAudit, Seat) -> i64| u64::try_from(sum(number)).unwrap();
        assert_eq!(figures.hidden_matches, count(&|talk, _| i64::from(talk.may_hide_pacts())));
        assert_eq!(figures.matches + figures.hidden_matches, 180);
        assert_eq!(figures.offered, count(&|talk, seat| i64::from(talk.offer_count(seat))));
        for (words, word) in [
            (figures.kept, WordKept::Kept),
            (figures.broken, WordKept::Broken),
            (figures.defaulted, WordKept::Defaulted),
        ] {
            assert_eq!(words, count(&|talk, seat| words_of(talk, seat, word)));
            assert!(words > 0, "{word:?}");
        }
        assert_eq!(figures.signed, figures.kept + figures.broken + figures.defaulted);
        let tempted = |talk: &TalkAudit, seat: Seat, words: &[WordKept]| {
            let members = talk.pacts.iter().flat_map(|pact| &pact.members);
            let tempted = members.filter(|member| {
                member.seat == seat
                    && words.contains(&member.word)
                    && matches!(member.temptation, Some(Ok(1..)))
            });
            tempted.count() as i64
        };
        let kept = count(&|talk, seat| tempted(talk, seat, &[WordKept::Kept]));
        let all = count(&|talk, seat| tempted(talk, seat, &[WordKept::Kept, WordKept::Broken]));
        assert_eq!([figures.kept_when_tempted, figures.tempted], [kept, all]);
        assert!(all > 0 && (figures.kept_share.unwrap().value - kept as f64 / all as f64).abs() < 1e-12);
        let value = sum(&|talk, seat| {
            let values = talk.pacts.iter().filter_map(|pact| pact.values.as_ref());
            values.map(|values| i64::from(values[seat])).sum()
        });
        let valued = sum(&|talk, _| if talk.has_dealt_rows { talk.pacts.len() as i64 } else { 0 });
        assert!((figures.value.unwrap().value - value as f64 / valued as f64).abs() < 1e-12);
        assert_eq!(
            figures.double_dealing,
            count(&|talk, seat| talk.double_dealing.iter().filter(|one| one.seat == seat).count() as i64)
        );
        let matches = sum(&|talk, _| i64::from(talk.has_dealt_rows && !talk.pacts.is_empty()));
        let harm = |is_counted: &dyn Fn(Seat, Seat, Seat) -> bool| {
            let harm = sum(&|talk, seat| {
                let members = talk.pacts.iter().flat_map(|pact| &pact.members);
                let harms = members.flat_map(|member| {
                    member
                        .harms
                        .iter()
                        .flat_map(BySeat::enumerate)
                        .map(|(to, ranks)| (member.seat, to, *ranks))
                });
                harms
                    .filter(|&(by, to, _)| by != to && is_counted(by, to, seat))
                    .map(|(.., ranks)| i64::from(ranks))
                    .sum()
            });
            harm as f64 / matches as f64
        };
        let [by_bot, to_bot] = [harm(&|by, _, seat| by == seat), harm(&|_, to, seat| to == seat)];
        assert!((figures.harm_done.unwrap().value - by_bot).abs() < 1e-12);
        assert!((figures.harm_suffered.unwrap().value - to_bot).abs() < 1e-12);
        done += (by_bot * matches as f64).round() as i64;
        suffered += (to_bot * matches as f64).round() as i64;
        let distances = |talk: &TalkAudit, seat: Seat| {
            let claims = talk.claims.iter().filter(|claim| claim.seat == seat);
            claims.filter_map(|claim| claim.from_dealt).collect::<Vec<_>>()
        };
        let claims = count(&|talk, seat| distances(talk, seat).len() as i64);
        assert!(claims > 0 && claims == figures.claims);
        let told =
            sum(&|talk, seat| distances(talk, seat).iter().filter(|&&pairs| pairs == 0).count() as i64);
        assert!((figures.true_share.unwrap().value - told as f64 / claims as f64).abs() < 1e-12);
        let distance = sum(&|talk, seat| distances(talk, seat).iter().sum::<usize>() as i64);
        assert!((figures.distance.unwrap().value - distance as f64 / claims as f64).abs() < 1e-12);
    }
    assert!(
        done == suffered && done != 0,
        "what bots do to others is what others suffer: {done}, {suffered}"
    );
}

#[test]
fn merged_parts_with_talk_equal_the_whole_audit() {
    for seed in 0..6 {
        let draw = &mut SeededDraw::from_numbers([seed, 17]);
        let subject = if seed % 2 == 0 { AuditSubject::Field } else { AuditSubject::Bot(bot_name(1)) };
        let mut whole = Auditor::new(subject.clone(), 5);
        let mut parts = vec![Auditor::new(subject, 5); 3];
        play_matches(8, |group, record| {
            whole.add_record(group, record);
            parts[draw.number_below(3) as usize].add_record(group, record);
        });
        let merged = merge_parts(parts, draw);
        assert!(merged.to_bytes() == whole.to_bytes(), "seed {seed}: the states differ");
        assert_eq!(merged.finish(), whole.finish(), "seed {seed}");
    }
}

#[test]
fn matches_without_talk_have_no_figures_of_talk() {
    let field = honest_field(HONEST_HABITS[0], 3, RowSource::Declared, DeclaredRows::Standard, 3);
    assert!(field.audit(2, AuditSubject::Field).bots.iter().all(|bot| bot.talk.is_none()));
}
