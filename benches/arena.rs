//! A benchmark.
fn main() {}
