//! Drafting by an AI CLI: the brief it gets, parsing its answer, and the requirements on its skill. Text in, text out.

mod answer;
mod brief;
mod contract;
mod review;

pub use answer::{Answer, Output, read, said_of_failure};
pub use brief::{Assignment, Line, Origin, SYSTEM, again, revision, whole_prompt};
pub use contract::{File, MARK, MOST, MOST_FILE, MOST_FILES, NoReply, Reply, Skill, reply, skill, whole};
pub use review::{MOST_DESCRIPTION, Problem, description_problem, left_out, problems, unknown_commands, usable_tags};
