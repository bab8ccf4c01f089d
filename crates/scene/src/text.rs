//! Files that users give: read whole, unless they are no file or too large to be meant.

use std::io::Read;
use std::path::Path;

/// Refuses what is not a regular file, before it is opened: a pipe waits for its writer, a device may never end.
pub fn check_file(path: &Path) -> Result<u64, String> {
    let about = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if about.is_file() { Ok(about.len()) } else { Err("not a regular file".to_owned()) }
}

/// A regular file of at most `limit` bytes, of text in UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, String> {
    String::from_utf8(read_bytes(path, limit)?).map_err(|_| "not UTF-8 text".to_owned())
}

/// A regular file of at most `limit` bytes.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let size = check_file(path)?;
    if size > limit {
        return Err(format!("{size} bytes long; at most {limit} are read"));
    }
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_a_sensible_size_are_read() {
        let path = std::env::temp_dir().join(format!("stiction-scene-{}.txt", std::process::id()));
        std::fs::write(&path, "eight by").unwrap();
        assert_eq!(read_text(&path, 8).unwrap(), "eight by");
        assert!(read_text(&path, 7).unwrap_err().contains("8 bytes"));
        let folder = path.parent().unwrap();
        assert!(read_text(folder, 8).unwrap_err().contains("regular"));
        assert!(read_text(&folder.join("none"), 8).is_err());
    }
}
