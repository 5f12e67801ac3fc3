//! The six categories (T2-HEFESTO-01).

word_enum! {
    /// What a skill is about, as far as the recommended categories go.
    Category {
        /// Writing and changing code; also whatever names no other category.
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
