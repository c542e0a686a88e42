//! The memory of processes that have tokens and keys.

/// Denies other processes of the same user to read this one's memory and environment, on systems that can. The superuser
/// still can.
pub fn hide_memory() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!(%error, "other programs of this user may read the memory of this process");
        }
    }
}
