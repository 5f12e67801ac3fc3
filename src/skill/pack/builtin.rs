//! The packs that come with hefesto: one line for each file of `templates/domains/`.

macro_rules! packs {
    ($($id:literal),* $(,)?) => {
        /// Id and text of each built-in pack, by id.
        pub const BUILT_IN: &[(&str, &str)] =
            &[$(($id, include_str!(concat!("../../../templates/domains/", $id, ".toml")))),*];
    };
}

packs![];
