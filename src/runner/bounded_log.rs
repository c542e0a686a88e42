//! A program's output in a file of bounded size.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// The maximum number of bytes kept from the start of the output.
const MAX_HEAD_BYTES: u64 = 512 << 10;
/// The number of bytes kept from the end of the output when the file is shortened.
const MIN_TAIL_BYTES: u64 = 512 << 10;
/// The maximum number of bytes after the head; beyond that, the file is shortened.
const MAX_TAIL_BYTES: u64 = 2 * MIN_TAIL_BYTES;
/// The text that replaces the bytes left out: the parts before and after their number.
const OMISSION_NOTE: [&str; 2] = ["\n[lastnim left out ", " bytes of output here]\n"];
/// The longest note, with a number of 20 digits.
const MAX_NOTE_BYTES: usize = OMISSION_NOTE[0].len() + 20 + OMISSION_NOTE[1].len();

/// The log of a program. All its restarts write to the same log.
#[derive(Debug, Clone)]
pub struct BoundedLog {
    path: PathBuf,
    file: Arc<Mutex<LogFile>>,
}

impl BoundedLog {
    /// Opens a file to append output to it, or creates it.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let file = Arc::new(Mutex::new(LogFile::open(&path)?));
        Ok(Self { path, file })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds output. If it cannot be written, it is lost, and the next output is written in its place.
    pub fn push_bytes(&self, printed: &[u8]) -> io::Result<()> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).push_bytes(printed)
    }
}

/// A file with the start and the end of an output, and a note between them.
#[derive(Debug)]
struct LogFile {
    file: File,
    /// The number of bytes in the file.
    length: u64,
    /// The number of bytes left out after the head.
    left_out: u64,
}

impl LogFile {
    fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let length = file.metadata()?.len();
        let mut note = vec![0; MAX_NOTE_BYTES];
        let note_length = file.read_at(&mut note, MAX_HEAD_BYTES)?;
        Ok(Self { file, length, left_out: read_note(&note[..note_length]).unwrap_or(0) })
    }

    fn push_bytes(&mut self, printed: &[u8]) -> io::Result<()> {
        self.file.write_all_at(printed, self.length)?;
        self.length += printed.len() as u64;
        if self.length > self.tail_start() + MAX_TAIL_BYTES { self.shorten() } else { Ok(()) }
    }

    /// Returns the position at which the output continues after the head and the note.
    fn tail_start(&self) -> u64 {
        MAX_HEAD_BYTES + self.note().len() as u64
    }

    fn note(&self) -> String {
        let [before, after] = OMISSION_NOTE;
        if self.left_out == 0 { String::new() } else { format!("{before}{}{after}", self.left_out) }
    }

    /// Removes the part between the head and the last output.
    fn shorten(&mut self) -> io::Result<()> {
        let kept_from = self.length - MIN_TAIL_BYTES;
        let mut tail = vec![0; MIN_TAIL_BYTES as usize];
        self.file.read_exact_at(&mut tail, kept_from)?;
        self.left_out = self.left_out.saturating_add(kept_from - self.tail_start());
        let kept = [self.note().into_bytes(), tail].concat();
        self.file.write_all_at(&kept, MAX_HEAD_BYTES)?;
        self.length = MAX_HEAD_BYTES + kept.len() as u64;
        self.file.set_len(self.length)
    }
}

/// Reads the number in a note at the start of these bytes; `None` if they do not start with a note. The program may
/// have printed a similar text.
fn read_note(bytes: &[u8]) -> Option<u64> {
    let [before, after] = OMISSION_NOTE;
    let rest = bytes.strip_prefix(before.as_bytes())?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = rest.split_at(digits);
    rest.starts_with(after.as_bytes()).then(|| str::from_utf8(number).ok()?.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs, process};

    /// A file that is removed when the test ends.
    struct TemporaryFile(PathBuf);

    impl TemporaryFile {
        fn new(name: &str) -> Self {
            let path = env::temp_dir().join(format!("lastnim-log-{name}-{}", process::id()));
            // The file exists only if an earlier test was killed.
            let _ = fs::remove_file(&path);
            Self(path)
        }

        fn open(&self) -> BoundedLog {
            BoundedLog::open(self.0.clone()).unwrap()
        }

        fn read(&self) -> Vec<u8> {
            fs::read(&self.0).unwrap()
        }
    }

    impl Drop for TemporaryFile {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    /// Splits a log into head, number of bytes left out, and tail.
    fn parts(log: &[u8]) -> (&[u8], u64, &[u8]) {
        let (head, rest) = log.split_at(MAX_HEAD_BYTES as usize);
        let left_out = read_note(rest).unwrap();
        (
            head,
            left_out,
            &rest[OMISSION_NOTE[0].len() + left_out.to_string().len() + OMISSION_NOTE[1].len()..],
        )
    }

    #[test]
    fn a_bounded_log_keeps_its_head_and_tail_over_several_runs() {
        let file = TemporaryFile::new("runs");
        let mut printed = 0;
        let mut print = |log: &BoundedLog, text: &[u8]| {
            log.push_bytes(text).unwrap();
            printed += text.len() as u64;
            printed
        };
        let log = file.open();
        print(&log, b"first\n");
        print(&log, b"second\n");
        assert_eq!(file.read(), b"first\nsecond\n");
        let kibibyte = [&[b'x'; 1023][..], b"\n"].concat();
        for _ in 0..3 {
            let log = file.open();
            for _ in 0..5000 {
                print(&log, &kibibyte);
            }
            let all = print(&log, b"the end of a run\n");
            let kept = file.read();
            let (head, left_out, tail) = parts(&kept);
            assert!(head.starts_with(b"first\nsecond\nxxx") && tail.ends_with(b"xxx\nthe end of a run\n"));
            assert_eq!(head.len() as u64 + left_out + tail.len() as u64, all, "each byte is kept or counted");
            assert!((MIN_TAIL_BYTES..=MAX_TAIL_BYTES).contains(&(tail.len() as u64)), "{}", tail.len());
        }
    }

    #[test]
    fn a_single_large_output_and_a_large_file_are_shortened() {
        let file = TemporaryFile::new("large");
        fs::write(&file.0, vec![b'a'; 8 << 20]).unwrap();
        file.open().push_bytes(&vec![b'b'; 4 << 20]).unwrap();
        let kept = file.read();
        let (head, left_out, tail) = parts(&kept);
        assert_eq!((head[0], tail[0], tail.len() as u64), (b'a', b'b', MIN_TAIL_BYTES));
        assert_eq!(left_out, (12 << 20) - MAX_HEAD_BYTES - MIN_TAIL_BYTES);
    }

    #[test]
    fn output_that_looks_like_a_note_is_kept() {
        for text in
            ["", "\n[lastnim left out ", "\n[lastnim left out x bytes of output here]\n", "[lastnim left out"]
        {
            assert_eq!(read_note(text.as_bytes()), None, "{text}");
        }
        let too_large = format!("{}{}0{}", OMISSION_NOTE[0], u64::MAX, OMISSION_NOTE[1]);
        assert_eq!(read_note(too_large.as_bytes()), None);
        let largest = LogFile { file: File::open("/dev/null").unwrap(), length: 0, left_out: u64::MAX };
        assert_eq!(read_note(largest.note().as_bytes()), Some(u64::MAX));
    }
}
