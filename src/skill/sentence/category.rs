//! The six categories (T2-HEFESTO-01).

word_enum! {
    /// The category of a skill.
    Category {
        /// Writing and changing code; also the default.
        Development = "development",
        Testing = "testing",
        Documentation = "documentation",
        /// Building, shipping and running software.
        Devops = "devops",
        /// Judging the work of others.
        Review = "review",
        Security = "security",
    }
}
