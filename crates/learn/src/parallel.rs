//! Independent pieces of work on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};

/// `work(0)`, …, `work(n − 1)`, in this order whichever thread does which.
pub fn map<T: Send>(n: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(n);
    if threads <= 1 {
        return (0..n).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let job = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= n {
                return done;
            }
            done.push((i, work(i)));
        }
    };
    let mut parts: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(job)).collect();
        workers.into_iter().flat_map(|w| w.join().expect("a piece of work does not panic")).collect()
    });
    parts.sort_by_key(|(i, _)| *i);
    parts.into_iter().map(|(_, t)| t).collect()
}

#[cfg(test)]
mod tests {
    /// Every piece is done once and stands in its place.
    #[test]
    fn pieces_come_back_in_order() {
        assert_eq!(super::map(1000, |i| i * i), (0..1000).map(|i| i * i).collect::<Vec<_>>());
        assert!(super::map(0, |i| i).is_empty());
    }
}
