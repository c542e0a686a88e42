//! Records of files and folders, verified on two threads.

use super::{
    admission::{Admission, Admitted, Refusal},
    intake::Intake,
};
use crate::cli::{
    Failure,
    progress::{bytes_bar, matches_bar},
    record_input::{self, Documents},
};
use indicatif::ProgressBar;
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, TrySendError, channel, sync_channel},
    thread,
};

/// The most records, and about the most bytes, that one thread works on at a time.
const BATCH_RECORDS: usize = 64;
const BATCH_BYTES: usize = 1 << 20;

/// Records as they stand in files, to be verified.
#[derive(Default)]
struct Batch {
    texts: Vec<(Place, String)>,
    bytes: usize,
}

/// Where a record stands.
struct Place {
    number: u64,
    file: String,
    line: Option<u64>,
}

type Verified = Vec<(Place, Result<Admitted, Refusal>, usize)>;

/// Reads the records of files, and of all `.json`, `.jsonl` and `.txt` files of folders; `-` is standard input.
///
/// This thread reads, and counts what was verified. A second one verifies; while it is busy, so does this one.
pub(super) fn read(files: &[PathBuf], admission: &Admission, intake: &mut Intake) -> Result<(), Failure> {
    let files = listed(files)?;
    let bar = bar(&files);
    thread::scope(|scope| {
        let (to_worker, batches) = sync_channel::<Batch>(1);
        let (to_us, verified) = channel::<Verified>();
        scope.spawn(move || batches.into_iter().try_for_each(|batch| to_us.send(verify(batch, admission))));
        let mut counted = |verified: Verified| count(verified, intake, &bar);
        let mut work = |batch: Batch, verified: &Receiver<Verified>| {
            match to_worker.try_send(batch) {
                Ok(()) => {}
                Err(TrySendError::Full(batch) | TrySendError::Disconnected(batch)) => {
                    counted(verify(batch, admission));
                }
            }
            verified.try_iter().for_each(&mut counted);
        };
        let mut refused = Vec::new();
        let mut number = 0;
        let mut batch = Batch::default();
        for file in &files {
            let failed = |error| Failure::runtime(error, record_input::name(file));
            let mut documents = Documents::open(file).map_err(failed)?;
            loop {
                number += 1;
                match documents.next() {
                    Ok(None) => break,
                    Ok(Some(document))
                        if document.text.trim_ascii().is_empty() && document.line.is_some() => {}
                    Ok(Some(document)) => {
                        batch.bytes += document.text.len();
                        let place = Place { number, file: record_input::name(file), line: document.line };
                        batch.texts.push((place, document.text));
                    }
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        let place = Place { number, file: record_input::name(file), line: documents.line() };
                        refused.push((number, format!("{place}: {error}")));
                    }
                    Err(error) => return Err(failed(error)),
                }
                if batch.texts.len() >= BATCH_RECORDS || batch.bytes >= BATCH_BYTES {
                    work(std::mem::take(&mut batch), &verified);
                }
            }
        }
        work(batch, &verified);
        drop(to_worker);
        verified.into_iter().for_each(counted);
        for (number, words) in refused {
            intake.refuse(number, words);
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(())
}

fn verify(batch: Batch, admission: &Admission) -> Verified {
    let texts = batch.texts.into_iter();
    texts.map(|(place, text)| (place, admission.of_text(&text), text.len())).collect()
}

fn count(verified: Verified, intake: &mut Intake, bar: &ProgressBar) {
    let records = verified.len() as u64;
    let mut bytes = 0;
    for (place, admitted, length) in verified {
        bytes += length as u64;
        intake.add(place.number, || place.to_string(), admitted);
    }
    bar.inc(if bar.length().is_some() { bytes } else { records });
    if bar.length().is_some() {
        bar.set_message(format!("{} matches", intake.matches()));
    }
}

/// Returns the files, with those of a folder in the place of the folder, by name.
pub(in crate::cli) fn listed(files: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut listed = Vec::new();
    for file in files {
        if !file.is_dir() {
            listed.push(file.clone());
            continue;
        }
        let failed = |error| Failure::runtime(error, file.display());
        let mut inside = Vec::new();
        for entry in fs::read_dir(file).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_file() && matches!(extension, Some("json" | "jsonl" | "txt")) {
                inside.push(path);
            }
        }
        inside.sort();
        if inside.is_empty() {
            return Err(Failure::input(format!("{}: a folder without a record", file.display())));
        }
        listed.append(&mut inside);
    }
    Ok(listed)
}

/// Makes a bar that knows how much there is to read, if all files have a size.
fn bar(files: &[PathBuf]) -> ProgressBar {
    let size = |file: &PathBuf| {
        let metadata = fs::metadata(file).ok().filter(|_| file != Path::new("-"))?;
        metadata.is_file().then_some(metadata.len())
    };
    match files.iter().map(size).sum::<Option<u64>>() {
        Some(bytes) => bytes_bar(bytes),
        None => matches_bar(None),
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}: line {line}", self.file),
            None => f.write_str(&self.file),
        }
    }
}
