//! Summaries and lists of matches.

use super::{
    Cell, Column, Report, ReportReader, Section, Table,
    audit::seat_table,
    match_events::SeatNames,
    talk_audit::talk_sections,
    tournament_settings::{clock_text, word_text},
    versions::seat_versions_line,
    words::{enum_phrase, enum_word, join_items},
};
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;
use std::collections::BTreeSet;

/// Summarises an audit in one line. Takes by the steward are not credited to bots.
pub fn audit_line(audit: &pb::Audit, players: &SeatNames) -> String {
    let should = if audit.predicted_winner == audit.winner {
        "the same winner as under optimal play".to_owned()
    } else {
        format!("{} would have won under optimal play", players.name_of_seat(audit.predicted_winner))
    };
    let errors = audit.plies.iter().filter(|ply| ply.regret > 0).count();
    match (errors, audit.first_error) {
        (0, _) | (_, None) => format!("{should}; {}", flawless_text(audit, players)),
        (1, Some(ply)) => format!("{should}; one error, at take {}", shown_number(ply)),
        (errors, Some(first)) => {
            format!("{should}; {errors} errors, the first at take {}", shown_number(first))
        }
    }
}

/// Says whose takes were optimal in a match without errors.
fn flawless_text(audit: &pb::Audit, players: &SeatNames) -> String {
    let has_own_ply = |seat: u32| audit.plies.iter().any(|ply| ply.seat == seat && !ply.steward);
    let stewards: BTreeSet<u32> = audit.plies.iter().filter(|ply| ply.steward).map(|ply| ply.seat).collect();
    let silent: Vec<_> = stewards.iter().filter(|&&seat| !has_own_ply(seat)).collect();
    let silent: Vec<_> = silent.into_iter().map(|&seat| players.name_of_seat(seat)).collect();
    match (audit.plies.iter().any(|ply| !ply.steward), stewards.is_empty()) {
        (_, true) => "every take was optimal".to_owned(),
        (false, false) => "no bot made a take".to_owned(),
        (true, false) if silent.is_empty() => "every take by a bot was optimal".to_owned(),
        (true, false) => {
            format!("every take by a bot was optimal; {} made none", silent.join(", "))
        }
    }
}

/// Names the winner of a match, or says why it has no winner.
pub fn winner_text(game: &pb::Match) -> String {
    let winner = || game.setup.as_ref()?.bots.get(game.winner? as usize).cloned();
    match (game.phase(), winner()) {
        _ if !game.void_reason.is_empty() => "voided".to_owned(),
        (pb::Phase::Ended, Some(bot)) => format!("{bot} won"),
        (pb::Phase::Ended, None) => "nobody won".to_owned(),
        (pb::Phase::Quarantined, _) => "stopped".to_owned(),
        _ => "being played".to_owned(),
    }
}

/// Describes the state of a match, and who won.
pub fn outcome_line(game: &pb::Match) -> String {
    let outcome = unvoided_outcome_line(game);
    if game.void_reason.is_empty() { outcome } else { format!("voided: {} ({outcome})", game.void_reason) }
}

/// Describes the state of a match, and who won, as if the match had not been voided.
fn unvoided_outcome_line(game: &pb::Match) -> String {
    match (game.phase(), game.winner) {
        (pb::Phase::Ended, Some(winner)) => {
            let bots = game.setup.as_ref().map_or(&[][..], |setup| &setup.bots);
            let winner = bots.get(winner as usize).map_or("a seat", String::as_str);
            format!("{}: {winner} won", end_reason_text(game.reason()))
        }
        _ => state_text(&pb::Match { void_reason: String::new(), ..game.clone() }),
    }
}

/// Describes the state of a match, without its winner.
fn state_text(game: &pb::Match) -> String {
    if !game.void_reason.is_empty() {
        return format!("voided: {}", game.void_reason);
    }
    match game.phase() {
        pb::Phase::Ended => end_reason_text(game.reason()).to_owned(),
        pb::Phase::Quarantined => format!("stopped because its data are damaged: {}", game.damage),
        pb::Phase::Declaring => "before the first take".to_owned(),
        phase => enum_phrase(phase.as_str_name(), "PHASE_"),
    }
}

/// Says why a match has ended.
pub fn end_reason_text(reason: pb::EndReason) -> &'static str {
    match reason {
        pb::EndReason::PlyLimit => "limit of takes reached",
        pb::EndReason::AllForfeited => "every seat forfeited",
        pb::EndReason::Cancelled => "cancelled",
        pb::EndReason::Finished | pb::EndReason::Unspecified => "finished",
    }
}

/// Explains why an audit is not shown.
pub const AUDIT_WITHHELD_NOTE: &str =
    "withheld until the tournament is over, because its bots must not use the oracle";

/// Reports a match and the summary of its audit.
pub fn match_report(game: &pb::Match, shown: &pb::GetMatchResponse, reader: ReportReader) -> Report {
    let audit = shown.audit.as_ref();
    let setup = game.setup.clone().unwrap_or_default();
    let players = SeatNames::of_setup(&setup);
    let rows = setup.assigned.as_ref().map(|matrix| format!("given: {}", reader.matrix_text(&matrix.rows)));
    let opened = audit.and_then(|audit| audit.dealt.as_ref()?.rows.as_ref());
    let dealt = opened.map(|matrix| reader.matrix_text(&matrix.rows));
    let dealt = dealt.or_else(|| setup.deal.as_ref().map(|_| "private".to_owned()));
    let place = (!setup.tournament_id.is_empty()).then(|| {
        let [number, group] = [setup.number, setup.group].map(shown_number);
        format!("match {number}, group {group}, of {}", setup.tournament_id)
    });
    let first = match reader {
        ReportReader::CommandLine => players.name_of_seat(setup.first),
        ReportReader::Page => setup.bots.get(setup.first as usize).cloned().unwrap_or_default(),
    };
    let withheld = shown.audit_withheld.then(|| AUDIT_WITHHELD_NOTE.to_owned());
    let facts = [
        ("id", Some(game.id.clone())),
        ("bots", Some(setup.bots.join(", "))),
        ("piles", Some(join_items(&setup.piles, ","))),
        ("first", Some(first)),
        ("who wins", Some(word_text("ending", &enum_word(setup.ending().as_str_name(), "ENDING_")))),
        ("tournament", place),
        ("wants", Some(rows.unwrap_or_else(|| "declared".to_owned()))),
        ("dealt wants", dealt),
        ("clock", setup.clock.map(clock_text)),
        ("strikes", Some(setup.strikes.to_string())),
        ("most takes", Some(setup.max_plies.to_string())),
        ("takes", Some(game.plies.to_string())),
        ("state", Some(outcome_line(game))),
        ("versions", seat_versions_line(&game.seat_versions)),
        ("audit", audit.map(|audit| audit_line(audit, &players)).or(withheld)),
    ];
    let facts = Section::new().facts(facts.into_iter().filter_map(|(label, fact)| Some((label, fact?))));
    let seats = audit.map(|audit| Section::new().table(seat_table(&audit.seats, &setup.bots)));
    let talk = audit.and_then(|audit| audit.talk.as_ref()).into_iter().flat_map(talk_sections);
    [facts].into_iter().chain(seats).chain(talk).collect()
}

/// Tabulates matches, a row for each.
pub fn match_table(matches: &[pb::Match]) -> Table {
    let bots = |game: &pb::Match| game.setup.as_ref().map(|setup| Cell::list(&setup.bots, ", "));
    let piles = |game: &pb::Match| game.setup.as_ref().map(|setup| Cell::list(&setup.piles, ","));
    Table::of_items(matches)
        .column(Column::text("id"), |game| game.id.clone())
        .column(Column::text("result").with_names_for("id"), winner_text)
        .column(Column::text("bots"), bots)
        .column(Column::text("piles"), piles)
        .column(Column::integer("takes"), |game| game.plies)
        .column(Column::text("state"), state_text)
        .into_table()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_listed_with_their_winners() {
        let setup = pb::MatchSetup { bots: vec!["ann".into(), "bob".into()], ..Default::default() };
        let ended = pb::Match {
            setup: Some(setup),
            phase: pb::Phase::Ended.into(),
            reason: pb::EndReason::PlyLimit.into(),
            winner: Some(1),
            ..Default::default()
        };
        let describe = |game: pb::Match| [winner_text(&game), state_text(&game)];
        assert_eq!(describe(ended.clone()), ["bob won", "limit of takes reached"]);
        assert_eq!(describe(pb::Match { winner: None, ..ended.clone() })[0], "nobody won");
        let playing = pb::Match { phase: pb::Phase::Playing.into(), ..ended.clone() };
        assert_eq!(describe(playing), ["being played", "playing"]);
        let voided = pb::Match { void_reason: "no network".into(), ..ended };
        assert_eq!(outcome_line(&voided), "voided: no network (limit of takes reached: bob won)");
        assert_eq!(describe(voided), ["voided", "voided: no network"]);
    }

    #[test]
    fn an_audit_is_described_in_one_line() {
        let players = SeatNames::of_setup(&pb::MatchSetup {
            bots: vec!["ann".into(), "bob".into()],
            ..Default::default()
        });
        let mut audit = pb::Audit { winner: 1, predicted_winner: 1, ..pb::Audit::default() };
        assert_eq!(
            audit_line(&audit, &players),
            "the same winner as under optimal play; every take was optimal"
        );
        let ply = |seat, steward| pb::PlyAudit { seat, steward, ..pb::PlyAudit::default() };
        audit.plies = vec![ply(0, false), ply(1, true)];
        assert_eq!(
            audit_line(&audit, &players),
            "the same winner as under optimal play; every take by a bot was optimal; seat 1 (bob) made none"
        );
        audit.plies = vec![ply(0, true), ply(1, true)];
        assert_eq!(audit_line(&audit, &players), "the same winner as under optimal play; no bot made a take");
        audit.plies = vec![pb::PlyAudit { regret: 1, ..pb::PlyAudit::default() }];
        (audit.predicted_winner, audit.first_error) = (0, Some(0));
        assert_eq!(
            audit_line(&audit, &players),
            "seat 0 (ann) would have won under optimal play; one error, at take 1"
        );
    }
}
