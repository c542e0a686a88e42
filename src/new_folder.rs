//! Folders that get their final name only when they are complete.

use crate::Failure;
use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
};

/// A folder that is being written under a temporary name beside its final one. If it is not finished, it is removed.
#[derive(Debug)]
pub struct AtomicFolder {
    path: PathBuf,
    temporary: PathBuf,
}

impl AtomicFolder {
    /// Creates an empty folder under a temporary name.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let what = path.display();
        let name = path
            .file_name()
            .ok_or_else(|| Failure::input(format!("{what}: expected a path that ends in a folder's name")))?;
        let temporary = path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), process::id()));
        fs::create_dir(&temporary).map_err(|error| Failure::runtime(error, what))?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    /// Returns the path of a file in the folder while it is being written. Creates the folders above the file.
    ///
    /// # Errors
    /// If a folder cannot be created.
    pub fn file_path(&self, name: &str) -> Result<PathBuf, Failure> {
        let file = self.temporary.join(name);
        let folder = file.parent().unwrap_or(&self.temporary);
        fs::create_dir_all(folder).map_err(|error| Failure::runtime(error, self.path.display()))?;
        Ok(file)
    }

    /// Renames the folder to its final name. An existing folder with that name is removed.
    pub fn finish(self) -> Result<(), Failure> {
        let earlier = self.temporary.with_extension("old");
        let moved = match fs::rename(&self.path, &earlier) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::rename(&self.temporary, &self.path),
        };
        moved.map_err(|error| Failure::runtime(error, self.path.display()))?;
        match fs::remove_dir_all(&earlier) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Failure::runtime(error, earlier.display()))
            }
            _ => Ok(()),
        }
    }
}

impl Drop for AtomicFolder {
    fn drop(&mut self) {
        // An error is ignored: once the folder has its final name, there is nothing to remove.
        let _ = fs::remove_dir_all(&self.temporary);
    }
}
