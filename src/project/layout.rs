//! Which targets a skill goes to where none is named, and where their copies are laid out.

use crate::client::target::{Layout, SHARED, Target};
use crate::config::Settings;
use crate::project::Project;
use crate::project::open::Governed;

/// What decides about the layout of a project's skills.
#[derive(Debug, Clone)]
pub struct Layouts<'l> {
    pub project: &'l Project,
    pub settings: &'l Settings,
    pub governed: &'l Governed,
    /// The ids of the targets whose clients are here.
    pub here: Vec<String>,
    /// The clients here that are served through the shared directory.
    pub served: Vec<String>,
    /// The layout the command line asks for.
    pub flag: Option<Layout>,
}

/// Targets as they are laid out.
#[derive(Debug, Clone)]
pub struct Laid {
    pub targets: Vec<Target>,
    /// The clients that are served by the one copy in the shared directory.
    served: Vec<String>,
}

impl Laid {
    /// Whom the copy in the shared directory serves, in one sentence.
    pub fn told(&self, project: &Project) -> Option<String> {
        let shared = self.targets.iter().find(|target| target.id == SHARED).filter(|_| !self.served.is_empty())?;
        Some(format!("One copy in {} serves {}.", project.display(&shared.skills_dir), self.served.join(", ")))
    }
}

impl Layouts<'_> {
    /// Everything detected, and what a person registered by hand.
    pub fn present(&self) -> Vec<Target> {
        let here = |target: &&Target| self.here.contains(&target.id) || self.governed.manual(&target.id);
        self.settings.targets.iter().filter(here).cloned().collect()
    }

    /// Whether targets that are named go to the shared directory where their clients read it.
    pub fn shares_named(&self) -> bool {
        self.asked() == Some(Layout::Shared)
    }

    /// Targets that were named: as named, unless the shared layout is asked for.
    pub fn named(&self, targets: Vec<Target>) -> Laid {
        if self.shares_named() { self.shared(targets) } else { Laid { targets, served: Vec::new() } }
    }

    /// Everything that is here: shared where that is asked for or the project already keeps skills that way, else
    /// native. A shared directory that was registered by hand counts as one in use.
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
