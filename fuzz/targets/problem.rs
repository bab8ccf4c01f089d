#![no_main]

use stiction_problem_files::{Format, read, to_bytes};

// Its first bytes say the format of a file; what says nothing is read as our JSON or, from a digit on, as text.
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(file) = read(data, "f") else { return };
    for format in Format::ALL {
        if let Ok(bytes) = to_bytes(format, &file.name, &file.problem, None) {
            assert!(read(&bytes, "again").is_ok(), "what was read is written, and read again");
        }
    }
});
