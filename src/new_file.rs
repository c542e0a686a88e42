//! Files that get their final name only when they are complete.

use crate::Failure;
use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    process,
};

/// Creates a folder unless it exists.
pub fn create_folder(path: &Path) -> Result<(), Failure> {
    create_folder_with(&mut DirBuilder::new(), path)
}

/// Creates a folder that only its owner can enter, unless it exists.
pub fn create_private_folder(path: &Path) -> Result<(), Failure> {
    create_folder_with(DirBuilder::new().mode(0o700), path)
}

fn create_folder_with(builder: &mut DirBuilder, path: &Path) -> Result<(), Failure> {
    if path.exists() && !path.is_dir() {
        return Err(Failure::input(format!("{}: not a folder", path.display())));
    }
    builder.recursive(true).create(path).map_err(|error| Failure::runtime(error, path.display()))
}

/// A file that is being written under a temporary name in the same folder. If it is not finished, it is removed, and an
/// existing file with the final name stays unchanged.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    temporary: PathBuf,
    output: BufWriter<File>,
}

impl AtomicFile {
    /// Creates a file under its temporary name.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        Self::begin(path, File::options().create(true).truncate(true))
    }

    fn begin(path: &Path, options: &mut OpenOptions) -> Result<Self, Failure> {
        let what = path.display();
        let name = path
            .file_name()
            .ok_or_else(|| Failure::input(format!("{what}: expected a path that ends in a file name")))?;
        let temporary = path.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), process::id()));
        let file = options.write(true).open(&temporary).map_err(|error| Failure::runtime(error, what))?;
        Ok(Self { path: path.to_owned(), temporary, output: BufWriter::new(file) })
    }

    /// Syncs the file to disk and renames it to its final name.
    pub fn finish(mut self) -> Result<(), Failure> {
        let synced = self.output.flush().and_then(|()| self.output.get_ref().sync_all());
        synced.map_err(|error| Failure::runtime(error, self.path.display()))?;
        self.rename_to_final()
    }

    fn rename_to_final(mut self) -> Result<(), Failure> {
        let named = self.output.flush().and_then(|()| fs::rename(&self.temporary, &self.path));
        named.map_err(|error| Failure::runtime(error, self.path.display()))
    }

    /// Writes a whole file.
    pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
        Self::create(path)?.write_text(text)?.finish()
    }

    /// Writes a whole file without waiting until it is on the disk. This is faster for a large number of files that can
    /// be written again. After a power failure the file may be empty.
    pub fn write_unsynced(path: &Path, text: &str) -> Result<(), Failure> {
        Self::create(path)?.write_text(text)?.rename_to_final()
    }

    /// Writes a whole file that only its owner may read.
    pub fn write_private(path: &Path, text: &str) -> Result<(), Failure> {
        Self::begin(path, File::options().create_new(true).mode(0o600))?.write_text(text)?.finish()
    }

    fn write_text(mut self, text: &str) -> Result<Self, Failure> {
        self.write_all(text.as_bytes()).map_err(|error| Failure::runtime(error, self.path.display()))?;
        Ok(self)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // An error is ignored: once the file has its final name, there is nothing to remove.
        let _ = fs::remove_file(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;

    #[test]
    fn a_file_gets_its_name_only_once_it_is_complete() {
        let folder = env::temp_dir().join(format!("lastnim-new-file-{}", process::id()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join("a.txt");
        AtomicFile::write(&path, "one").unwrap();
        let mut second = AtomicFile::create(&path).unwrap();
        second.write_all(b"two").unwrap();
        second.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        drop(second);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing half-written is left");
        AtomicFile::write(&path, "three").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        fs::remove_dir_all(&folder).unwrap();
        let refused = AtomicFile::create(&folder.join("gone").join("a.txt")).unwrap_err().to_string();
        assert!(refused.contains("a.txt: "), "{refused}");
    }
}
