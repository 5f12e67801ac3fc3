//! The one-line settings in the configuration files of Jest, Vitest, Playwright and Cypress.

use super::lines::{code, name};
use super::{Fact, Facts, Kind, Source, settings};

/// Settings that change how tests are run or read.
const KEYS: &[&str] = &[
    "testEnvironment", "environment", "testTimeout", "timeout", "expect", "maxWorkers", "workers", "retries", "retry",
    "bail", "randomize", "globals", "preset", "testMatch", "include", "testDir", "setupFiles", "setupFilesAfterEnv",
    "globalSetup", "baseURL", "baseUrl", "fullyParallel", "forbidOnly", "trace", "video", "pool", "isolate",
    "sequence", "command", "reuseExistingServer", "statements", "branches", "lines", "functions", "specPattern",
];

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let tool = name(source.path).split('.').next().unwrap_or_default().to_owned();
    for key in ["coverageThreshold", "thresholds"] {
        if let Some((line, value)) = settings::bracketed(source.text, key) {
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            let fact = Fact::new(Kind::TestConfig, format!("{tool}: {}", code(&value))).id(format!("{tool}-{key}"));
            out.put(source, line, fact.about(&tool).about("test coverage"));
        }
    }
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim().trim_end_matches(',');
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (key.trim_matches(['"', '\'', ' ']), value.trim());
        let whole = !value.is_empty() && !value.ends_with(['{', '[', '(', '+']) && !value.starts_with("//");
        if !KEYS.contains(&key) || !whole {
            continue;
        }
        let fact = Fact::new(Kind::TestConfig, format!("{tool}: {}", code(&format!("{key}: {value}"))));
        out.put(source, number + 1, fact.id(format!("{tool}-{key}")).about(&tool).about("test").about(key));
    }
}
