//! A clock that also counts the time for which the machine was suspended.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Returns the time since the machine started, which never goes back. On systems without such a clock, the time for
/// which the machine was suspended is not counted.
pub(crate) fn time_since_boot() -> Duration {
    #[cfg(target_os = "linux")]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    const CLOCK: ClockId = ClockId::Monotonic;
    clock_gettime(CLOCK).try_into().unwrap_or_default()
}
