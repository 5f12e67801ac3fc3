//! Which targets a skill is for by default, and where their copies go.

use crate::client::target::{Layout, SHARED, Target};
use crate::project::Project;

/// The inputs that decide the layout of a project's skills.
#[derive(Debug, Clone)]
pub struct Layouts<'l> {
    pub project: &'l Project,
    pub settings: &'l crate::config::Settings,
    pub governed: &'l crate::project::open::Governed,
    /// The ids of the targets whose clients are on this machine.
    pub here: Vec<String>,
    /// The clients on this machine that are served through the shared directory.
    pub served: Vec<String>,
    pub flag: Option<Layout>,
}

#[derive(Debug, Clone)]
pub struct Laid {
    pub targets: Vec<Target>,
    /// The clients served by the copy in the shared directory.
    served: Vec<String>,
}

impl Laid {
    /// Which clients the copy in the shared directory serves, in one sentence.
    pub fn told(&self, project: &Project) -> Option<String> {
        let shared = self.targets.iter().find(|target| target.id == SHARED).filter(|_| !self.served.is_empty())?;
        Some(format!("One copy in {} serves {}.", project.display(&shared.skills_dir), self.served.join(", ")))
    }
}

impl Layouts<'_> {
    /// All detected targets, and those a person registered by hand.
    pub fn present(&self) -> Vec<Target> {
        let here = |target: &&Target| self.here.contains(&target.id) || self.governed.manual(&target.id);
        self.settings.targets.iter().filter(here).cloned().collect()
    }

    /// Whether named targets go to the shared directory if their clients read it.
    pub fn shares_named(&self) -> bool {
        self.asked() == Some(Layout::Shared)
    }

    /// The layout of named targets: as named, unless the shared layout is requested.
    pub fn named(&self, targets: Vec<Target>) -> Laid {
        if self.shares_named() { self.shared(targets) } else { Laid { targets, served: Vec::new() } }
    }

    /// The layout of all detected targets: shared if requested or already used in the project, else native. A shared
    /// directory registered by hand counts as used.
    pub fn all(&self, mut here: Vec<Target>) -> Laid {
        let registered = here.iter().any(|target| target.id == SHARED);
        let in_use = || self.settings.targets.get(SHARED).is_some_and(|dir| self.project.is_dir(&dir.skills_dir));
        match self.asked() {
            Some(Layout::Shared) => self.shared(here),
            None if registered || in_use() => self.shared(here),
            Some(Layout::Native) | None => {
                if here.iter().any(|target| target.id != SHARED) {
                    here.retain(|target| target.id != SHARED);
                }
                Laid { targets: here, served: Vec::new() }
            }
        }
    }

    fn asked(&self) -> Option<Layout> {
        self.flag.or(self.settings.layout.value)
    }

    /// One copy in the shared directory, and one for each client that does not read it.
    fn shared(&self, targets: Vec<Target>) -> Laid {
        let Some(agents) = self.settings.targets.get(SHARED).cloned() else {
            return Laid { targets, served: Vec::new() };
        };
        let (readers, mut targets): (Vec<Target>, Vec<Target>) =
            targets.into_iter().partition(|target| target.also_reads.contains(&agents.skills_dir));
        let served = readers.iter().map(|target| &target.id).chain(&self.served).cloned().collect();
        if !targets.iter().any(|target| target.id == SHARED) {
            targets.push(agents);
        }
        Laid { targets, served }
    }
}
