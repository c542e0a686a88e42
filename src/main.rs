//! The `lastnim` program; see [`lastnim`].

use std::process::ExitCode;

/// This allocator returns memory to the system after sessions end, unlike the C library's allocator.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    lastnim::main()
}
