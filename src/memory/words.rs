//! Enums whose variants are stored as words in the database.

/// A [`word_enum`] with its conversions to and from SQL.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($body:tt)+ }) => {
        word_enum! { $(#[$about])* $name { $($body)+ } }

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
