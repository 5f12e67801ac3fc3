//! airflow.cfg: what limits how many tasks run, and where.

use super::lines::code;
use super::{Fact, Facts, Kind, Source, ini};

/// Keys that decide whether a task starts.
const KEYS: &[&str] = &[
    "executor", "parallelism", "max_active_tasks_per_dag", "max_active_runs_per_dag", "dag_concurrency",
    "default_queue", "default_pool_task_slot_count", "worker_concurrency", "task_queued_timeout",
    "dags_are_paused_at_creation", "dagbag_import_timeout", "dag_file_processor_timeout",
];

/// One fact for each section.
pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    let entries = ini::entries(source.text);
    let kept: Vec<_> =
        entries.iter().filter(|entry| KEYS.contains(&entry.key) && !entry.value.contains('\n')).collect();
    for section in kept.chunk_by(|one, other| one.section == other.section) {
        let Some(first) = section.first() else { continue };
        let said: Vec<String> = section.iter().map(|entry| code(&format!("{} = {}", entry.key, entry.value))).collect();
        let text = format!("Airflow {}: {}", code(&format!("[{}]", first.section)), said.join(", "));
        let fact = Fact::new(Kind::Variable, text).id(format!("airflow-{}", first.section));
        let fact = fact.about("airflow dag dags task tasks queue queued worker scheduler").about(&said.join(" "));
        out.put(source, first.line, fact);
    }
}
