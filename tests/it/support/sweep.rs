//! How much of a sweep is done.

/// Every so many-th point by default, every point with `HEFESTO_SWEEP=full`.
pub(crate) fn stride(default: usize) -> usize {
    if std::env::var("HEFESTO_SWEEP").is_ok_and(|value| value == "full") { 1 } else { default }
}
