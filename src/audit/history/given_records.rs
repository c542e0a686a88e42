//! Compares the matches in logs with records from files or from a server.

use super::verdict::HistoryVerdict;
use crate::{
    Failure,
    audit::list_files,
    played_matches::status_reason,
    record_input::{InputFile, RecordDocuments, input_name},
    remote::RemoteServer,
};
use lastnim_core::referee::PublicKey;
use lastnim_history::{FindingKind, MatchLog, check_match};
use lastnim_proto::{pb, record::verify_record, record_file::read_record};
use std::{collections::BTreeMap, io, path::PathBuf};
use tonic::Code;

/// Compares the matches in the logs with their records, one match at a time.
pub struct RecordChecker<'a, 'l> {
    pub key: Option<PublicKey>,
    pub matches: &'a BTreeMap<&'l str, MatchLog<'l>>,
    pub verdict: &'a mut HistoryVerdict,
}

impl RecordChecker<'_, '_> {
    /// Compares records from files and folders. Records of matches that no log mentions are skipped.
    pub fn check_files(mut self, files: &[PathBuf]) -> Result<(), Failure> {
        for file in list_files(files)? {
            let name = input_name(&file);
            let failure = |error| Failure::runtime(error, &name);
            let mut documents = match InputFile::open(&file).map_err(failure)? {
                InputFile::Records(documents) => documents,
                InputFile::Manifest(_) | InputFile::Card(_) => continue,
            };
            while let Some(read) = next_record(&mut documents).map_err(failure)? {
                let place =
                    documents.line_number().map_or_else(|| name.clone(), |line| format!("{name}:{line}"));
                match read {
                    Ok(record) => self.check_record(&place, &record),
                    Err(why) => self.verdict.add_unreadable(&place, why),
                }
            }
        }
        self.check_unrecorded();
        Ok(())
    }

    /// Fetches and compares the record of each match. The server must have the record of every match that it announced
    /// to a bot.
    pub async fn check_server_records(mut self, remote: &RemoteServer) -> Result<(), Failure> {
        for (&id, log) in self.matches {
            let request = pb::GetRecordRequest { match_id: id.to_owned() };
            match remote.match_client().get_record(request).await {
                Ok(answer) => {
                    let record = answer.into_inner().record.unwrap_or_default();
                    if record.match_id == id {
                        self.check_record(remote.name(), &record);
                    } else {
                        let why =
                            format!("the server sent the record of another match: {:?}", record.match_id);
                        self.verdict.add_record_finding(FindingKind::Record, id, remote.name(), why);
                    }
                }
                Err(status) if status_reason(&status) == "RECORD_PRUNED" => self.verdict.pruned += 1,
                Err(status)
                    if matches!(status.code(), Code::NotFound | Code::DataLoss | Code::InvalidArgument) =>
                {
                    // A log may name any match, but the server must know those that it announced to a bot.
                    if log.has_server_reports() {
                        let why = format!("the server cannot send its record: {}", status.message());
                        self.verdict.add_record_finding(FindingKind::Record, id, remote.name(), why);
                    }
                }
                Err(status) => return Err(remote.refusal_failure(&status)),
            }
        }
        self.check_unrecorded();
        Ok(())
    }

    fn check_record(&mut self, place: &str, record: &pb::MatchRecord) {
        let Some((&id, log)) = self.matches.get_key_value(record.match_id.as_str()) else { return };
        let refused = match verify_record(record) {
            Err(flaw) => format!("its record does not verify: {flaw}"),
            Ok(sealed) => {
                let state = sealed.record().state();
                match (sealed.seal(), self.key) {
                    (Some(seal), Some(key)) if seal.signer != key => {
                        format!("its record is signed by another key: {}", seal.signer)
                    }
                    (None, _) if state.end().is_some() && state.game().is_some() => {
                        "its record is not signed".to_owned()
                    }
                    _ => {
                        return self.verdict.add_checked(
                            id,
                            place,
                            check_match(id, log, Some(sealed.record())),
                        );
                    }
                }
            }
        };
        self.verdict.add_record_finding(FindingKind::Record, id, place, refused);
    }

    /// For each match without a record, compares the bots' logs with each other.
    fn check_unrecorded(&mut self) {
        for (&id, log) in self.matches {
            if !self.verdict.is_checked(id) && log.has_server_reports() {
                self.verdict.add_unrecorded(check_match(id, log, None));
            }
        }
    }
}

/// Reads the next document of a file. If it is not a record, the inner error says why.
fn next_record(documents: &mut RecordDocuments) -> io::Result<Option<Result<pb::MatchRecord, String>>> {
    loop {
        return match documents.next_document() {
            Ok(None) => Ok(None),
            Ok(Some(document)) if document.line.is_some() && document.text.trim_ascii().is_empty() => {
                continue;
            }
            Ok(Some(document)) => Ok(Some(read_record(&document.text).map_err(|error| error.to_string()))),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Some(Err(error.to_string()))),
            Err(error) => Err(error),
        };
    }
}
