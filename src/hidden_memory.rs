//! Hides the memory of processes that hold tokens and keys.

/// Prevents other processes of the same user from reading the memory and environment of this process, on systems that
/// support this. The superuser can still read both.
pub fn hide_memory() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!(%error, "cannot hide the memory of this process: other programs of this user can read it");
        }
    }
}
