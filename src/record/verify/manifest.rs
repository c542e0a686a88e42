//! `lastnim record verify` for a manifest: checks its signer, its records and its standings.

use super::{
    command::VerifyArgs,
    manifest_report::ManifestVerdict,
    record_comparison::RecordComparison,
    standings_comparison::{StandingsDifference, compare_standings},
};
use crate::{
    Failure,
    audit::list_files,
    progress::StatusLine,
    record::standings::{ComputedStandings, RatingChoice, ShownTournament},
    record_input::{self, InputFile, RecordDocuments, read_manifest},
};
use lastnim_core::referee::PublicKey;
use lastnim_proto::{
    manifest::{Manifest, ManifestFlaw, ManifestReadResult},
    pb,
    record_file::read_record,
};
use lastnim_tournament::TournamentState;
use std::{
    io::{self, BufRead},
    path::Path,
};

/// Whether the standings of a manifest follow from the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StandingsVerdict {
    /// No records were given.
    NotAsked,
    /// The standings cannot be computed, for this reason.
    NotComparable(String),
    /// The standings were computed, and these are their differences from the manifest. Empty if they agree.
    Compared(Vec<StandingsDifference>),
}

/// Why a manifest as a whole does not verify.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ManifestRefusal {
    /// The lines of the manifest differ from the signed ones.
    Flaw(ManifestFlaw),
    /// The manifest was signed by a key other than the trusted one.
    OtherSigner(Box<PublicKey>),
    /// The content of the manifest cannot be read.
    Unreadable(String),
}

/// Verifies a manifest and, if records are given, compares them with it.
pub fn verify_manifest(
    name: &str,
    input: &mut dyn BufRead,
    args: &VerifyArgs,
) -> Result<ManifestVerdict, Failure> {
    let result = read_manifest(input).map_err(|error| Failure::runtime(error, name))?;
    let ManifestReadResult { signed, manifest } = result;
    let mut refusals = Vec::new();
    match &signed {
        Err(flaw) => refusals.push(ManifestRefusal::Flaw(flaw.clone())),
        Ok(signer) if args.key.is_some_and(|key| key != *signer) => {
            refusals.push(ManifestRefusal::OtherSigner(Box::new(*signer)));
        }
        Ok(_) => {}
    }
    let signer = signed.ok();
    let mut verdict = ManifestVerdict::new(name.to_owned(), signer, args.key);
    match manifest.map_err(|flaw| flaw.to_string()).and_then(|manifest| {
        let shown = ShownTournament::of_manifest(&manifest)?;
        Ok((manifest, shown))
    }) {
        Ok((manifest, shown)) => {
            verdict.standings = compare_with_records(&manifest, &shown, args, &mut verdict.records)?;
            verdict.manifest = Some(manifest);
        }
        Err(why) => refusals.push(ManifestRefusal::Unreadable(why)),
    }
    verdict.refusals = refusals;
    Ok(verdict)
}

/// The verdict on the records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordsVerdict {
    /// The number of records that match the manifest.
    pub verified: u64,
    /// The number of records that belong to another tournament or to none.
    pub of_others: u64,
    /// What the comparison found out about single matches and files.
    pub findings: Vec<super::record_comparison::RecordFinding>,
}

fn compare_with_records(
    manifest: &Manifest,
    shown: &ShownTournament,
    args: &VerifyArgs,
    verdict: &mut Option<RecordsVerdict>,
) -> Result<StandingsVerdict, Failure> {
    if args.records.is_empty() {
        return Ok(StandingsVerdict::NotAsked);
    }
    let mut compared = RecordComparison::new(manifest, shown);
    let line = StatusLine::show("comparing records");
    for file in list_files(&args.records)? {
        compare_file(&file, &mut compared)?;
    }
    compared.finish();
    drop(line);
    let line = StatusLine::show("computing standings and ratings");
    let standings = if compared.has_flaws() {
        StandingsVerdict::NotComparable("this needs every record of the manifest, unchanged".to_owned())
    } else {
        let ratings = if manifest.is_interim() { RatingChoice::Unrated } else { RatingChoice::Final };
        match compared.replayed.compute_standings(shown, ratings) {
            Err(why) => StandingsVerdict::NotComparable(why),
            Ok(computed) => {
                if manifest.state == TournamentState::Finished {
                    compared.add_omitted(&computed.omitted);
                }
                StandingsVerdict::Compared(standings_differences(manifest, &computed))
            }
        }
    };
    drop(line);
    let RecordComparison { verified, of_others, findings, .. } = compared;
    *verdict = Some(RecordsVerdict { verified, of_others, findings });
    Ok(standings)
}

fn standings_differences(manifest: &Manifest, computed: &ComputedStandings) -> Vec<StandingsDifference> {
    let lines: Vec<pb::Standing> = computed.standings.iter().map(Into::into).collect();
    let due = pb::Verdict::from(&computed.verdict);
    compare_standings((&manifest.standings, &manifest.verdict), (&lines, &due))
}

/// Compares all records of a file with a manifest. A file with a manifest or a card is skipped.
fn compare_file(file: &Path, compared: &mut RecordComparison<'_>) -> Result<(), Failure> {
    let name = record_input::input_name(file);
    let mut documents = match InputFile::open(file) {
        Ok(InputFile::Records(documents)) => documents,
        Ok(InputFile::Manifest(_) | InputFile::Card(_)) => return Ok(()),
        Err(error) => return Err(Failure::runtime(error, name)),
    };
    loop {
        let document = match documents.next_document() {
            Ok(None) => return Ok(()),
            Ok(Some(document)) => document,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                compared.add_unreadable(place_in_file(&name, &documents), &error);
                continue;
            }
            Err(error) => return Err(Failure::runtime(error, name)),
        };
        if document.line.is_some() && document.text.trim_ascii().is_empty() {
            continue;
        }
        let place = place_in_file(&name, &documents);
        match read_record(&document.text) {
            Ok(given) => compared.add_record(place, &given),
            Err(error) => compared.add_unreadable(place, &error),
        }
    }
}

fn place_in_file(name: &str, documents: &RecordDocuments) -> String {
    documents.line_number().map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"))
}
