//! How times and shares are written in JSON.

use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// RFC 3339 UTC to the second; `None` for years that cannot be written.
pub fn seconds(at: i64) -> Option<String> {
    Timestamp::from_millisecond(at).ok().map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

pub fn millis(at: i64) -> String {
    Timestamp::from_millisecond(at).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

pub fn share(share: f64) -> f64 {
    (share * 10_000.0).round() / 10_000.0
}

pub(super) fn as_seconds<S: Serializer>(at: &i64, to: S) -> Result<S::Ok, S::Error> {
    seconds(*at).unwrap_or_default().serialize(to)
}

pub(super) fn as_seconds_if<S: Serializer>(at: &Option<i64>, to: S) -> Result<S::Ok, S::Error> {
    at.map(|at| seconds(at).unwrap_or_default()).serialize(to)
}

/// Null for no time.
pub(super) fn as_seconds_or_null<S: Serializer>(at: &i64, to: S) -> Result<S::Ok, S::Error> {
    seconds(*at).filter(|_| *at > 0).serialize(to)
}

pub(super) fn as_millis<S: Serializer>(at: &i64, to: S) -> Result<S::Ok, S::Error> {
    millis(*at).serialize(to)
}

pub(super) fn as_share<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
    share(*number).serialize(to)
}
