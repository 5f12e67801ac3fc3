//! Enums whose variants are words: the same word in the database, in JSON, as an argument and on the screen.

/// Declares such an enum, with `ALL`, `word`, parsing, and its conversions to JSON and SQL.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[allow(unreachable_pub, reason = "some of these enums are used within one module only")]
        pub enum $name {
            $($(#[$of])* #[serde(rename = $word)] $variant,)+
        }

        #[allow(unreachable_pub, reason = "as the enum")]
        impl $name {
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                let known = || format!("{word:?} is not one of {}", [$($word),+].join(", "));
                Self::ALL.into_iter().find(|one| one.word() == word).ok_or_else(known)
            }
        }

        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.word().into())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
                value.as_str()?.parse().map_err(|error: String| rusqlite::types::FromSqlError::Other(error.into()))
            }
        }
    };
}
