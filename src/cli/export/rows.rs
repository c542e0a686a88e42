//! The rows of exported tables: flat, with the unit in a column's name.

use crate::{
    cli::{
        replay::{Step, Steps, audit},
        text::{numbers, word::word},
    },
    game::Seat,
    oracle::{Audit, Mover, SeatAudit},
    referee::{Event, ForfeitReason, NoteHash, Record, RowDefault, Seal},
    wire::{pb, record::SealedRecord},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// A row of a table, whose columns stand in one order.
pub trait Row: Serialize {
    /// The names of the columns.
    const COLUMNS: &'static [&'static str];
}

/// Defines a row with its columns.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident { $($column:ident: $type:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize)]
        pub struct $name {
            $($column: $type,)+
        }

        impl Row for $name {
            const COLUMNS: &'static [&'static str] = &[$(stringify!($column)),+];
        }
    };
}

row! {
    /// A match that is over.
    MatchRow {
        match_id: String,
        tournament_id: Option<String>,
        tournament_number: Option<u64>,
        tournament_group: Option<u64>,
        created_at_us: u64,
        ended_at_us: u64,
        seats: usize,
        bots: String,
        piles: String,
        first_seat: usize,
        ending: &'static str,
        rows_assigned: bool,
        alliance_matrix: Option<String>,
        clock_initial_ms: u32,
        clock_increment_ms: u32,
        clock_lag_quota_ms: u32,
        clock_lag_total_ms: u32,
        clock_declaration_ms: u32,
        strikes_limit: u32,
        max_plies: u32,
        plies: u32,
        errors: Option<usize>,
        first_error_ply: Option<u32>,
        kingmaking_plies: Option<usize>,
        end_reason: Option<String>,
        winner_seat: Option<usize>,
        winner_bot: Option<String>,
        predicted_winner_seat: Option<usize>,
        predicted_winner_bot: Option<String>,
        events: usize,
        head_hash: Option<String>,
        signer: Option<String>,
    }
}

row! {
    /// A seat of a match that is over.
    SeatRow {
        match_id: String,
        tournament_id: Option<String>,
        seat: usize,
        bot: String,
        row: Option<String>,
        row_default: Option<String>,
        won: Option<bool>,
        rank_predicted: Option<u32>,
        rank_actual: Option<u32>,
        satisfaction: Option<f64>,
        regret: Option<u32>,
        luck: Option<i32>,
        accuracy: Option<f64>,
        own_plies: Option<u32>,
        optimal_plies: Option<u32>,
        strikes: u32,
        forfeit_reason: Option<String>,
        time_left_us: u64,
        row_note_hash: Option<String>,
    }
}

row! {
    /// A take of a match that is over.
    PlyRow {
        match_id: String,
        tournament_id: Option<String>,
        ply: u32,
        at_us: u64,
        seat: usize,
        bot: String,
        steward: bool,
        pile: usize,
        counters: u64,
        take: u64,
        optimal: bool,
        optimal_takes: String,
        predicted_before_seat: usize,
        predicted_after_seat: usize,
        regret: u32,
        bank_before_us: u64,
        charged_us: u64,
        lag_us: u64,
        note_hash: Option<String>,
    }
}

row! {
    /// A bot's line of a tournament's standings.
    StandingRow {
        tournament_id: String,
        title: String,
        state: String,
        place: u32,
        bot: String,
        points: f64,
        matches: u32,
        wins: u32,
        satisfaction: Option<f64>,
        accuracy: Option<f64>,
        regret_per_match: Option<f64>,
        luck_per_match: Option<f64>,
        forfeits: u32,
        no_shows: u32,
        rating: Option<f64>,
        rating_low: Option<f64>,
        rating_high: Option<f64>,
        rating_island: Option<u32>,
        elo: Option<f64>,
        skill: Option<f64>,
        skill_low: Option<f64>,
        skill_high: Option<f64>,
    }
}

/// What one record adds to the tables.
pub struct Played<'a> {
    record: &'a Record,
    seal: Option<&'a Seal>,
    audit: Option<Audit>,
    match_id: String,
    tournament_id: Option<String>,
}

impl<'a> Played<'a> {
    /// Takes a record of a match that is over.
    pub fn of(sealed: &'a SealedRecord) -> Self {
        let record = sealed.record();
        let origin = record.state().setup().origin.as_ref();
        Self {
            record,
            seal: sealed.seal(),
            audit: audit(record),
            match_id: record.id().to_string(),
            tournament_id: origin.map(|origin| origin.tournament.to_string()),
        }
    }

    fn bot(&self, seat: Seat) -> String {
        self.record.state().setup().bots[seat].to_string()
    }

    fn winner(&self) -> Option<Seat> {
        self.record.state().end().and_then(|(_, winner)| winner)
    }

    /// Makes the row of the match.
    pub fn match_row(&self) -> MatchRow {
        let (state, events) = (self.record.state(), self.record.events());
        let setup = state.setup();
        let wire = pb::MatchSetup::from(setup);
        let clock = wire.clock.unwrap_or_default();
        let at_us =
            |event: Option<&crate::referee::TimedEvent>| event.map_or(0, |event| event.at.as_micros());
        let audit = self.audit.as_ref();
        let predicted = audit.map(|audit| audit.predicted_winner);
        let end = state.end().map(|(reason, _)| pb::EndReason::from(reason));
        MatchRow {
            match_id: self.match_id.clone(),
            tournament_id: self.tournament_id.clone(),
            tournament_number: setup.origin.as_ref().map(|origin| origin.number),
            tournament_group: setup.origin.as_ref().map(|origin| origin.group),
            created_at_us: at_us(events.first()),
            ended_at_us: at_us(events.last()),
            seats: setup.seats().get(),
            bots: wire.bots.join(" "),
            piles: numbers::join(setup.piles.as_slice(), " "),
            first_seat: setup.first.index(),
            ending: setup.ending.name(),
            rows_assigned: setup.assigned.is_some(),
            alliance_matrix: state.game().map(|game| game.matrix.to_string()),
            clock_initial_ms: clock.initial_ms,
            clock_increment_ms: clock.increment_ms,
            clock_lag_quota_ms: clock.lag_quota_ms,
            clock_lag_total_ms: clock.lag_total_ms,
            clock_declaration_ms: clock.declaration_ms,
            strikes_limit: setup.terms.strikes,
            max_plies: setup.terms.max_plies,
            plies: state.ply(),
            errors: audit.map(|audit| audit.plies.iter().filter(|ply| !ply.is_optimal()).count()),
            first_error_ply: audit.and_then(|audit| audit.first_error),
            kingmaking_plies: audit.map(|audit| audit.kingmaking_plies.len()),
            end_reason: end.map(|reason| word(reason.as_str_name(), "END_REASON_")),
            winner_seat: self.winner().map(Seat::index),
            winner_bot: self.winner().map(|seat| self.bot(seat)),
            predicted_winner_seat: predicted.map(Seat::index),
            predicted_winner_bot: predicted.map(|seat| self.bot(seat)),
            events: events.len(),
            head_hash: state.game().map(|_| self.record.head().to_string()),
            signer: self.seal.map(|seal| seal.signer.to_string()),
        }
    }

    /// Makes the rows of the seats. What a match without a winner leaves open is missing.
    pub fn seat_rows(&self) -> impl Iterator<Item = SeatRow> {
        let state = self.record.state();
        let declared = self.record.events().iter().filter_map(|timed| match timed.event {
            Event::Declared { seat, defaulted, note_hash, .. } => Some((seat, (defaulted, note_hash))),
            _ => None,
        });
        let declared: BTreeMap<Seat, (Option<RowDefault>, Option<NoteHash>)> = declared.collect();
        let winner = self.winner();
        state.setup().bots.enumerate().map(move |(seat, bot)| {
            let figures: Option<&SeatAudit> = winner.and(self.audit.as_ref()).map(|audit| &audit.seats[seat]);
            let (default, note_hash) = declared.get(&seat).copied().unwrap_or_default();
            let default = default.map(pb::RowDefault::from);
            let forfeit = state.forfeits()[seat].map(|reason: ForfeitReason| pb::ForfeitReason::from(reason));
            SeatRow {
                match_id: self.match_id.clone(),
                tournament_id: self.tournament_id.clone(),
                seat: seat.index(),
                bot: bot.to_string(),
                row: state.game().map(|game| game.matrix[seat].to_string()),
                row_default: default.map(|why| word(why.as_str_name(), "ROW_DEFAULT_")),
                won: winner.map(|winner| winner == seat),
                rank_predicted: figures.map(|figures| figures.rank_predicted),
                rank_actual: figures.map(|figures| figures.rank_actual),
                satisfaction: figures.map(|figures| figures.satisfaction),
                regret: figures.map(|figures| figures.regret),
                luck: figures.map(|figures| figures.luck),
                accuracy: figures.and_then(|figures| figures.accuracy),
                own_plies: figures.map(|figures| figures.plies),
                optimal_plies: figures.map(|figures| figures.optimal_plies),
                strikes: state.strikes()[seat],
                forfeit_reason: forfeit.map(|reason| word(reason.as_str_name(), "FORFEIT_REASON_")),
                time_left_us: u64::try_from(state.banks()[seat].left.as_micros()).unwrap_or(u64::MAX),
                row_note_hash: note_hash.map(|note_hash| note_hash.to_string()),
            }
        })
    }

    /// Makes the rows of the takes.
    pub fn ply_rows(&self) -> impl Iterator<Item = PlyRow> {
        Steps::of(self.record).map(|step| self.ply_row(&step))
    }

    fn ply_row(&self, step: &Step<'_>) -> PlyRow {
        let audit = step.audit();
        let takes = audit.optimal_takes.iter().map(|range| match range {
            range if range.lo == range.hi => range.lo.to_string(),
            range => format!("{}-{}", range.lo, range.hi),
        });
        let (charged_us, lag_us) = step.charged_us();
        PlyRow {
            match_id: self.match_id.clone(),
            tournament_id: self.tournament_id.clone(),
            ply: audit.ply,
            at_us: step.at_us(),
            seat: audit.seat.index(),
            bot: self.bot(audit.seat),
            steward: audit.mover == Mover::Steward,
            pile: step.pile(),
            counters: audit.counters,
            take: audit.take,
            optimal: audit.is_optimal(),
            optimal_takes: takes.collect::<Vec<_>>().join(" "),
            predicted_before_seat: audit.predicted_before.index(),
            predicted_after_seat: audit.predicted_after.index(),
            regret: audit.regret,
            bank_before_us: step.bank_us(),
            charged_us,
            lag_us,
            note_hash: step.note_hash().map(|note_hash| note_hash.to_string()),
        }
    }
}

/// Makes the rows of a tournament's standings.
pub fn standing_rows(
    tournament: &pb::Tournament,
    standings: Vec<pb::Standing>,
) -> impl Iterator<Item = StandingRow> {
    let title = tournament.settings.as_ref().map(|settings| settings.title.clone()).unwrap_or_default();
    let state = word(tournament.state().as_str_name(), "TOURNAMENT_STATE_");
    standings.into_iter().map(move |standing| StandingRow {
        tournament_id: tournament.id.clone(),
        title: title.clone(),
        state: state.clone(),
        place: standing.place,
        bot: standing.bot,
        points: standing.points,
        matches: standing.matches,
        wins: standing.wins,
        satisfaction: standing.satisfaction,
        accuracy: standing.accuracy,
        regret_per_match: standing.regret_per_match,
        luck_per_match: standing.luck_per_match,
        forfeits: standing.forfeits,
        no_shows: standing.no_shows,
        rating: standing.rating.as_ref().map(|rating| rating.points),
        rating_low: standing.rating.as_ref().map(|rating| rating.low),
        rating_high: standing.rating.as_ref().map(|rating| rating.high),
        rating_island: standing.rating.as_ref().map(|rating| rating.island),
        elo: standing.elo,
        skill: standing.skill.as_ref().map(|skill| skill.regret_per_match),
        skill_low: standing.skill.as_ref().and_then(|skill| skill.low),
        skill_high: standing.skill.as_ref().and_then(|skill| skill.high),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_documented_in_its_order() {
        let page = include_str!("../../../docs/records.md");
        let tables = [
            ("matches", MatchRow::COLUMNS),
            ("seats", SeatRow::COLUMNS),
            ("plies", PlyRow::COLUMNS),
            ("standings", StandingRow::COLUMNS),
        ];
        for (table, columns) in tables {
            let (_, listed) = page.split_once(&format!("**{table}**, a row for each ")).unwrap();
            let (_, listed) = listed.split_once(":\n").unwrap();
            let (listed, _) = listed.split_once(".\n").unwrap();
            let listed: Vec<_> =
                listed.split_whitespace().map(|word| word.trim_matches([',', '`'])).collect();
            assert_eq!(listed, columns, "{table}");
        }
    }
}
