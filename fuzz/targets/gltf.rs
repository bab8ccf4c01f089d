#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| stiction_fuzz::mesh(data, "gltf"));
