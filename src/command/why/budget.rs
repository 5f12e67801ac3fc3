//! Whether a client's list of skills has room for a skill's description.

use super::verdict::{Cause, State};
use crate::client::discovery::{Reach, Standing};
use crate::client::target::{Beyond, Target, client};
use crate::rules::fit::Budget;

/// What becomes of the description of a skill where the client's list is too long.
pub(super) fn crowded(reach: &mut Reach, target: &Target, used: &Standing) -> (State, Vec<Cause>) {
    let Some((client, of)) = client(&target.id).and_then(|client| Some((client, client.budget?))) else {
        return (State::Listed, Vec::new());
    };
    let listed = reach.listed(target);
    let budget = Budget::of(client, listed.iter().map(|one| one.cost));
    let (Some(tight), Some(said)) = (budget.short().next(), budget.amount()) else {
        return (State::Listed, Vec::new());
    };
    let own_model = of.limits.first() == Some(tight);
    let (state, becomes) = match of.beyond {
        Beyond::LeastUsed => (State::Listed, "the skills used least are listed by name alone".to_owned()),
        Beyond::Evenly => {
            let state = if own_model { State::Changed } else { State::Listed };
            let share = of.room(tight) * 100 / budget.chars.max(1);
            (state, format!("every description is cut, to about {share} %"))
        }
        Beyond::InOrder => {
            let before = listed.iter().filter(|one| one.name <= used.name).map(|one| one.cost.0 + of.around);
            if before.sum::<usize>() <= of.room(tight) {
                return (State::Listed, Vec::new());
            }
            (State::NameOnly, "from here on in the order of the names only names are listed".to_owned())
        }
    };
    let what = format!("the list of {} skills takes {said}: {becomes}", budget.skills);
    (
        state,
        vec![Cause::new(
            what,
            "Shorten descriptions or remove skills; `hefesto validate --fit` shows what each takes.",
        )],
    )
}
