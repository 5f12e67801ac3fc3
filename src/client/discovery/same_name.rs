//! What a client does with two skills of the same name.

use super::{Reach, Scope, Standing};
use crate::client::target::{Target, Twice, reads};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Both are listed, and invoking the name invokes neither.
    Uncallable,
    /// Both are listed, the project's and the user's.
    BothScopes,
    /// The first is used, and the client warns about the other.
    Complains,
    /// One of them is used, and not always the same.
    Either,
    /// The user's own is used, or the one for everybody on the machine before it.
    UserWins,
    /// The first is used.
    Hides,
}

impl Beside {
    /// The outcome for two skills in these scopes with different paths.
    pub fn of(target: &Target, one: Scope, other: Scope) -> Self {
        let (twice, user_wins) = reads(target).map_or((Twice::First, false), |known| (known.twice, known.user_wins));
        match twice {
            Twice::Both => Self::Uncallable,
            Twice::OnePerScope if one != other => Self::BothScopes,
            Twice::Complains => Self::Complains,
            Twice::Either => Self::Either,
            Twice::First if user_wins && one != other => Self::UserWins,
            Twice::First | Twice::OnePerScope => Self::Hides,
        }
    }
}

impl Reach {
    /// The other skills of the same name that a target's client finds, in its order. A link to the same folder is the
    /// same skill, except for a client that warns about it all the same.
    pub fn rivals(&mut self, target: &Target, own: &Standing) -> Vec<(Standing, Beside)> {
        let mut found: Vec<(Standing, Beside)> = Vec::new();
        for other in self.found(target).iter().filter(|other| other.name == own.name) {
            let beside = Beside::of(target, own.scope, other.scope);
            let same = other.shown == own.shown || (other.real == own.real && beside != Beside::Complains);
            // If the directories of a scope count as one, only the first of them counts.
            let counted = beside == Beside::BothScopes && found.iter().any(|(known, _)| known.scope == other.scope);
            if !same && !counted {
                found.push((other.clone(), beside));
            }
        }
        found
    }

    /// The same in sentences.
    pub fn rival_messages(&mut self, target: &Target, own: &Standing) -> Vec<String> {
        let order = self.found(target);
        let rank = |one: &Standing| order.iter().position(|known| known.shown == one.shown);
        let rivals = self.rivals(target, own);
        rivals
            .iter()
            .map(|(other, beside)| {
                let (title, own_path, path) = (&target.title, &own.shown, &other.shown);
                let (first, second) = if rank(other) < rank(own) { (path, own_path) } else { (own_path, path) };
                match beside {
                    Beside::Uncallable => {
                        let call = target.invoke.replace("NAME", &own.name);
                        format!("{title} lists it twice, as {path} is there too, and `{call}` calls neither.")
                    }
                    Beside::BothScopes => format!("{title} lists it twice, as {path} is there too."),
                    Beside::Complains => format!("{title} uses {first} and complains of {second}."),
                    Beside::Either => format!("{title} uses {own_path} or {path}, not always the same."),
                    Beside::UserWins => {
                        let winner = if rank(other) < rank(own) { other } else { own };
                        format!("{title} uses {first}: {} win.", winner.scope.skills())
                    }
                    Beside::Hides => format!("{title} uses {first} and hides {second}."),
                }
            })
            .collect()
    }
}
