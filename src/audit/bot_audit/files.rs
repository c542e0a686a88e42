//! Reads records from files and folders, and verifies them on two threads.

use super::{
    admission::{RecordAdmission, RecordPolicy, RecordRefusal},
    intake::{MatchCounter, RecordIntake},
    summary::RecordPlace,
};
use crate::{
    Failure,
    progress::{bytes_bar, matches_bar},
    record_input::{self, RecordDocuments},
};
use indicatif::ProgressBar;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, TrySendError, channel, sync_channel},
    thread,
};

/// The maximum number of records in a batch, which one thread verifies.
const MAX_BATCH_RECORDS: usize = 64;
/// A batch is complete once it has this many bytes, so it may have one record more.
const MAX_BATCH_BYTES: usize = 1 << 20;
/// The maximum number of verified batches that wait for an earlier batch.
const MAX_WAITING_BATCHES: usize = 16;

/// The texts of records that are to be verified.
#[derive(Default)]
struct RecordBatch {
    texts: Vec<(RecordPlace, String)>,
    bytes: usize,
}

/// Verified batches, which are counted in the order in which they were read. Otherwise the timing of the threads would
/// decide which of two records of the same match counts.
#[derive(Default)]
struct OrderedBatches {
    next: u64,
    waiting: BTreeMap<u64, VerifiedBatch>,
}

impl OrderedBatches {
    fn add(&mut self, (number, verified): (u64, VerifiedBatch), mut counted: impl FnMut(VerifiedBatch)) {
        self.waiting.insert(number, verified);
        while let Some(verified) = self.waiting.remove(&self.next) {
            counted(verified);
            self.next += 1;
        }
    }
}

/// The records of a batch: the place of each, the result of verifying it, and its length in bytes.
type VerifiedBatch = Vec<(RecordPlace, Result<RecordAdmission, RecordRefusal>, usize)>;

/// Reads records from files, and from all `.json` and `.jsonl` files in folders; `-` is standard input.
///
/// The calling thread reads the records, and counts the verified ones. A second thread verifies records; while it is
/// busy, the calling thread verifies records too.
pub fn read_record_files<C: MatchCounter>(
    files: &[PathBuf],
    admission: &RecordPolicy,
    intake: &mut RecordIntake<C>,
) -> Result<(), Failure> {
    let files = list_files(files)?;
    let bar = progress_bar(&files);
    thread::scope(|scope| {
        let (to_worker, batches) = sync_channel::<(u64, RecordBatch)>(1);
        let (to_us, verified) = channel::<(u64, VerifiedBatch)>();
        let verify = |(number, batch): (u64, RecordBatch)| (number, verify_batch(batch, admission));
        scope.spawn(move || batches.into_iter().try_for_each(|batch| to_us.send(verify(batch))));
        let (mut in_order, mut batches) = (OrderedBatches::default(), 0..);
        let mut count_batch = |verified: VerifiedBatch| count_records(verified, intake, &bar);
        let mut work = |batch: RecordBatch, verified: &Receiver<(u64, VerifiedBatch)>| {
            match to_worker.try_send((batches.next().unwrap_or_default(), batch)) {
                Ok(()) => {}
                Err(TrySendError::Full(batch) | TrySendError::Disconnected(batch)) => {
                    in_order.add(verify(batch), &mut count_batch);
                }
            }
            for batch in verified.try_iter() {
                in_order.add(batch, &mut count_batch);
            }
            while in_order.waiting.len() > MAX_WAITING_BATCHES
                && let Ok(batch) = verified.recv()
            {
                in_order.add(batch, &mut count_batch);
            }
        };
        let mut refused = Vec::new();
        let mut batch = RecordBatch::default();
        for file in &files {
            let failure = |error| Failure::runtime(error, record_input::input_name(file));
            let mut documents = RecordDocuments::open(file).map_err(failure)?;
            loop {
                match documents.next_document() {
                    Ok(None) => break,
                    Ok(Some(document))
                        if document.text.trim_ascii().is_empty() && document.line.is_some() => {}
                    Ok(Some(document)) if document.text.trim_ascii().is_empty() && file == Path::new("-") => {
                        return Err(Failure::input("standard input: expected records, but it is empty"));
                    }
                    Ok(Some(document)) => {
                        batch.bytes += document.text.len();
                        let place =
                            RecordPlace { source: record_input::input_name(file), line: document.line };
                        batch.texts.push((place, document.text));
                    }
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        let source = record_input::input_name(file);
                        let place = RecordPlace { source, line: documents.line_number() };
                        refused.push((place, error.to_string()));
                    }
                    Err(error) => return Err(failure(error)),
                }
                if batch.texts.len() >= MAX_BATCH_RECORDS || batch.bytes >= MAX_BATCH_BYTES {
                    work(std::mem::take(&mut batch), &verified);
                }
            }
        }
        work(batch, &verified);
        drop(to_worker);
        for batch in verified {
            in_order.add(batch, &mut count_batch);
        }
        for (place, why) in refused {
            intake.note_refused(place, why);
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(())
}

fn verify_batch(batch: RecordBatch, admission: &RecordPolicy) -> VerifiedBatch {
    let texts = batch.texts.into_iter();
    texts.map(|(place, text)| (place, admission.admit_text(&text), text.len())).collect()
}

fn count_records<C: MatchCounter>(verified: VerifiedBatch, intake: &mut RecordIntake<C>, bar: &ProgressBar) {
    let records = verified.len() as u64;
    let mut bytes = 0;
    for (place, admitted, length) in verified {
        bytes += length as u64;
        intake.add_record(|| place, admitted);
    }
    bar.inc(if bar.length().is_some() { bytes } else { records });
    if bar.length().is_some() {
        bar.set_message(format!("{} matches", intake.match_count()));
    }
}

/// Returns the files, with each folder replaced by its `.json` and `.jsonl` files, sorted by name.
pub fn list_files(files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut listed = Vec::new();
    for file in files {
        if !file.is_dir() {
            listed.push(file.clone());
            continue;
        }
        let failure = |error| Failure::runtime(error, file.display());
        let (mut inside, mut folders) = (Vec::new(), 0);
        for entry in fs::read_dir(file).map_err(failure)? {
            let path = entry.map_err(failure)?.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_file() && matches!(extension, Some("json" | "jsonl")) {
                inside.push(path);
            } else if path.is_dir() {
                folders += 1;
            }
        }
        inside.sort();
        if inside.is_empty() {
            let hint = match folders {
                0 => String::new(),
                1 => ": name its subfolder instead".to_owned(),
                folders => format!(": name its {folders} subfolders instead"),
            };
            return Err(Failure::input(format!(
                "{}: the folder has no .json or .jsonl file{hint}",
                file.display()
            )));
        }
        listed.append(&mut inside);
    }
    Ok(listed)
}

/// Creates a progress bar, which counts bytes if the size of every file is known, and otherwise counts matches.
fn progress_bar(files: &[PathBuf]) -> ProgressBar {
    let size = |file: &PathBuf| {
        let metadata = fs::metadata(file).ok().filter(|_| file != Path::new("-"))?;
        metadata.is_file().then_some(metadata.len())
    };
    match files.iter().map(size).sum::<Option<u64>>() {
        Some(bytes) => bytes_bar(bytes),
        None => matches_bar(None),
    }
}
