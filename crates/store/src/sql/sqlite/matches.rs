//! The tables of matches and their seats.

use super::multi_row::MultiRowStatement;
use crate::sql::batch::{EndedMatch, NewMatch, QuarantinedMatch};
use crate::sql::columns::small_number;
use crate::sql::matches::{check_sealed_count, check_seat_count, seat_results_of};
use crate::sql::words::StoredWord;
use crate::{FinishedMatch, StoreError};
use lastnim_core::game::MatchId;
use lastnim_tournament::Reason;
use sqlx::SqliteConnection;

/// The statements that write matches.
#[derive(Debug)]
pub(super) struct MatchTables {
    void: MultiRowStatement,
    create: MultiRowStatement,
    seats: MultiRowStatement,
    end: MultiRowStatement,
    quarantine: MultiRowStatement,
    seal: MultiRowStatement,
    figures: MultiRowStatement,
}

impl Default for MatchTables {
    fn default() -> Self {
        Self {
            void: MultiRowStatement::new(
                "UPDATE matches SET number = NULL, void_reason = now.column2
                FROM (VALUES {}) AS now WHERE id = now.column1",
                "(?, ?)",
            ),
            create: MultiRowStatement::new(
                "INSERT INTO matches (id, created_at_us, tournament_id, number, group_number, setup, journal_from)
                VALUES {}",
                "(?, ?, ?, ?, ?, ?, ?)",
            ),
            seats: MultiRowStatement::new("INSERT INTO seats (match_id, seat, bot) VALUES {}", "(?, ?, ?)"),
            end: MultiRowStatement::new(
                "UPDATE matches SET plies = now.column2, reason = now.column3, winner = now.column4,
                    over_at_us = now.column5
                FROM (VALUES {}) AS now WHERE id = now.column1",
                "(?, ?, ?, ?, ?)",
            ),
            quarantine: MultiRowStatement::new(
                "UPDATE matches SET plies = now.column2, over_at_us = now.column3, damage = now.column4
                FROM (VALUES {}) AS now WHERE id = now.column1",
                "(?, ?, ?, ?)",
            ),
            seal: MultiRowStatement::new(
                "UPDATE matches SET head_hash = now.column2, signer = now.column3, signature = now.column4
                FROM (VALUES {}) AS now WHERE id = now.column1 AND over_at_us IS NOT NULL",
                "(?, ?, ?, ?)",
            ),
            figures: MultiRowStatement::new(
                "UPDATE seats SET lost = now.column3, rank_actual = now.column4, regret = now.column5,
                    luck = now.column6, plies = now.column7, optimal_plies = now.column8
                FROM (VALUES {}) AS now WHERE match_id = now.column1 AND seat = now.column2",
                "(?, ?, ?, ?, ?, ?, ?, ?)",
            ),
        }
    }
}

impl MatchTables {
    /// Takes their numbers from matches. Their setups, which their records follow from, stay as they were.
    pub(super) async fn void_matches(
        &self,
        connection: &mut SqliteConnection,
        voided: &[(MatchId, &Reason)],
    ) -> Result<(), StoreError> {
        let written = self.void.run(connection, voided, |(id, reason), values| {
            values.add(String::from(*id))?;
            values.add(reason.to_string())
        });
        written.await.map(drop)
    }

    /// Adds matches and their seats. None has events in the journal before the row `next_row`.
    pub(super) async fn create_matches(
        &self,
        connection: &mut SqliteConnection,
        new: &[NewMatch<'_>],
        next_row: i64,
    ) -> Result<(), StoreError> {
        let created = self.create.run(connection, new, |new, values| {
            values.add(String::from(new.id))?;
            values.add(new.created_at_us)?;
            values.add(new.tournament.map(String::from))?;
            values.add(new.number)?;
            values.add(new.group)?;
            values.add(new.setup.clone())?;
            values.add(next_row)
        });
        created.await?;
        let seats = new.iter().flat_map(|new| new.bots.enumerate().map(|(seat, bot)| (new.id, seat, bot)));
        let seats: Vec<_> = seats.collect();
        let seated = self.seats.run(connection, &seats, |&(id, seat, bot), values| {
            values.add(String::from(id))?;
            values.add(small_number(seat))?;
            values.add(bot.to_string())
        });
        seated.await.map(drop)
    }

    /// Says of matches how they ended.
    pub(super) async fn end_matches(
        &self,
        connection: &mut SqliteConnection,
        ended: &[EndedMatch],
    ) -> Result<(), StoreError> {
        let written = self.end.run(connection, ended, |ended, values| {
            values.add(String::from(ended.id))?;
            values.add(ended.plies)?;
            values.add(ended.reason.as_word())?;
            values.add(ended.winner)?;
            values.add(ended.over_at_us)
        });
        written.await.map(drop)
    }

    /// Says of matches that they are quarantined.
    pub(super) async fn quarantine_matches(
        &self,
        connection: &mut SqliteConnection,
        quarantined: &[QuarantinedMatch<'_>],
    ) -> Result<(), StoreError> {
        let written = self.quarantine.run(connection, quarantined, |found, values| {
            values.add(String::from(found.id))?;
            values.add(found.plies)?;
            values.add(found.at_us)?;
            values.add(found.why.to_owned())
        });
        written.await.map(drop)
    }

    /// Adds the last hashes and the seals of matches that are over, and the figures of their seats.
    pub(super) async fn seal_matches(
        &self,
        connection: &mut SqliteConnection,
        sealed: &[&FinishedMatch],
    ) -> Result<(), StoreError> {
        let changed = self.seal.run(connection, sealed, |over, values| {
            values.add(String::from(over.id))?;
            values.add(over.head.as_bytes().to_vec())?;
            values.add(over.seal.signer.as_bytes().to_vec())?;
            values.add(over.seal.signature.as_bytes().to_vec())
        });
        check_sealed_count(sealed, changed.await?.rows_affected())?;
        let figures = seat_results_of(sealed);
        let changed = self.figures.run(connection, &figures, |&(id, seat, result), values| {
            values.add(String::from(id))?;
            values.add(small_number(seat))?;
            values.add(result.lost.map(StoredWord::as_word))?;
            values.add(result.rank_actual)?;
            values.add(result.regret)?;
            values.add(result.luck)?;
            values.add(result.plies)?;
            values.add(result.optimal_plies)
        });
        check_seat_count(figures.len(), changed.await?.rows_affected())
    }
}
