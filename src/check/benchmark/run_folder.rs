//! The folder of a run: its plan, the records so far, the key that signs them, and finally the card.

use crate::{
    Failure,
    new_file::{AtomicFile, create_private_folder},
    runner::BoundedLog,
};
use lastnim_client::text_input::read_text_file;
use lastnim_core::referee::{Record, SigningKey};
use lastnim_proto::{
    record::{SealedRecord, verify_record},
    record_file::{RecordForm, read_record},
};
use lastnim_server::load_or_generate_key;
use serde_json::Value;
use std::{
    fs::File,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// The records of a run, one per line, in the order in which the matches ended.
pub const RECORDS_FILE: &str = "records.jsonl";
/// The card of a run.
const CARD_FILE: &str = "card.jsonl";
/// The card as text.
const TEXT_FILE: &str = "card.txt";
/// The card as a picture.
const PICTURE_FILE: &str = "card.svg";
/// The plan of a run, which must be the same when the run is continued.
const PLAN_FILE: &str = "run.json";
/// The key that signs the records and the card.
const KEY_FILE: &str = "signing.key";
/// The output of the program that is measured.
const LOG_FILE: &str = "player.log";

/// The folder of a run. It is locked while this value exists.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    records: File,
}

impl RunFolder {
    /// Opens or creates the folder of this run, and returns its records.
    ///
    /// # Errors
    /// If the folder has another run or a finished one, another benchmark is using it, or it cannot be used.
    pub fn open(path: &Path, plan: &Value) -> Result<(Self, Vec<SealedRecord>), Failure> {
        create_private_folder(path)?;
        let shown = path.display();
        let file = path.join(RECORDS_FILE);
        let records = File::options().create(true).append(true).read(true).open(&file);
        let records = records.map_err(|error| Failure::runtime(error, file.display()))?;
        if records.try_lock().is_err() {
            return Err(Failure::input(format!(
                "{shown}: another benchmark is using this folder: wait until it ends, or name another folder with --dir"
            )));
        }
        if path.join(CARD_FILE).exists() {
            return Err(Failure::input(format!(
                "{shown}: the benchmark in this folder is finished: see its {CARD_FILE}, or name another folder with --dir"
            )));
        }
        check_plan(path, plan)?;
        let folder = Self { path: path.to_owned(), records };
        let kept = folder.read_records()?;
        Ok((folder, kept))
    }

    /// Reads the records, and removes an incomplete last line.
    fn read_records(&self) -> Result<Vec<SealedRecord>, Failure> {
        let file = self.path.join(RECORDS_FILE);
        let failure = |error: io::Error| Failure::runtime(error, file.display());
        let text = read_text_file(&file).map_err(failure)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            self.records.set_len(whole as u64).map_err(failure)?;
        }
        let lines = text[..whole].lines().enumerate();
        lines
            .map(|(index, line)| {
                let at_line =
                    |why: String| Failure::input(format!("{}:{}: {why}", file.display(), index + 1));
                let record = read_record(line).map_err(|error| at_line(error.to_string()))?;
                verify_record(&record).map_err(|flaw| at_line(flaw.to_string()))
            })
            .collect()
    }

    /// Appends a record to the file.
    pub fn append_record(&mut self, sealed: &SealedRecord) -> Result<(), Failure> {
        let record: &Record = sealed.record();
        let line = RecordForm::Json.write(record, sealed.seal());
        let written = self.records.write_all(line.as_bytes()).and_then(|()| self.records.flush());
        written.map_err(|error| Failure::runtime(error, self.path.join(RECORDS_FILE).display()))
    }

    /// Returns the key of the run, generated once.
    pub fn signing_key(&self) -> Result<SigningKey, Failure> {
        load_or_generate_key(&self.path.join(KEY_FILE)).map_err(|error| Failure::Runtime(error.into()))
    }

    /// Opens the file for the output of a program.
    pub fn open_log(&self) -> Result<BoundedLog, Failure> {
        let path = self.path.join(LOG_FILE);
        BoundedLog::open(path.clone()).map_err(|error| Failure::runtime(error, path.display()))
    }

    /// Writes the files of the card; the signed one is written last.
    pub fn write_card(&self, card: &str, text: &str, picture: &str) -> Result<(), Failure> {
        AtomicFile::write(&self.path.join(TEXT_FILE), text)?;
        AtomicFile::write(&self.path.join(PICTURE_FILE), picture)?;
        AtomicFile::write(&self.path.join(CARD_FILE), card)
    }

    /// Returns the path of the card.
    pub fn card_file(&self) -> PathBuf {
        self.path.join(CARD_FILE)
    }
}

/// Checks that the folder has the same plan as this run. If the folder has no plan, writes this one.
fn check_plan(path: &Path, plan: &Value) -> Result<(), Failure> {
    let file = path.join(PLAN_FILE);
    let text = match read_text_file(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return AtomicFile::write(&file, &format!("{plan}\n"));
        }
        Err(error) => return Err(Failure::runtime(error, file.display())),
        Ok(text) => text,
    };
    match serde_json::from_str::<Value>(&text) {
        Ok(kept) if kept == *plan => Ok(()),
        Ok(kept) => Err(Failure::input(format!(
            "{}: this folder has a different benchmark, {kept}: use its flags to continue it, or name another folder with --dir",
            path.display()
        ))),
        Err(error) => Err(Failure::input(format!("{}: {error}", file.display()))),
    }
}
