//! Files with the result of a run.

use crate::{Failure, new_file::AtomicFile};
use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

/// A file to which a run writes its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultFile {
    path: PathBuf,
    pub form: ResultForm,
}

/// The format of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultForm {
    /// The standings as a table for spreadsheets.
    Csv,
    /// Everything that `--json` prints.
    Json,
    /// Text to paste into a message.
    Text,
}

impl FromStr for ResultFile {
    type Err = String;

    fn from_str(path: &str) -> Result<Self, String> {
        let path = PathBuf::from(path);
        let form = match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => ResultForm::Csv,
            Some("json") => ResultForm::Json,
            Some("txt") => ResultForm::Text,
            _ => {
                return Err("expected a file that ends in .csv, .json or .txt, such as result.csv".to_owned());
            }
        };
        Ok(Self { path, form })
    }
}

impl fmt::Display for ResultFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

impl ResultFile {
    /// Checks that the file can be written at the end of the run: its folder exists, and it is not a folder itself.
    ///
    /// # Errors
    /// Names the file or the folder.
    pub fn check(&self) -> Result<(), Failure> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let folder = folder.display();
            return Err(Failure::input(format!(
                "--result {self}: there is no folder {folder}: create it first"
            )));
        }
        if self.path.is_dir() {
            return Err(Failure::input(format!("--result {self}: this is a folder: name a file")));
        }
        Ok(())
    }

    /// Writes the result.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        AtomicFile::write(&self.path, text)
    }
}
