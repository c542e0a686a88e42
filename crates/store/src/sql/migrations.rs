//! What brings the tables from each version to the next.

use crate::StoreError;

macro_rules! migrations {
    ($($name:literal),+ $(,)?) => {
        /// Those of SQLite, from version 0, which has no tables.
        pub(super) const SQLITE: &[&str] = &[$(include_str!(concat!("sqlite/migrations/", $name, ".sql"))),+];
        /// Those of PostgreSQL, which does not need all of them: both count their versions alike.
        pub(super) const POSTGRES: &[&str] = &[$(include_str!(concat!("postgres/migrations/", $name, ".sql"))),+];
    };
}

migrations!(
    "0001_first_tables",
    "0002_ratings_and_verdicts",
    "0003_field_changes",
    "0004_quarantined_matches",
    "0005_null_verdicts",
    "0006_checkpoints",
    "0007_database_id",
    "0008_unheard_ends",
    "0009_note_hashes",
    "0010_suspensions",
    "0011_versions",
    "0012_lost_seats",
    "0013_pruned_records",
    "0014_tournament_events",
    "0015_records_by_tournament",
    "0016_rating_measures",
    "0017_match_lists",
    "0018_journal",
    "0019_owners",
    "0020_transcripts",
    "0021_check_sums",
);

/// The newest version.
pub(super) const KNOWN: u32 = SQLITE.len() as u32;

/// Fails if tables are not of the newest version: whoever only reads does not bring them up to date.
pub(super) fn check_version(found: i64) -> Result<(), StoreError> {
    let missing = missing_migrations(SQLITE, found)?;
    if missing.is_empty() {
        return Ok(());
    }
    Err(StoreError::Unusable(format!(
        "its tables are of version {found} and this program reads version {KNOWN}: start `lastnim serve` on it once, which brings them up to date"
    )))
}

/// Returns the migrations that tables of a version lack.
///
/// # Errors
/// [`StoreError::Newer`] if a newer program has made them.
pub(super) fn missing_migrations(
    all: &'static [&'static str],
    version: i64,
) -> Result<&'static [&'static str], StoreError> {
    let missing = usize::try_from(version).ok().and_then(|version| all.get(version..));
    missing.ok_or(StoreError::Newer { found: version, known: KNOWN.into() })
}
