//! Files that are written beside their place and renamed into it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Symbolic links that are followed to the place of a file.
const LINKS: usize = 40;
/// Letters of a file's name that its draft bears: names have at most 255 bytes.
const LETTERS: usize = 60;

/// A file that is being written: a draft in the folder of its place until [`Self::finish`], so that what was there before
/// stays whole, whatever ends the program. A draft that is dropped is removed; one whose program is killed stays, as
/// `.NAME.XXXXXX.part`. What is no regular file (`/dev/stdout`, a pipe) is written straight.
pub struct Beside(Kind);

enum Kind {
    Draft { file: BufWriter<NamedTempFile>, place: PathBuf },
    Straight(BufWriter<File>),
}

impl Beside {
    /// A draft of the file at `path`, whose folder is made if it is absent. Symbolic links are followed.
    ///
    /// # Errors
    ///
    /// If the folder cannot be made or written, or the file that is there may not be written.
    pub fn create(path: &Path) -> io::Result<Self> {
        let place = followed(path)?;
        let folder = place.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let there = match fs::metadata(&place) {
            Ok(about) => Some(about),
            Err(e) if e.kind() == ErrorKind::NotFound => None,
            Err(e) => return Err(e),
        };
        if there.is_some() {
            // Asks for leave to write, and changes nothing; a folder answers with its own error.
            let open = OpenOptions::new().write(true).open(&place)?;
            if there.as_ref().is_some_and(|about| !about.is_file()) {
                return Ok(Self(Kind::Straight(BufWriter::new(open))));
            }
        }
        let mut builder = Builder::new();
        #[cfg(unix)]
        let plain = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        #[cfg(unix)]
        builder.permissions(plain);
        let prefix = prefix(&place);
        let file = builder.prefix(&prefix).suffix(".part").tempfile_in(folder)?;
        if let Some(about) = there {
            file.as_file().set_permissions(about.permissions())?;
        }
        Ok(Self(Kind::Draft { file: BufWriter::new(file), place }))
    }

    /// Puts the draft into its place once the disk has it. On an error what was there before stays.
    ///
    /// # Errors
    ///
    /// If the rest cannot be written (a full disk), or the draft cannot be renamed.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Kind::Draft { file, place } => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.as_file().sync_all()?;
                file.persist(&place).map_err(|e| e.error)?;
                sync_folder(&place);
                Ok(())
            }
            Kind::Straight(mut file) => file.flush(),
        }
    }
}

impl Write for Beside {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Draft { file, .. } => file.write(bytes),
            Kind::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Draft { file, .. } => file.flush(),
            Kind::Straight(file) => file.flush(),
        }
    }
}

impl Seek for Beside {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.0 {
            Kind::Draft { file, .. } => file.seek(to),
            Kind::Straight(file) => file.seek(to),
        }
    }
}

/// Writes a whole file: `path` holds what it held before, or all of `content`.
///
/// # Errors
///
/// The conditions are those of [`Beside::create`] and [`Beside::finish`].
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = Beside::create(path)?;
    file.write_all(content.as_ref())?;
    file.finish()
}

/// The place that symbolic links lead to, which need not be there.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&place) {
            Ok(to) => place = place.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// The beginning of a draft's name.
fn prefix(place: &Path) -> OsString {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    format!(".{}.", name.chars().take(LETTERS).collect::<String>()).into()
}

/// Asks for the name to be kept over a loss of power; file systems that cannot are left as they are.
fn sync_folder(place: &Path) {
    #[cfg(unix)]
    if let Ok(folder) =
        File::open(place.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new(".")))
    {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Until the end what was there before is there; a draft that is given up leaves nothing.
    #[test]
    fn what_was_there_stays_until_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/run.csv");
        write(&path, "old").unwrap();
        let mut file = Beside::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(names(path.parent().unwrap()), ["run.csv"]);
        let mut file = Beside::create(&path).unwrap();
        file.write_all(b"xew").unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.write_all(b"n").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(path.parent().unwrap()), ["run.csv"]);
    }

    /// A name as long as names can be, and one that is a folder.
    #[test]
    fn long_names_have_drafts_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ü".repeat(127));
        write(&path, "x").unwrap();
        assert_eq!(fs::read(path).unwrap(), b"x");
        assert!(write(folder.path(), "x").is_err());
        assert_eq!(names(folder.path()).len(), 1);
    }

    /// The rights of the file that is replaced are kept, links are followed, and a device is written straight.
    #[cfg(unix)]
    #[test]
    fn the_place_stays_what_it_was() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write(&at("new"), "1").unwrap();
        File::create(at("plain")).unwrap();
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("new"), mode("plain"));
        fs::set_permissions(at("new"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("new", at("link")).unwrap();
        write(&at("link"), "2").unwrap();
        assert_eq!((fs::read(at("new")).unwrap(), mode("new")), (b"2".to_vec(), 0o640));
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        symlink("absent", at("dangling")).unwrap();
        write(&at("dangling"), "3").unwrap();
        assert_eq!(fs::read(at("absent")).unwrap(), b"3");
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        assert!(write(&at("a"), "4").unwrap_err().to_string().contains("symbolic links"));
        write(Path::new("/dev/null"), "5").unwrap();
        let full = write(Path::new("/dev/full"), "6");
        assert!(!Path::new("/dev/full").exists() || full.is_err());
    }
}
