//! Enums whose variants are words, the same in files, JSON, arguments and on the screen.

/// Declares such an enum, with `ALL`, `word`, `Display`, parsing and its conversions to and from JSON.
macro_rules! word_enum {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(unreachable_pub, reason = "some of these enums are used within one module only")]
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        #[allow(unreachable_pub, dead_code, reason = "as the enum")]
        impl $name {
            /// All variants in order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word of the variant.
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

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::report::Words(&[$($word),+])).map(|at| Self::ALL[at])
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                let known = || format!("{word:?} is not one of {}", [$($word),+].join(", "));
                Self::ALL.into_iter().find(|one| one.word() == word).ok_or_else(known)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    word_enum! {
        Size {
            Small = "small",
            VeryLarge = "very-large",
        }
    }

    #[test]
    fn a_word_is_the_same_everywhere() {
        assert_eq!(Size::ALL.map(Size::word), ["small", "very-large"]);
        for size in Size::ALL {
            assert_eq!(size.to_string().parse(), Ok(size));
            assert_eq!(serde_json::to_value(size).unwrap(), size.word());
            assert_eq!(serde_json::from_value::<Size>(size.word().into()).unwrap(), size);
        }
        assert_eq!("Small".parse::<Size>(), Err("\"Small\" is not one of small, very-large".to_owned()));
    }
}
