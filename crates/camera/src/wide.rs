//! Loops over pixels and vertices, with wide instructions where the processor has them.

use fearless_simd::{Level, prelude::*};

/// Does `work` compiled for AVX2 where there is AVX2: what is inlined into it (everything here is) computes eight numbers at
/// a time. Products and sums stay apart, so the bits are those of the plain way.
#[inline(always)]
pub(crate) fn wide<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(simd) = Level::new().as_avx2() {
        return simd.vectorize(work);
    }
    work()
}
