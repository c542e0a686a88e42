//! The `lastnim` program; see [`lastnim`].

use std::process::ExitCode;

/// Gives memory back to the system when sessions are gone, which the C library's does not.
#[cfg(all(feature = "jemalloc", not(target_env = "msvc")))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    lastnim::main()
}
