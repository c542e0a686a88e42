//! The memory use of the process.

/// Returns the resident memory of the process in bytes, if the system reports it.
pub(super) fn resident_bytes() -> Option<u64> {
    resident_bytes_in(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn resident_bytes_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_in_kibibytes() {
        assert_eq!(resident_bytes_in("Name:\tx\nVmRSS:\t   1234 kB\nThreads:\t1\n"), Some(1234 * 1024));
        for other in [
            "",
            "VmRSS:",
            "VmRSS: many kB",
            "VmRSS: 99999999999999999999 kB",
            "VmRSS: 18446744073709551615 kB",
        ] {
            assert_eq!(resident_bytes_in(other), None, "{other}");
        }
    }
}
