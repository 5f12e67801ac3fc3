//! The arguments of `hefesto templates`. No behaviour.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Templates {
    /// Every template: where it comes from, its version, what it takes the place of
    List,
    /// One template's text, and the variables it may use
    Show {
        /// The template; may be left out with --variables
        #[arg(required_unless_present = "variables")]
        name: Option<String>,
        /// The variables of templates, and which of them this one uses
        #[arg(long)]
        variables: bool,
    },
    /// Begin a template of the project's own: a copy of the built-in one in `.hefesto/templates/`
    New {
        /// Its name: lowercase letters, digits and single hyphens
        name: String,
    },
    /// Render templates with sample values and check what comes out for every client
    Check {
        /// The template; none checks all
        name: Option<String>,
    },
}
