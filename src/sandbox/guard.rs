//! The first process of a sandbox, which watches what the bot uses.
//!
//! The end of this process ends all processes of the sandbox. It hides its memory, so the bot cannot trace it, and the
//! system protects the first process of a sandbox from the signals of the others.

use super::{SandboxLimits, host::send_listener};
use rustix::{
    fs::statvfs,
    process::{Pid, Resource, Rlimit, WaitOptions, getpid, setrlimit, waitpid},
};
use std::{
    fs::{self, File},
    io::{self, PipeReader, Read as _, Write as _},
    net::{Ipv4Addr, TcpListener},
    os::fd::{AsFd as _, OwnedFd},
    process::Child,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// The folders in which a sandboxed bot can write.
pub(super) const SCRATCH_FOLDERS: [&str; 2] = ["/tmp", "/dev/shm"];
/// The port of the server inside a sandbox.
pub(super) const SERVER_PORT: u16 = 7600;
/// The maximum number of files in a scratch folder. Even an empty file takes up memory of the kernel.
const MAX_SCRATCH_FILES: u64 = 16_384;
/// The unit of processor times in `/proc`, on all systems that Rust supports.
const CLOCK_TICK: Duration = Duration::from_millis(10);
/// How long the guard waits for the last output of an ended bot, whose children may keep it open.
const OUTPUT_GRACE: Duration = Duration::from_secs(1);

/// Watches what a sandboxed bot uses.
#[derive(Debug)]
pub struct Guard {
    limits: SandboxLimits,
    printed: Arc<AtomicU64>,
    /// Closed once all output has been read.
    output_read: Option<mpsc::Receiver<()>>,
}

/// What the processes of a sandbox use together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Usage {
    memory_bytes: u64,
    /// Processes and threads.
    tasks: u64,
    cpu_ticks: u64,
}

/// A line of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
struct ProcessStat {
    is_zombie: bool,
    parent: u32,
    own_ticks: u64,
    /// The processor time of its ended children.
    child_ticks: u64,
    threads: u64,
}

impl Guard {
    /// Prepares this process, which must be the first one of a sandbox, and listens for the bot's connections.
    ///
    /// # Errors
    /// If this process is not the first one of a sandbox, or the system refuses a limit.
    pub fn enter(limits: SandboxLimits) -> io::Result<Self> {
        if !getpid().is_init() {
            return Err(io::Error::other("only the first process of a sandbox can apply --limits"));
        }
        // If memory is short, the system ends bots first.
        fs::write("/proc/self/oom_score_adj", "1000")?;
        // The guard ends the bot at a limit; a process cannot go beyond twice the limit in the meantime.
        let hard = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(Resource::Data, hard(limits.memory_bytes.saturating_mul(2)))?;
        setrlimit(Resource::Nproc, hard(u64::from(limits.processes) * 2))?;
        setrlimit(Resource::Core, hard(0))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, SERVER_PORT))?;
        send_listener(io::stdin().as_fd(), listener.as_fd())?;
        Ok(Self { limits, printed: Arc::default(), output_read: None })
    }

    /// Returns the end of a pipe for the bot's output, which is forwarded to this process's standard error.
    pub fn open_output(&mut self) -> io::Result<OwnedFd> {
        let (reader, writer) = io::pipe()?;
        let (target, printed) =
            (File::from(io::stderr().as_fd().try_clone_to_owned()?), self.printed.clone());
        let (sender, receiver) = mpsc::channel();
        let most = self.limits.output_bytes;
        thread::Builder::new().name("output".into()).spawn(move || {
            forward_output(reader, target, &printed, most);
            drop(sender);
        })?;
        self.output_read = Some(receiver);
        Ok(writer.into())
    }

    /// Waits a moment for the output of an ended bot.
    pub fn wait_for_output(&self) {
        if let Some(output_read) = &self.output_read {
            // A child that the bot left behind may still print; it ends with the sandbox.
            let _ = output_read.recv_timeout(OUTPUT_GRACE);
        }
    }

    /// Describes the limit that the bot has passed; `None` if it has passed no limit.
    pub fn passed_limit(&self, bot: &Child) -> Option<String> {
        let Usage { memory_bytes, tasks, cpu_ticks } = measure_usage(bot.id());
        let limits = &self.limits;
        let cpu = CLOCK_TICK.saturating_mul(u32::try_from(cpu_ticks).unwrap_or(u32::MAX));
        let key = if memory_bytes > limits.memory_bytes {
            "memory"
        } else if tasks > u64::from(limits.processes) {
            "processes"
        } else if cpu > limits.cpu {
            "cpu"
        } else if self.printed.load(Ordering::Relaxed) > limits.output_bytes {
            "output"
        } else if SCRATCH_FOLDERS.iter().any(|folder| is_overfull(folder, limits.scratch_bytes)) {
            "scratch"
        } else {
            return None;
        };
        Some(format!("it exceeded the limit {} of its sandbox", limits.describe(key)))
    }
}

/// Forwards output to `target`, and stops after `most` bytes.
fn forward_output(mut reader: PipeReader, mut target: File, printed: &AtomicU64, most: u64) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = reader.read(&mut buffer) {
        // If the output cannot be written, it is lost: the bot must not wait for a full disk.
        let _ = target.write_all(&buffer[..read]);
        if printed.fetch_add(read as u64, Ordering::Relaxed) + read as u64 > most {
            return;
        }
    }
}

/// Adds up what the processes of the sandbox use, and waits for orphans that have ended.
fn measure_usage(bot: u32) -> Usage {
    let mut usage = Usage::default();
    let own = std::process::id();
    for process in fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok) {
        let Some(id) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        // A process that no longer exists uses nothing.
        let stat = fs::read_to_string(process.path().join("stat"));
        let Some(stat) = stat.ok().and_then(|stat| ProcessStat::parse(&stat)) else { continue };
        usage.cpu_ticks += stat.child_ticks;
        if id == own {
            continue;
        }
        usage.cpu_ticks += stat.own_ticks;
        usage.tasks += stat.threads;
        let status = fs::read_to_string(process.path().join("status")).unwrap_or_default();
        usage.memory_bytes += private_bytes(&status);
        if stat.is_zombie && stat.parent == own && id != bot {
            let id = i32::try_from(id).ok().and_then(Pid::from_raw);
            // An error is ignored: the next measurement tries again.
            let _ = id.map(|id| waitpid(Some(id), WaitOptions::NOHANG));
        }
    }
    usage
}

impl ProcessStat {
    /// Parses the line; `None` if it is damaged.
    fn parse(line: &str) -> Option<Self> {
        // The name of the program, which comes before, may contain any characters.
        let fields: Vec<_> = line.rsplit_once(") ")?.1.split(' ').collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Self {
            is_zombie: *fields.first()? == "Z",
            parent: fields.get(1)?.parse().ok()?,
            own_ticks: number(11)? + number(12)?,
            child_ticks: number(13)? + number(14)?,
            threads: number(17)?,
        })
    }
}

/// Returns the memory in `/proc/PID/status` that a process does not share with files.
fn private_bytes(status: &str) -> u64 {
    let kibibytes = status.lines().filter_map(|line| {
        let rest = line.strip_prefix("RssAnon:").or_else(|| line.strip_prefix("RssShmem:"))?;
        rest.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    });
    kibibytes.sum::<u64>() << 10
}

/// Returns whether a folder that is a file system has more bytes or files than allowed.
fn is_overfull(folder: &str, most: u64) -> bool {
    statvfs(folder).is_ok_and(|stat| {
        let bytes = (stat.f_blocks - stat.f_bfree) * stat.f_frsize;
        bytes > most || stat.f_files.saturating_sub(stat.f_ffree) > MAX_SCRATCH_FILES
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_files_of_the_system_are_parsed() {
        let line = "42 (a) Z b) S 7 42 1 0 -1 4194560 10 20 0 0 11 12 13 14 20 0 5 0 99 1000 10";
        let expected =
            ProcessStat { is_zombie: false, parent: 7, own_ticks: 23, child_ticks: 27, threads: 5 };
        assert_eq!(ProcessStat::parse(line), Some(expected));
        assert_eq!(ProcessStat::parse("42 (sh) Z 7"), None);
        let status = "Name:\tRssAnon: 1 kB\nVmRSS:\t 900 kB\nRssAnon:\t 300 kB\nRssFile:\t 500 kB\nRssShmem:\t 100 kB\n";
        assert_eq!(private_bytes(status), 400 << 10);
    }

    #[test]
    fn processor_time_is_measured_in_clock_ticks() {
        let before = ProcessStat::parse(&fs::read_to_string("/proc/self/stat").unwrap()).unwrap().own_ticks;
        let began = std::time::Instant::now();
        // The loop waits for processor time, so a busy machine only makes it longer.
        let used = loop {
            let now = ProcessStat::parse(&fs::read_to_string("/proc/self/stat").unwrap()).unwrap().own_ticks;
            if now - before >= 20 {
                break CLOCK_TICK * (now - before) as u32;
            }
        };
        let cores = thread::available_parallelism().unwrap().get() as u32;
        assert!(used <= (began.elapsed() + 2 * CLOCK_TICK) * cores, "{used:?} on {cores} cores");
    }
}
