//! Memory that a call would take, looked at before it is asked for: who asks for more than there is loses the program.

use std::fs;

/// A call below this takes what it needs without a look [bytes].
const SMALL: u128 = 256 << 20;
/// Taken to be free where the system does not say [bytes].
const UNKNOWN: u64 = 8 << 30;

/// A call would take more memory than there is.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} needs {needed:.1} GB of memory, and {free:.1} GB are free: {remedy}")]
pub struct NoMemory {
    /// The subject of the sentence, with its size.
    pub what: String,
    /// Memory that the call would take [GB].
    pub needed: f64,
    /// Memory that is left [GB].
    pub free: f64,
    pub remedy: &'static str,
}

/// Refuses a call that would take more memory than is free.
///
/// # Errors
///
/// If `bytes` are more than the system says it has left, for this process and its group of processes.
pub fn check_memory(
    bytes: u128,
    what: impl FnOnce() -> String,
    remedy: &'static str,
) -> Result<(), NoMemory> {
    if bytes <= SMALL {
        return Ok(());
    }
    let free = free_bytes();
    if bytes <= u128::from(free) {
        return Ok(());
    }
    let gigabytes = |bytes: f64| bytes / 1e9;
    Err(NoMemory { what: what(), needed: gigabytes(bytes as f64), free: gigabytes(free as f64), remedy })
}

/// Refuses dense matrices of n rows and columns that do not fit.
///
/// # Errors
///
/// The conditions are those of [`check_memory`].
pub fn check_square(n: usize, matrices: usize, what: &str, remedy: &'static str) -> Result<(), NoMemory> {
    let bytes = (n as u128).pow(2) * 8 * matrices as u128;
    check_memory(bytes, || format!("{what} of {n} × {n} numbers"), remedy)
}

/// Memory that can still be had [bytes]: what the machine has left, what its group of processes may take, and what this process
/// may address.
pub fn free_bytes() -> u64 {
    let read = |file: &str| fs::read_to_string(file).ok();
    let kilobytes = |text: &str, name: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(name))?;
        Some(1024 * line.trim_start_matches(':').split_whitespace().next()?.parse::<u64>().ok()?)
    };
    let number = |file: &str| read(file)?.trim().parse::<u64>().ok();
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemAvailable"));
    let group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(most, taken)| most.saturating_sub(taken));
    let address = read("/proc/self/limits").and_then(|text| {
        let line = text.lines().find_map(|l| l.strip_prefix("Max address space"))?;
        let most: u64 = line.split_whitespace().next()?.parse().ok()?;
        let taken = read("/proc/self/status").and_then(|text| kilobytes(&text, "VmSize")).unwrap_or(0);
        Some(most.saturating_sub(taken))
    });
    [machine, group, address].into_iter().flatten().min().unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_is_refused_with_its_size() {
        assert!(free_bytes() > 1 << 20);
        assert_eq!(check_square(1000, 3, "matrices", "take fewer"), Ok(()));
        let told = check_square(60_000_000, 1, "a mass matrix", "take fewer").unwrap_err().to_string();
        assert!(
            told.starts_with("a mass matrix of 60000000 × 60000000 numbers needs 28800000.0 GB"),
            "{told}"
        );
        assert!(told.ends_with("GB are free: take fewer"), "{told}");
    }
}
