//! Writes, reads and merges part files: each contains the audit of a part of some records.

use super::{
    intake::{MatchCounter as _, RecordIntake},
    seen_matches::SeenMatches,
    summary::IntakeSummary,
};
use crate::{Failure, new_file::AtomicFile};
use anyhow::anyhow;
use clap::Args;
use lastnim_auditing::{AuditSubject, Auditor};
use lastnim_core::{
    game::{TournamentId, VersionLabel},
    referee::PublicKey,
};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

/// The first line of a part file, which names the version of lastnim and the number of the encoding. A change of what an
/// audit counts gets a new number.
const FIRST_LINE: &str = concat!("lastnim audit part, version ", env!("CARGO_PKG_VERSION"), ", encoding 2\n");
/// The length of the hash at the end of a part file.
const HASH_BYTES: usize = blake3::OUT_LEN;

/// Flags to audit many records in parts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Parts")]
pub struct PartsArgs {
    /// Writes the audit of these records to a file for --merge, instead of a report
    #[arg(long, value_name = "FILE")]
    pub partial: Option<PathBuf>,
    /// Reports on all records of these files from --partial; no record may be in two of them
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["files", "tournament", "key", "unsigned", "seed", "puzzles"])]
    pub merge: Vec<PathBuf>,
}

/// The settings that decide which records count. They must be the same in all parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartSettings {
    pub tournament: Option<TournamentId>,
    pub key: Option<PublicKey>,
    pub unsigned: bool,
    pub version: Option<VersionLabel>,
}

/// The content of a part file, between the first line and the hash.
#[derive(Serialize, Deserialize)]
struct StoredPart {
    settings: PartSettings,
    expects_all_matches: bool,
    summary: IntakeSummary,
    seen: SeenMatches,
    auditor: Vec<u8>,
}

impl PartSettings {
    /// Returns the flags that give these settings.
    fn flags(&self) -> String {
        let flags = [
            self.tournament.map(|id| format!("--tournament {id}")),
            self.key.map(|key| format!("--key {key}")),
            self.unsigned.then(|| "--unsigned".to_owned()),
            self.version.as_ref().map(|version| format!("--bot-version {version}")),
        ];
        let flags: Vec<String> = flags.into_iter().flatten().collect();
        if flags.is_empty() { "none of these flags".to_owned() } else { flags.join(" ") }
    }
}

/// Writes the audit of the records that were read.
pub fn write_part(path: &Path, settings: PartSettings, intake: RecordIntake<Auditor>) -> Result<(), Failure> {
    let RecordIntake { counter, seen, expects_all_matches, summary } = intake;
    if summary.untracked > 0 {
        return Err(Failure::Runtime(anyhow!(
            "there are too many matches to detect repeated ones: write more parts with fewer matches each"
        )));
    }
    let auditor = counter.to_bytes().map_err(|error| Failure::Runtime(error.into()))?;
    let part = StoredPart { settings, expects_all_matches, summary, seen, auditor };
    let mut bytes = FIRST_LINE.as_bytes().to_vec();
    bytes.extend(postcard::to_allocvec(&part).expect("every list's length is known"));
    bytes.extend(blake3::hash(&bytes).as_bytes());
    let mut file = AtomicFile::create(path)?;
    file.write_all(&bytes).map_err(|error| Failure::runtime(error, path.display()))?;
    file.finish()
}

/// Reads the audits of parts of some records, and merges them.
pub fn merge_parts(
    paths: &[PathBuf],
    subject: &AuditSubject,
) -> Result<(PartSettings, RecordIntake<Auditor>), Failure> {
    let mut merged: Option<(PartSettings, RecordIntake<Auditor>)> = None;
    for path in paths {
        let refusal = |why: String| Failure::input(format!("{}: {why}", path.display()));
        let (settings, part) = read_part(path)?;
        if part.counter.subject() != subject {
            let [given, asked] = [part.counter.subject(), subject].map(|subject| match subject {
                AuditSubject::Bot(bot) => bot.as_str(),
                AuditSubject::Field => "every bot",
            });
            return Err(refusal(format!("an audit of {given}: expected an audit of {asked}")));
        }
        let Some((first, whole)) = &mut merged else {
            merged = Some((settings, part));
            continue;
        };
        if settings != *first {
            let (given, expected) = (settings.flags(), first.flags());
            return Err(refusal(format!(
                "written with {given}: expected {expected}, as for the earlier parts"
            )));
        }
        if part.expects_all_matches != whole.expects_all_matches || part.summary.trust != whole.summary.trust
        {
            return Err(refusal(
                "its records come from a different source than those of the earlier parts: expected the same server, or files"
                    .to_owned(),
            ));
        }
        whole.seen.merge(part.seen).map_err(|conflict| refusal(conflict.to_string()))?;
        whole.summary.merge(part.summary);
        whole.counter.merge(part.counter).map_err(|error| refusal(error.to_string()))?;
    }
    merged.ok_or_else(|| Failure::input("--merge: expected at least one file"))
}

fn read_part(path: &Path) -> Result<(PartSettings, RecordIntake<Auditor>), Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::runtime(error, path.display()))?;
    let refusal = |why: &str| Failure::input(format!("{}: {why}", path.display()));
    let Some((line, rest)) = bytes.split_at_checked(FIRST_LINE.len()).filter(|_| is_part(&bytes)) else {
        return Err(refusal("not a file that --partial wrote"));
    };
    if line != FIRST_LINE.as_bytes() {
        return Err(refusal(concat!(
            "written by another version of lastnim: expected ",
            env!("CARGO_PKG_VERSION"),
            "; write it again"
        )));
    }
    let content = rest.split_last_chunk::<HASH_BYTES>().filter(|(_, hash)| {
        let written = bytes.len() - HASH_BYTES;
        blake3::hash(&bytes[..written]).as_bytes() == *hash
    });
    let Some((content, _)) = content else {
        return Err(refusal("it is damaged or incomplete: write it again"));
    };
    let part: StoredPart = match postcard::take_from_bytes(content) {
        Ok((part, [])) => part,
        _ => return Err(refusal("not a part of an audit")),
    };
    let StoredPart { settings, expects_all_matches, summary, seen, auditor } = part;
    let counter = Auditor::from_bytes(&auditor).map_err(|error| refusal(&error.to_string()))?;
    Ok((
        settings,
        RecordIntake {
            counter,
            seen,
            expects_all_matches,
            summary: summary.with_description(Auditor::UNCOUNTED_DESCRIPTION),
        },
    ))
}

/// Returns whether the bytes begin like a part file of any version.
fn is_part(bytes: &[u8]) -> bool {
    let name = FIRST_LINE.split(',').next().unwrap_or_default();
    bytes.starts_with(name.as_bytes())
}
