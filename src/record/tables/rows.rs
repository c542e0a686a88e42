//! The rows of exported tables. Rows are flat, and the name of each column states its unit.

use crate::record::replay::{ReplaySteps, audit_record};
use lastnim_core::{
    game::Seat,
    oracle::{Audit, SeatAudit},
    referee::{Event, ForfeitReason, NoteHash, Record, RowDefault, Seal},
};
use lastnim_proto::{
    pb::{self, MatchRow, PlyRow, SeatRow, StandingRow},
    record::{SealedRecord, seat_loss_of_forfeit},
};
use lastnim_report::{versions::config_hash_text, words::join_items};
use lastnim_tournament::{SeatCredit, SeatLoss};
use std::collections::BTreeMap;

/// The rows that one record adds to the tables.
pub struct ExportedMatch<'a> {
    record: &'a Record,
    seal: Option<&'a Seal>,
    audit: Option<Audit>,
    match_id: String,
    tournament_id: Option<String>,
    seat_versions: Vec<pb::SeatVersions>,
    void_reason: Option<String>,
}

impl<'a> ExportedMatch<'a> {
    /// Prepares the rows of a finished match from its record and the server's entry for it.
    pub fn of(sealed: &'a SealedRecord, game: pb::Match) -> Self {
        let record = sealed.record();
        let origin = record.state().setup().origin.as_ref();
        Self {
            record,
            seal: sealed.seal(),
            audit: audit_record(record),
            match_id: record.id().to_string(),
            tournament_id: origin.map(|origin| origin.tournament.to_string()),
            seat_versions: game.seat_versions,
            void_reason: Some(game.void_reason).filter(|reason| !reason.is_empty()),
        }
    }

    fn bot(&self, seat: Seat) -> String {
        self.record.state().setup().bots[seat].to_string()
    }

    fn winner(&self) -> Option<Seat> {
        self.record.state().end().and_then(|(_, winner)| winner)
    }

    /// Returns the row of the match.
    pub fn match_row(&self) -> MatchRow {
        let (state, events) = (self.record.state(), self.record.events());
        let setup = state.setup();
        let wire = pb::MatchSetup::from(setup);
        let clock = wire.clock.unwrap_or_default();
        let at_us =
            |event: Option<&lastnim_core::referee::TimedEvent>| event.map_or(0, |event| event.at.as_micros());
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
            seats: setup.seats().get() as u32,
            bots: wire.bots.join(" "),
            piles: join_items(setup.piles.as_slice(), " "),
            first_seat: setup.first.into(),
            ending: wire.ending,
            rows_assigned: setup.assigned.is_some(),
            alliance_matrix: state.game().map(|game| game.matrix.to_string()),
            clock_initial_ms: clock.initial_ms,
            clock_increment_ms: clock.increment_ms,
            clock_lag_quota_ms: clock.lag_quota_ms,
            clock_lag_total_ms: clock.lag_total_ms,
            clock_declaration_ms: clock.declaration_ms,
            clock_return_within_ms: clock.return_within_ms,
            strikes_limit: setup.terms.strikes,
            max_plies: setup.terms.max_plies,
            plies: state.ply(),
            errors: audit.map(|audit| audit.plies.iter().filter(|ply| !ply.is_optimal()).count() as u32),
            first_error_ply: audit.and_then(|audit| audit.first_error),
            kingmaking_plies: audit.map(|audit| audit.kingmaking_plies.len() as u32),
            end_reason: end.map(Into::into),
            winner_seat: self.winner().map(Into::into),
            winner_bot: self.winner().map(|seat| self.bot(seat)),
            predicted_winner_seat: predicted.map(Into::into),
            predicted_winner_bot: predicted.map(|seat| self.bot(seat)),
            events: events.len() as u32,
            head_hash: state.is_all_public().then(|| self.record.last_hash().as_bytes().to_vec()),
            signer: self.seal.map(|seal| seal.signer.as_bytes().to_vec()),
            void_reason: self.void_reason.clone(),
        }
    }

    /// Returns the rows of the seats. If the match has no winner, the figures of the audit are left out.
    pub fn seat_rows(&self) -> impl Iterator<Item = SeatRow> {
        let state = self.record.state();
        let declared = self.record.events().iter().filter_map(|timed| match &timed.event {
            Event::Declared { seat, defaulted, note_hash, .. } => {
                Some((*seat, (*defaulted, note_hash.as_ref())))
            }
            _ => None,
        });
        let declared: BTreeMap<Seat, (Option<RowDefault>, Option<&NoteHash>)> = declared.collect();
        let winner = self.winner();
        state.setup().bots.enumerate().map(move |(seat, bot)| {
            let figures: Option<&SeatAudit> = winner.and(self.audit.as_ref()).map(|audit| &audit.seats[seat]);
            let (default, note_hash) = declared.get(&seat).copied().unwrap_or_default();
            let default = default.map(pb::RowDefault::from);
            let lost = state.forfeits()[seat].map(seat_loss_of_forfeit);
            let credit = winner.and(self.audit.as_ref()).map(|audit| SeatCredit::of_audit(audit, seat, lost));
            let forfeit = state.forfeits()[seat].map(|reason: ForfeitReason| pb::ForfeitReason::from(reason));
            let versions = self.seat_versions.get(seat.index()).map_or(&[][..], |seat| &seat.versions);
            let (versions, version, config_hash) = version_columns(versions.iter());
            SeatRow {
                match_id: self.match_id.clone(),
                tournament_id: self.tournament_id.clone(),
                seat: seat.into(),
                bot: bot.to_string(),
                row: state.game().map(|game| game.matrix[seat].to_string()),
                row_default: default.map(Into::into),
                won: credit.map(|credit| credit.won),
                rank_predicted: figures.map(|figures| figures.rank_predicted),
                rank_actual: figures.map(|figures| figures.rank_actual),
                satisfaction: credit.map(SeatCredit::satisfaction),
                regret: figures.map(|figures| figures.regret),
                luck: figures.map(|figures| figures.luck),
                accuracy: figures.and_then(|figures| figures.accuracy),
                own_plies: figures.map(|figures| figures.plies),
                optimal_plies: figures.map(|figures| figures.optimal_plies),
                strikes: state.strikes()[seat],
                forfeit_reason: forfeit.map(Into::into),
                time_left_us: u64::try_from(state.banks()[seat].left().as_micros()).unwrap_or(u64::MAX),
                row_note_hash: note_hash.map(|note_hash| note_hash.as_bytes().to_vec()),
                versions,
                version,
                config_hash,
                attended: lost != Some(SeatLoss::NoShow),
            }
        })
    }

    /// Returns the rows of the takes.
    pub fn ply_rows(&self) -> impl Iterator<Item = PlyRow> {
        ReplaySteps::of_record(self.record).map(|step| self.ply_row(step.to_message(self.record)))
    }

    fn ply_row(&self, step: pb::ReplayedPly) -> PlyRow {
        let audit = step.audit.unwrap_or_default();
        let takes = audit.optimal_takes.iter().map(|range| match range {
            range if range.lo == range.hi => range.lo.to_string(),
            range => format!("{}-{}", range.lo, range.hi),
        });
        PlyRow {
            match_id: self.match_id.clone(),
            tournament_id: self.tournament_id.clone(),
            ply: audit.ply,
            at_us: step.at_us,
            seat: audit.seat,
            bot: step.bot,
            steward: audit.steward,
            pile: step.piles.len() as u32 - 1,
            counters: audit.counters,
            take: audit.take,
            optimal: audit.regret == 0,
            optimal_takes: takes.collect::<Vec<_>>().join(" "),
            predicted_before_seat: audit.predicted_before,
            predicted_after_seat: audit.predicted_after,
            regret: audit.regret,
            bank_before_us: step.bank_us,
            charged_us: step.charged_us,
            lag_us: step.lag_us,
            note_hash: step.note_hash,
        }
    }
}

/// Returns the rows of a tournament's standings.
pub fn standing_rows(
    tournament: &pb::Tournament,
    standings: Vec<pb::Standing>,
) -> impl Iterator<Item = StandingRow> {
    let title = tournament.settings.as_ref().map(|settings| settings.title.clone()).unwrap_or_default();
    standings.into_iter().map(move |standing| {
        let played = standing.versions.iter().filter_map(|played| played.version.as_ref());
        let (versions, version, config_hash) = version_columns(played);
        StandingRow {
            tournament_id: tournament.id.clone(),
            title: title.clone(),
            state: tournament.state,
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
            versions,
            version,
            config_hash,
            disqualified: standing.disqualified,
            rating_measure: standing.rating.as_ref().map_or(0, |rating| rating.measure),
            tie_break: standing.tie_break,
            place_best: standing.place_range.map(|range| range.best),
            place_worst: standing.place_range.map(|range| range.worst),
            withdrawn: standing.withdrawn,
        }
    })
}

/// Returns the columns for versions: how many there are, their labels, and the hashes of their configurations. The
/// labels and the hashes are separated by spaces.
fn version_columns<'a>(
    versions: impl Iterator<Item = &'a pb::BotVersion> + Clone,
) -> (u32, Option<String>, Option<String>) {
    let labels = versions.clone().map(|version| version.version.as_str()).filter(|label| !label.is_empty());
    let labels = labels.collect::<Vec<_>>().join(" ");
    let hashes = versions.clone().filter_map(config_hash_text).collect::<Vec<_>>().join(" ");
    let nonempty = |words: String| (!words.is_empty()).then_some(words);
    (versions.count() as u32, nonempty(labels), nonempty(hashes))
}

#[cfg(test)]
mod tests {
    use lastnim_proto::{json::message_keys, pb};

    #[test]
    fn every_column_is_documented_in_its_order() {
        let page = include_str!("../../../docs/reference/files.md");
        let tables = [
            ("matches", message_keys::<pb::MatchRow>()),
            ("seats", message_keys::<pb::SeatRow>()),
            ("plies", message_keys::<pb::PlyRow>()),
            ("standings", message_keys::<pb::StandingRow>()),
        ];
        for (table, columns) in tables {
            let (_, listed) = page.split_once(&format!("**{table}**, a row for each ")).unwrap();
            let (_, listed) = listed.split_once("```text\n").unwrap();
            let (listed, _) = listed.split_once("```").unwrap();
            let listed: Vec<_> = listed.split_whitespace().collect();
            assert_eq!(listed, columns, "{table}");
        }
    }
}
