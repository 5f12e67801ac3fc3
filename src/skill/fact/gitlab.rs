//! .gitlab-ci.yml: what each job runs, in which stage, and which are manual.

use serde_json::Value;

use super::lines::{code, line_of};
use super::{Fact, Facts, Kind, Risk, Source, ci, yaml};

/// Top-level keys that are no jobs.
const RESERVED: &[&str] = &[
    "default", "include", "stages", "variables", "workflow", "image", "services", "cache", "before_script",
    "after_script",
];

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let Some(root) = yaml::parsed(source.text) else { return };
    let stages: Vec<String> = yaml::list(&root, "stages").filter_map(yaml::scalar).map(|stage| code(&stage)).collect();
    if !stages.is_empty() {
        let fact = Fact::new(Kind::CiJob, format!("CI stages: {}", stages.join(", "))).id("ci-gitlab");
        out.put(source, line_of(source.text, &["stages:"]), fact.about("ci stage pipeline"));
    }
    for (name, job) in root.as_object().into_iter().flatten() {
        if name.starts_with('.') || RESERVED.contains(&name.as_str()) || !job.is_object() {
            continue;
        }
        let deploys = job.get("environment").map(|_| Risk::Deploys).or_else(|| Risk::of_name(name));
        for script in yaml::list(job, "script").filter_map(Value::as_str).take(6) {
            for command in ci::commands(script) {
                ci::run(source, name, &command, deploys, out);
            }
        }
        if job.get("when").and_then(Value::as_str) == Some("manual") {
            let fact = Fact::new(Kind::CiJob, format!("CI job {} is started by a person (`when: manual`)", code(name)));
            out.put(source, line_of(source.text, &[&format!("{name}:"), "when:"]), fact.about("ci manual").about(name));
        }
        if let Some(retry) = job.get("retry").filter(|retry| retry.as_u64() != Some(0)) {
            let times = retry.as_u64().or_else(|| retry.get("max")?.as_u64()).unwrap_or(1);
            let text = format!("CI job {} is run again when it fails: `retry: {times}`", code(name));
            let line = line_of(source.text, &[&format!("{name}:"), "retry:"]);
            out.put(source, line, Fact::new(Kind::CiTest, text).id("ci-reruns").about("ci retry flaky").about(name));
        }
    }
}
