//! A match and its events in words.

use crate::{
    cli::text::{
        numbers,
        table::{self, align_left, table},
        tournament,
        word::{listed, phrase, word},
    },
    wire::pb::{self, record_event::Event},
};
use std::io::{self, Write};

/// The bots of a match, by seat, as they are called in words.
#[derive(Debug, Default)]
pub struct Players(Vec<String>);

impl Players {
    /// Takes the bots of a setup.
    pub fn of(setup: &pb::MatchSetup) -> Self {
        Self(setup.bots.clone())
    }

    fn seat(&self, seat: u32) -> String {
        match self.0.get(seat as usize) {
            Some(bot) => format!("seat {seat} ({bot})"),
            None => format!("seat {seat}"),
        }
    }
}

/// Says in one line what happened.
pub fn event_line(event: &Event, players: &Players) -> String {
    match event {
        Event::Created(setup) => format!(
            "{} on the piles {}; {} moves first; ending: {}",
            setup.bots.join(", "),
            numbers::join(&setup.piles, ","),
            Players::of(setup).seat(setup.first),
            phrase(setup.ending().as_str_name(), "ENDING_")
        ),
        Event::Declared(declared) => {
            let row = declared.row.as_ref().map(|row| numbers::join(&row.offsets, " ")).unwrap_or_default();
            let seat = players.seat(declared.seat);
            match declared.defaulted() {
                pb::RowDefault::Unspecified => format!("{seat} declared {row}"),
                pb::RowDefault::Late => {
                    format!("{seat} has the standard row {row}: it declared none in time")
                }
                pb::RowDefault::Invalid => {
                    format!("{seat} has the standard row {row}: its own was not valid")
                }
                pb::RowDefault::Forfeited => {
                    format!("{seat} has the standard row {row}: the seat was forfeited")
                }
            }
        }
        Event::Revealed(revealed) => {
            let rows = revealed.alliance_matrix.iter().flat_map(|matrix| &matrix.rows);
            format!("the rows are {}", numbers::join_rows(rows.map(|row| row.offsets.as_slice())))
        }
        Event::Took(took) => {
            let (seat, counters) = (players.seat(took.seat), took.take);
            if took.steward {
                format!("ply {}: the steward took {counters} for {seat}", took.ply)
            } else {
                format!("ply {}: {seat} took {counters}, in {} ms", took.ply, took.charged_us / 1_000)
            }
        }
        Event::Struck(struck) => format!(
            "ply {}: a strike for {}: {}",
            struck.ply,
            players.seat(struck.seat),
            phrase(struck.reason().as_str_name(), "REFUSAL_REASON_")
        ),
        Event::Forfeited(forfeited) => format!(
            "{} is forfeited: {}; the steward plays on",
            players.seat(forfeited.seat),
            phrase(forfeited.reason().as_str_name(), "FORFEIT_REASON_")
        ),
        Event::Ended(ended) => {
            let reason = phrase(ended.reason().as_str_name(), "END_REASON_");
            match ended.winner {
                Some(winner) => format!("{reason}: {} won", players.seat(winner)),
                None => reason,
            }
        }
    }
}

/// Says in one line what an audit found.
pub fn audit_line(audit: &pb::Audit, players: &Players) -> String {
    let should = if audit.predicted_winner == audit.winner {
        "as under optimal play".to_owned()
    } else {
        format!("under optimal play {} would have", players.seat(audit.predicted_winner))
    };
    let errors = audit.plies.iter().filter(|ply| ply.regret > 0).count();
    match (errors, audit.first_error) {
        (0, _) | (_, None) => format!("{should}; every take was optimal"),
        (1, Some(ply)) => format!("{should}; one error, at ply {ply}"),
        (errors, Some(first)) => format!("{should}; {errors} errors, the first at ply {first}"),
    }
}

/// Says where a match stands, and who won.
pub fn outcome(game: &pb::Match) -> String {
    let players = game.setup.as_ref().map(Players::of).unwrap_or_default();
    match (game.phase(), game.winner) {
        (pb::Phase::Ended, Some(winner)) => {
            let reason = phrase(game.reason().as_str_name(), "END_REASON_");
            format!("{reason}: {} won", players.seat(winner))
        }
        (pb::Phase::Ended, None) => phrase(game.reason().as_str_name(), "END_REASON_"),
        (pb::Phase::Quarantined, _) => format!("quarantined: {}", game.damage),
        (phase, _) => phrase(phase.as_str_name(), "PHASE_"),
    }
}

/// Prints a match in brief, a line for each thing.
pub fn print(output: &mut impl Write, game: &pb::Match, audit: Option<&pb::Audit>) -> io::Result<()> {
    let setup = game.setup.clone().unwrap_or_default();
    let players = Players::of(&setup);
    let mut lines = vec![
        ("id", game.id.clone()),
        ("bots", setup.bots.join(", ")),
        ("piles", numbers::join(&setup.piles, ",")),
        ("first", players.seat(setup.first)),
        ("ending", word(setup.ending().as_str_name(), "ENDING_")),
    ];
    if !setup.tournament_id.is_empty() {
        let place = format!("match {}, group {}, of {}", setup.number, setup.group, setup.tournament_id);
        lines.push(("tournament", place));
    }
    let rows = setup.assigned.as_ref().map(|matrix| {
        format!("assigned: {}", numbers::join_rows(matrix.rows.iter().map(|row| row.offsets.as_slice())))
    });
    lines.push(("rows", rows.unwrap_or_else(|| "declared".to_owned())));
    lines.extend(setup.clock.as_ref().map(|clock| ("clock", tournament::clock(clock))));
    lines.push(("strikes", setup.strikes.to_string()));
    lines.push(("max plies", setup.max_plies.to_string()));
    lines.push(("plies", game.plies.to_string()));
    lines.push(("state", outcome(game)));
    lines.extend(audit.map(|audit| ("audit", audit_line(audit, &players))));
    lines.iter().try_for_each(|(label, value)| writeln!(output, "{label:<10} {value}"))?;
    if let Some(audit) = audit {
        writeln!(output)?;
        let mut table = table(&["seat", "bot", "satisfaction", "regret", "luck", "accuracy"]);
        align_left(&mut table, &[1]);
        for seat in &audit.seats {
            table.add_row([
                seat.seat.to_string(),
                setup.bots.get(seat.seat as usize).cloned().unwrap_or_default(),
                format!("{:.2}", seat.satisfaction),
                seat.regret.to_string(),
                seat.luck.to_string(),
                seat.accuracy.map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", 100.0 * share)),
            ]);
        }
        table::print(output, &table)?;
    }
    Ok(())
}

/// Prints a table of matches, a row each.
pub fn print_list(output: &mut impl Write, matches: &[pb::Match]) -> io::Result<()> {
    let mut table = table(&["id", "bots", "piles", "plies", "state"]);
    align_left(&mut table, &[0, 1, 2, 4]);
    for game in matches {
        let setup = game.setup.clone().unwrap_or_default();
        let piles: Vec<String> = setup.piles.iter().map(ToString::to_string).collect();
        table.add_row([
            game.id.clone(),
            listed(&setup.bots, ", "),
            listed(&piles, ","),
            game.plies.to_string(),
            outcome(game),
        ]);
    }
    table::print(output, &table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn players() -> Players {
        Players(vec!["ann".into(), "bob".into()])
    }

    fn line(event: &Event) -> String {
        event_line(event, &players())
    }

    #[test]
    fn an_event_is_one_line() {
        let setup =
            pb::MatchSetup { bots: players().0, piles: vec![3, 4], ending: 2, ..pb::MatchSetup::default() };
        assert_eq!(
            line(&Event::Created(setup)),
            "ann, bob on the piles 3,4; seat 0 (ann) moves first; ending: last mover wins"
        );
        let row = pb::Row { offsets: vec![0, 1] };
        let late = pb::DeclaredEvent {
            seat: 1,
            row: Some(row.clone()),
            defaulted: pb::RowDefault::Late.into(),
            ..Default::default()
        };
        assert_eq!(
            line(&Event::Declared(late)),
            "seat 1 (bob) has the standard row 0 1: it declared none in time"
        );
        let matrix = pb::AllianceMatrix { rows: vec![row.clone(), row] };
        let revealed = pb::RevealedEvent { alliance_matrix: Some(matrix) };
        assert_eq!(line(&Event::Revealed(revealed)), "the rows are 0 1; 0 1");
        let took = pb::TookEvent { ply: 3, seat: 1, take: 2, charged_us: 1_999, ..pb::TookEvent::default() };
        assert_eq!(line(&Event::Took(took.clone())), "ply 3: seat 1 (bob) took 2, in 1 ms");
        assert_eq!(
            line(&Event::Took(pb::TookEvent { steward: true, ..took })),
            "ply 3: the steward took 2 for seat 1 (bob)"
        );
        let struck = pb::StruckEvent { seat: 0, ply: 3, reason: pb::RefusalReason::NotYourTurn.into() };
        assert_eq!(line(&Event::Struck(struck)), "ply 3: a strike for seat 0 (ann): not your turn");
        let forfeited = pb::ForfeitedEvent { seat: 7, reason: pb::ForfeitReason::NoShow.into() };
        assert_eq!(line(&Event::Forfeited(forfeited)), "seat 7 is forfeited: no show; the steward plays on");
        let ended = pb::EndedEvent { reason: pb::EndReason::PlyLimit.into(), winner: Some(0) };
        assert_eq!(line(&Event::Ended(ended)), "ply limit: seat 0 (ann) won");
        let cancelled = pb::EndedEvent { reason: pb::EndReason::Cancelled.into(), winner: None };
        assert_eq!(line(&Event::Ended(cancelled)), "cancelled");
    }

    #[test]
    fn an_audit_is_one_line() {
        let mut audit = pb::Audit { winner: 1, predicted_winner: 1, ..pb::Audit::default() };
        assert_eq!(audit_line(&audit, &players()), "as under optimal play; every take was optimal");
        audit.plies = vec![pb::PlyAudit { regret: 1, ..pb::PlyAudit::default() }];
        (audit.predicted_winner, audit.first_error) = (0, Some(0));
        assert_eq!(
            audit_line(&audit, &players()),
            "under optimal play seat 0 (ann) would have; one error, at ply 0"
        );
    }
}
