#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| stiction_fuzz::robot(data, "f.xml"));
