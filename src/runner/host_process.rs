//! Protects this process from the bots' programs, which other people wrote.
//!
//! The programs run as the same user, so this process hides its memory, which has the admin token and the signing key.
//! If this process adopts orphans, because it is the first process of a container or a subreaper, it waits for those
//! that have ended; otherwise they would stay as zombies.

use crate::hidden_memory::hide_memory;
use std::{
    collections::BTreeSet,
    fs, io,
    process::{Child, Command},
    sync::{Mutex, MutexGuard, Once, PoisonError},
    thread,
    time::Duration,
};

/// How often this process looks for orphans that have ended.
const ORPHAN_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The children that [`wait_for_child`] waits for, and that are therefore not treated as orphans.
static AWAITED_CHILDREN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Starts a child, which [`wait_for_child`] must wait for.
pub fn spawn_child(command: &mut Command) -> io::Result<Child> {
    static PREPARED: Once = Once::new();
    PREPARED.call_once(prepare_process);
    // The lock is held until the child is registered, because the child may end at once.
    let mut awaited = lock_awaited();
    let child = command.spawn()?;
    awaited.insert(child.id());
    Ok(child)
}

/// Waits for a child that [`spawn_child`] started.
pub fn wait_for_child(child: &mut Child) {
    // An error is ignored: it only means that other code has already waited.
    let _ = child.wait();
    lock_awaited().remove(&child.id());
}

fn lock_awaited() -> MutexGuard<'static, BTreeSet<u32>> {
    AWAITED_CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn prepare_process() {
    hide_memory();
    if adopts_orphans() {
        let reaper = thread::Builder::new().name("orphans".into()).spawn(|| {
            loop {
                thread::sleep(ORPHAN_POLL_INTERVAL);
                reap_orphans();
            }
        });
        if let Err(error) = reaper {
            tracing::warn!(%error, "cannot start the thread that reaps orphaned processes: they remain zombies until this process ends");
        }
    }
}

/// Returns whether this process becomes the parent of children whose own parent has ended.
fn adopts_orphans() -> bool {
    #[cfg(target_os = "linux")]
    if rustix::process::child_subreaper().is_ok_and(|subreaper| subreaper.is_some()) {
        return true;
    }
    rustix::process::getpid().is_init()
}

/// Waits for the orphans that have ended.
fn reap_orphans() {
    use rustix::process::{Pid, WaitOptions, waitpid};
    let Ok(processes) = fs::read_dir("/proc") else { return };
    let own = std::process::id();
    for process in processes.filter_map(Result::ok) {
        let Some(id) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // A process that no longer exists need not be waited for.
        let Ok(stat) = fs::read_to_string(process.path().join("stat")) else { continue };
        if zombie_parent(&stat) == Some(own) && !lock_awaited().contains(&id) {
            // An error is ignored: it only means that other code has already waited.
            let _ = i32::try_from(id)
                .ok()
                .and_then(Pid::from_raw)
                .map(|id| waitpid(Some(id), WaitOptions::NOHANG));
        }
    }
}

/// Returns the parent of a process that has ended, from its line in `/proc/PID/stat`; `None` if it is still running.
fn zombie_parent(stat: &str) -> Option<u32> {
    // The name of the program, which comes before, may contain any characters.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.strip_prefix("Z ")?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zombies_are_recognised_by_their_state() {
        assert_eq!(zombie_parent("42 (sh) Z 7 42 1 0"), Some(7));
        assert_eq!(zombie_parent("42 (sh) S 7 42 1 0"), None);
        assert_eq!(zombie_parent("42 (a) Z 1 ) S 7 42"), None, "a process chooses its name");
        assert_eq!(zombie_parent(""), None);
    }
}
