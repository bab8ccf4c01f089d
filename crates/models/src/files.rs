//! Files as texts and bytes: regular ones, of bounded size.

use crate::error::LoadError;
use crate::xml::MAX_TEXT;
use std::io::Read;
use std::path::Path;

/// The text of a file that is not too large.
pub(crate) fn read_text(path: &Path) -> Result<String, LoadError> {
    let unread = |reason: String| LoadError::Read { path: path.to_owned(), reason };
    let bytes = read_bytes(path, MAX_TEXT as u64).map_err(unread)?;
    String::from_utf8(bytes).map_err(|e| {
        unread(format!("not UTF-8 text (byte {}); expected an XML file", e.utf8_error().valid_up_to()))
    })
}

/// A regular file of at most `limit` bytes.
pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    // Looked at before it is opened: opening a pipe waits for its writer.
    let about = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if !about.is_file() {
        return Err("not a regular file".to_owned());
    }
    if about.len() > limit {
        return Err(format!("{} bytes long; at most {limit} are read", about.len()));
    }
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}
