//! Many small results as lines of one table, each with its sum.

use crate::records::{Store, StoreError, read};
use crate::{beside, digest};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Letters of the sum of a line.
const LETTERS: usize = 12;
/// The name of the last column.
const SUM: &str = "sum";
const REMEDY: &str = "delete this line, and what it says is computed again";

/// A table of a store to which lines are added. The first column says what a line is of; the last is the sum of the line
/// and of the store's key. Whoever holds it is the only one who writes.
#[derive(Debug)]
pub struct Lines {
    file: File,
    path: PathBuf,
    digest: String,
    length: u64,
}

/// The lines that a table held when it was opened.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// All lines but the first, without their sums.
    pub lines: Vec<String>,
    /// The rest of a line whose writing was cut off, and was taken away.
    pub cut_off: Option<String>,
}

impl Lines {
    /// The table `name` of a store whose columns are `head`, words joined by commas; it is made if it is absent.
    ///
    /// # Errors
    ///
    /// If the table has other columns, a line is damaged, is of another key or says what another line says, or somebody
    /// else is writing.
    pub fn open(store: &Store, name: &str, head: &str) -> Result<(Self, Kept), StoreError> {
        let path = store.folder().join(name);
        let told = |source| StoreError::File { file: path.clone(), source };
        let head = format!("{head},{SUM}");
        let damaged = |what: String, remedy| StoreError::Damaged { file: path.clone(), what, remedy };
        let first = format!("{head}\n");
        if read(&path)?.is_none_or(|bytes| bytes.is_empty()) {
            beside::write(&path, &first).map_err(told)?;
        }
        let file = OpenOptions::new().append(true).open(&path).map_err(told)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(told(io::Error::other(
                    "another process is adding to it; wait for its end, or choose another folder",
                )));
            }
            // File systems without locks are used without.
            Err(TryLockError::Error(_)) => {}
        }
        let bytes = read(&path)?.unwrap_or_default();
        if !bytes.starts_with(first.as_bytes()) {
            let what = "no table of this version".to_owned();
            return Err(damaged(what, "choose another folder, or remove this one"));
        }
        let mut lines =
            Self { file, path: path.clone(), digest: store.digest().to_owned(), length: bytes.len() as u64 };
        let mut kept = Kept::default();
        let mut seen = BTreeMap::new();
        let mut at = first.len();
        for (i, line) in bytes[first.len()..].split_inclusive(|b| *b == b'\n').enumerate() {
            let number = i + 2;
            let whole = line.strip_suffix(b"\n");
            let text = std::str::from_utf8(whole.unwrap_or(line)).unwrap_or_default();
            let good = text.rsplit_once(',').filter(|(says, sum)| lines.sum(says) == *sum);
            match (good, whole) {
                (Some((says, _)), _) => {
                    let of = says.split(',').next().unwrap_or_default().to_owned();
                    if let Some(before) = seen.insert(of.clone(), number) {
                        return Err(damaged(
                            format!("line {number} says what line {before} says, of {of}"),
                            REMEDY,
                        ));
                    }
                    kept.lines.push(says.to_owned());
                    if whole.is_none() {
                        lines.put(b"\n")?;
                    }
                }
                (None, None) => {
                    kept.cut_off = Some(String::from_utf8_lossy(line).into_owned());
                    lines.length = at as u64;
                    lines.file.set_len(lines.length).map_err(told)?;
                }
                (None, Some(_)) => {
                    let what = format!(
                        "line {number} is damaged, or of other inputs: its sum is not that of its text"
                    );
                    return Err(damaged(what, REMEDY));
                }
            }
            at += line.len();
        }
        Ok((lines, kept))
    }

    fn sum(&self, line: &str) -> String {
        let mut all = digest::Digest::new();
        all.bytes(self.digest.as_bytes());
        all.bytes(line.as_bytes());
        let mut sum = all.finish();
        sum.truncate(LETTERS);
        sum
    }

    /// Adds a line, whose first word no other line has.
    ///
    /// # Errors
    ///
    /// If the disk is full or gone; nothing of the line stays.
    pub fn add(&mut self, line: &str) -> Result<(), StoreError> {
        let text = format!("{line},{}\n", self.sum(line));
        self.put(text.as_bytes())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let done = self.file.write_all(bytes);
        if done.is_ok() {
            self.length += bytes.len() as u64;
        } else {
            let _ = self.file.set_len(self.length);
        }
        done.map_err(|source| StoreError::File { file: self.path.clone(), source })
    }

    /// The table's file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;
    use std::fs;

    #[test]
    fn lines_come_back_and_what_is_not_theirs_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &Key::new("t")).unwrap();
        let open = || Lines::open(&store, "t.csv", "seed,x");
        let (mut lines, kept) = open().unwrap();
        assert_eq!(kept, Kept::default());
        assert!(open().unwrap_err().to_string().contains("another process"));
        for line in ["1,0.5", "2,0.25", "3,-"] {
            lines.add(line).unwrap();
        }
        drop(lines);
        let path = folder.path().join("t.csv");
        let good = fs::read_to_string(&path).unwrap();
        assert_eq!(open().unwrap().1.lines, ["1,0.5", "2,0.25", "3,-"]);

        let refused = |text: &str| {
            fs::write(&path, text).unwrap();
            open().unwrap_err().to_string()
        };
        let told = refused(&good.replace("0.25", "0.26"));
        assert!(told.contains("line 3 is damaged") && told.contains("delete this line"), "{told}");
        let second = good.lines().nth(2).unwrap().to_owned() + "\n";
        assert!(refused(&(good.clone() + &second)).contains("line 5 says what line 3 says, of 2"));
        assert!(refused("seed,x\n1,0.5\n").contains("no table of this version"));
        let other = tempfile::tempdir().unwrap();
        let foreign = Store::open(other.path(), &Key::new("u")).unwrap();
        Lines::open(&foreign, "t.csv", "seed,x").unwrap().0.add("9,1").unwrap();
        let theirs = fs::read_to_string(other.path().join("t.csv")).unwrap();
        assert!(
            refused(&(good.clone() + theirs.lines().nth(1).unwrap() + "\n"))
                .contains("line 5 is damaged, or of other")
        );
    }

    /// A last line that was cut off anywhere is taken away and told; the table goes on whole.
    #[test]
    fn a_line_that_was_cut_off_is_told_and_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), &Key::new("t")).unwrap();
        let open = || Lines::open(&store, "t.csv", "seed,x").unwrap();
        let mut lines = open().0;
        lines.add("1,0.5").unwrap();
        lines.add("2,0.25").unwrap();
        drop(lines);
        let path = folder.path().join("t.csv");
        let good = fs::read(&path).unwrap();
        let last = good.len() - "2,0.25,012345678901\n".len();
        for end in last + 1..good.len() {
            fs::write(&path, &good[..end]).unwrap();
            let (mut lines, kept) = open();
            let cut = end < good.len() - 1;
            assert_eq!((kept.lines.len(), kept.cut_off.is_some()), (if cut { 1 } else { 2 }, cut));
            if cut {
                lines.add("2,0.25").unwrap();
            }
            drop(lines);
            assert_eq!(fs::read(&path).unwrap(), good);
        }
    }
}
