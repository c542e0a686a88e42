//! The final checks: everything announced is stored, and everything follows from the records.

use super::ledger::{Told, ToldTake};
use super::organiser::Organiser;
use super::server::Server;
use lastnim_core::game::{BotName, MatchId, Seat};
use lastnim_core::oracle::Mover;
use lastnim_core::referee::{Event, EventHash, PublicKey, Record, TimedEvent};
use lastnim_proto::{field_history::parse_field_history, parse_request, pb, tournament::parse_settings};
use lastnim_server::load_or_generate_key;
use lastnim_store::{RetentionLimits, Store, StoredMatch};
use lastnim_tournament::{
    FieldChange, MatchOutcome, MatchResult, RatingEvidence, Settings, Standings, TournamentState,
    plan_schedule,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Judges a finished tournament and exhibitions: asks the server, stops it, and reads its store.
pub async fn judge(
    organiser: &Organiser,
    server: Server,
    told: &Told,
    tournament: &str,
    exhibitions: &[String],
) {
    assert_eq!(told.contradictions, Vec::<String>::new());
    assert_eq!(told.forfeited, [], "no seat is lost");
    let finished = organiser.tournament(tournament).await;
    assert_eq!(finished.state(), pb::TournamentState::Finished);
    let settings = settings_of_tournament(&finished);
    let history = organiser.field_history(tournament).await;
    let (field, changes) = history.map_or_else(
        || (finished.field.iter().map(|bot| bot.parse().unwrap()).collect(), Vec::new()),
        |history| field_history(&history),
    );
    let mut schedule = plan_schedule(&settings, &field).unwrap();
    let mut standings = Standings::new(&settings, field.iter());
    for change in &changes {
        schedule.change_field(change);
        standings.add_bot(&change.bot);
    }

    let signer = organiser.public_key().await;
    let matches = organiser.matches(tournament).await;
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    let mut evidence = RatingEvidence::new(&settings);
    let mut by_number = BTreeMap::new();
    for found in &matches {
        let record = sealed_record(organiser, &found.id, signer).await;
        let number = record.state().setup().origin.as_ref().expect("it belongs to the tournament").number;
        assert!(by_number.insert(number, (found, record)).is_none(), "match {number} is played once");
    }
    let numbers: Vec<u64> = by_number.keys().copied().collect();
    // The matches are compared in order, since pairings may depend on earlier matches.
    for (number, (found, record)) in by_number {
        let setup = record.state().setup().clone();
        let pairing = schedule.pairing_of_number(number).expect("it has a pairing");
        assert_eq!(pairing.bots, setup.bots, "match {number}");
        assert_eq!(settings.piles(pairing.position).unwrap(), setup.piles, "match {number}");
        let outcome = MatchOutcome::of_audit(&record.audit().unwrap(), |_| None);
        assert_eq!(found.winner, Some(outcome.winner.into()), "match {number}");
        let result = MatchResult::finished(&pairing, outcome);
        schedule.report_result(&result);
        standings.add_result(&result);
        evidence.add_result(&result);
        records.insert(found.id.clone(), record);
    }
    let total = schedule.total_matches().upper_bound().expect("it ends");
    assert_eq!((finished.matches_played, finished.matches_total), (total, total));
    assert_eq!(numbers, (0..total).collect::<Vec<_>>(), "each pairing is played once");
    let mut lines = standings.lines(TournamentState::Finished);
    let appraisal = evidence.final_appraisal(&|| true).unwrap();
    appraisal.add_to_standings(&mut lines, TournamentState::Finished);
    appraisal.add_place_ranges(&mut lines);
    let folded: Vec<pb::Standing> = lines.iter().map(Into::into).collect();
    assert_eq!(organiser.standings(tournament).await, folded);

    for id in exhibitions {
        assert_eq!(organiser.get_match(id).await.unwrap().phase(), pb::Phase::Ended);
        records.insert(id.clone(), sealed_record(organiser, id, signer).await);
    }
    let all = organiser.matches("").await;
    assert_eq!(all.len(), records.len(), "there are no other matches");
    for record in records.values() {
        check_fair_play(record);
    }
    check_announcements(told, &records);

    let (store, key) = reopen_store(server).await;
    assert_eq!(key, signer, "the key of the file");
    for (id, record) in &records {
        let id: MatchId = id.parse().unwrap();
        check_sealed(&store.match_record(id).await.unwrap().expect("it is stored"), record, signer);
    }
    assert_eq!(store.unfinished_matches().await.unwrap(), []);
    assert_eq!(store.unfinished_tournaments().await.unwrap(), []);
}

/// Fetches the record of a finished match, signed with the key.
pub async fn sealed_record(organiser: &Organiser, id: &str, signer: PublicKey) -> Record {
    let sealed = organiser.record(id).await;
    assert_eq!(sealed.seal().map(|seal| seal.signer), Some(signer), "match {id}: one key signs them all");
    sealed.record().clone()
}

fn settings_of_tournament(tournament: &pb::Tournament) -> Settings {
    let given = tournament.settings.as_ref().unwrap();
    parse_request(|shown| parse_settings(given, shown.member("settings"))).unwrap()
}

/// Parses the field history of a ladder.
fn field_history(history: &pb::FieldHistory) -> (Vec<BotName>, Vec<FieldChange>) {
    parse_request(|shown| parse_field_history(history, shown.member("field_history"))).unwrap()
}

/// Stops a server and opens its store; returns the key for verifying its records.
async fn reopen_store(server: Server) -> (Arc<dyn Store>, PublicKey) {
    let start = server.start.clone();
    server.stop();
    let store =
        lastnim_store::open_store(&start.store.parse().unwrap(), RetentionLimits::default()).await.unwrap();
    (store, load_or_generate_key(&start.key).unwrap().public_key())
}

/// Checks that no seat, row or strike was lost: every bot here answers everything.
pub fn check_fair_play(record: &Record) {
    for TimedEvent { event, .. } in record.events() {
        let fair = match event {
            Event::Forfeited { .. } | Event::Struck { .. } => false,
            Event::Declared { defaulted, .. } => defaulted.is_none(),
            _ => true,
        };
        assert!(fair, "match {}: {event:?}", record.id());
    }
}

/// Checks that everything announced is in the records.
pub fn check_announcements(told: &Told, records: &BTreeMap<String, Record>) {
    for id in told.started.keys() {
        assert!(records.contains_key(id), "match {id} was announced but has no record");
    }
    for ((id, ply), take) in &told.takes {
        assert_eq!(recorded_take(&records[id], *ply), Some(*take), "match {id}, ply {ply}");
        assert!(!take.steward, "match {id}, ply {ply}: no seat was lost");
    }
    for ((id, bot), row) in &told.rows {
        let state = records[id].state();
        let seat = state.setup().seat_of(&bot.parse().unwrap()).expect("it plays");
        let kept = state.row_of_seat(seat).expect("the row is kept");
        assert_eq!(&pb::Row::from(kept).offsets, row, "match {id}: the row of {bot}");
    }
    for ((id, bot), row) in &told.dealt {
        let state = records[id].state();
        let seat = state.setup().seat_of(&bot.parse().unwrap()).expect("it plays");
        let kept = state.dealt_rows().expect("the dealt rows are kept");
        assert_eq!(&pb::Row::from(&kept.rows()[seat]).offsets, row, "match {id}: the dealt row of {bot}");
    }
    for (id, matrix) in &told.matrices {
        let kept = &records[id].state().game().expect("the rows are revealed").matrix;
        assert_eq!(&pb::AllianceMatrix::from(kept), matrix, "match {id}");
    }
    for (id, end) in &told.ends {
        let (reason, winner) = records[id].state().end().expect("the match is over");
        assert_eq!((pb::EndReason::from(reason), winner.map(Seat::into)), (end.reason, end.winner), "{id}");
    }
}

/// Returns the take of a ply in a record.
fn recorded_take(record: &Record, at: u32) -> Option<ToldTake> {
    record.events().iter().find_map(|timed| match timed.event {
        Event::Took { ply, seat, take, mover, .. } if ply == at => {
            Some(ToldTake { seat: seat.into(), take, steward: mover == Mover::Steward })
        }
        _ => None,
    })
}

/// Checks that a stored match equals the one shown by the server, and that its hash chain and seal are valid.
fn check_sealed(kept: &StoredMatch, shown: &Record, signer: PublicKey) {
    assert_eq!(&kept.record, shown);
    let replayed = Record::replay(shown.id(), shown.events().iter().cloned()).unwrap();
    let mut hash = EventHash::before_first_event(shown.id());
    for (event, chained) in replayed.events().iter().zip(kept.record.hashes()) {
        hash = hash.hash_of_next(event);
        assert_eq!(hash, *chained, "match {}", shown.id());
    }
    let seal = kept.seal.as_ref().expect("it is over, and sealed");
    assert_eq!(seal.signer, signer, "one key signs them all");
    assert!(seal.verifies(hash), "match {}", shown.id());
}
