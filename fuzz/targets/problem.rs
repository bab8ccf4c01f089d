#![no_main]

use stiction_contact::io::{parse, to_json};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(file) = parse(text, "f.json") {
        let again = parse(&to_json(&file.name, &file.problem, None), "again.json");
        assert!(again.is_ok(), "what was read is written, and read again");
    }
});
