#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| lastnim_fuzz::config_file::check(input));
