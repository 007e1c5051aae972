//! What a user can set, as one table.
//!
//! A row of [`PARAMETERS`] holds all there is to say of a parameter; its
//! announcement, its parsing, its check and its place in `--help` come from
//! there. What a parameter does is not known here: its user reads the field.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::{fmt, ops::RangeInclusive};

use crate::notation::excerpt;

/// The values of all parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The rules of the game, of which there is one set with two names.
    pub variant: &'static str,
    /// Whether the opening book is used.
    pub book: bool,
    /// How many plies of a game the book may play.
    pub book_ply: u32,
    /// How much worse than the best a book move may be, in hundredths of a man.
    pub book_margin: u32,
    /// Whether the client lets the engine think on the opponent's time.
    pub ponder: bool,
    /// How many threads search.
    pub threads: u32,
    /// The logarithm of the number of the transposition table's entries.
    pub tt_size: u32,
    /// The largest number of pieces that endgame tables are asked about.
    pub bb_size: u32,
    /// A folder of endgame tables beside those that are built in, or `none`.
    pub endgame_dir: String,
    /// How many of the best moves get a line of their own.
    pub multi_pv: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            variant: "normal",
            book: true,
            book_ply: 4,
            book_margin: 4,
            ponder: false,
            threads: 1,
            tt_size: 22,
            bb_size: 6,
            endgame_dir: "none".to_owned(),
            multi_pv: 1,
        }
    }
}

/// A row of the table.
pub struct Parameter {
    /// The name that clients use, which is that of Scan where Scan has it.
    pub name: &'static str,
    /// A sentence for people.
    pub doc: &'static str,
    kind: Kind,
}

/// The type of a parameter, what it may be, and where it is kept.
enum Kind {
    Bool(Field<bool>),
    Int(Field<u32>, RangeInclusive<u32>),
    Enum(Field<&'static str>, &'static [&'static str]),
    Text(Field<String>),
}

/// A field of [`Config`].
struct Field<T> {
    read: fn(&Config) -> T,
    write: fn(&mut Config, T),
}

macro_rules! field {
    ($name:ident) => {
        Field {
            read: |config| config.$name.clone(),
            write: |config, value| config.$name = value,
        }
    };
}

/// All parameters, in the order in which they are announced.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "variant",
        doc: "The rules: international draughts, by either name",
        // Two words keep the quotes around them lawful.
        kind: Kind::Enum(field!(variant), &["normal", "standard"]),
    },
    Parameter {
        name: "book",
        doc: "Play from the opening book (there is none yet)",
        kind: Kind::Bool(field!(book)),
    },
    Parameter {
        name: "book-ply",
        doc: "Vary the book's moves in this many plies of a game (no book yet)",
        kind: Kind::Int(field!(book_ply), 0..=100),
    },
    Parameter {
        name: "book-margin",
        doc: "How much worse than the best a book move may be, in hundredths of a man (no book yet)",
        kind: Kind::Int(field!(book_margin), 0..=100),
    },
    Parameter {
        name: "ponder",
        doc: "The client lets the engine think on the opponent's time",
        kind: Kind::Bool(field!(ponder)),
    },
    Parameter {
        name: "threads",
        doc: "Search on this many threads",
        kind: Kind::Int(field!(threads), 1..=256),
    },
    Parameter {
        name: "tt-size",
        doc: "The transposition table has 2^N entries of 16 bytes",
        kind: Kind::Int(field!(tt_size), 10..=40),
    },
    Parameter {
        name: "bb-size",
        doc: "Ask the endgame tables about positions of up to this many pieces",
        kind: Kind::Int(field!(bb_size), 0..=10),
    },
    Parameter {
        name: "endgame-dir",
        doc: "A folder of endgame tables beside those that are built in, or none",
        kind: Kind::Text(field!(endgame_dir)),
    },
    Parameter {
        name: "multi-pv",
        doc: "Show this many of the best moves, each with its line",
        kind: Kind::Int(field!(multi_pv), 1..=100),
    },
];

/// Why a parameter was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// There is no such parameter.
    #[error("there is no parameter {0}")]
    UnknownName(String),
    /// The value is not of its type or not within its range.
    #[error("{name} cannot be '{value}', it must be {expected}")]
    BadValue {
        /// The parameter.
        name: &'static str,
        /// The beginning of the value.
        value: String,
        /// What it may be, in words.
        expected: String,
    },
}

impl Config {
    /// Sets the parameter of this name; on an error nothing is changed.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ConfigError> {
        let parameter = PARAMETERS
            .iter()
            .find(|parameter| parameter.name == name)
            .ok_or_else(|| ConfigError::UnknownName(excerpt(name)))?;
        parameter
            .kind
            .set(self, value)
            .ok_or_else(|| ConfigError::BadValue {
                name: parameter.name,
                value: excerpt(value),
                expected: parameter.kind.to_string(),
            })
    }

    /// A line a parameter, as the Hub protocol announces them.
    pub fn announcements(&self) -> impl Iterator<Item = String> + '_ {
        PARAMETERS.iter().map(|parameter| {
            let name = parameter.name;
            let (value, details) = parameter.kind.announce(self);
            format!("param name={name} value={value} {details}")
        })
    }
}

impl Kind {
    /// Parses `value` into its field, or returns `None` if it is not allowed.
    fn set(&self, config: &mut Config, value: &str) -> Option<()> {
        match self {
            Kind::Bool(field) => (field.write)(config, value.parse().ok()?),
            Kind::Int(field, range) => {
                let value = value.parse().ok().filter(|value| range.contains(value))?;
                (field.write)(config, value);
            }
            Kind::Enum(field, values) => {
                let value = values.iter().find(|&&allowed| allowed == value)?;
                (field.write)(config, value);
            }
            // A line of the protocol has no place for these.
            Kind::Text(_) if value.is_empty() || value.contains(['"', '=']) => return None,
            Kind::Text(field) => (field.write)(config, value.to_owned()),
        }
        Some(())
    }

    /// The present value, then type and range.
    fn announce(&self, config: &Config) -> (String, String) {
        match self {
            Kind::Bool(field) => ((field.read)(config).to_string(), "type=bool".into()),
            Kind::Int(field, range) => {
                let (min, max) = (range.start(), range.end());
                let details = format!("type=int min={min} max={max}");
                ((field.read)(config).to_string(), details)
            }
            Kind::Enum(field, values) => {
                let details = format!("type=enum values=\"{}\"", values.join(" "));
                ((field.read)(config).into(), details)
            }
            Kind::Text(field) => {
                let value = (field.read)(config);
                // Quotes around a single word confuse clients.
                let needs_quotes = value.contains(char::is_whitespace);
                let shown = if needs_quotes {
                    format!("\"{value}\"")
                } else {
                    value
                };
                (shown, "type=string".into())
            }
        }
    }
}

/// What a value may be, in words.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Bool(_) => f.write_str("true or false"),
            Kind::Int(_, range) => write!(f, "{} to {}", range.start(), range.end()),
            Kind::Enum(_, values) => f.write_str(&values.join(" or ")),
            Kind::Text(_) => f.write_str("text without quotes and equals signs"),
        }
    }
}

/// The table for people: a line a parameter with its values and its default.
pub fn help() -> String {
    let defaults = Config::default();
    PARAMETERS
        .iter()
        .map(|Parameter { name, doc, kind }| {
            let (default, _) = kind.announce(&defaults);
            format!("  {name:<12} {doc} [{kind}; default: {default}]\n")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_takes_what_it_announces_and_keeps_to_its_own_field() {
        for parameter in PARAMETERS {
            let other = match &parameter.kind {
                Kind::Bool(field) => (!(field.read)(&Config::default())).to_string(),
                Kind::Int(_, range) => range.end().to_string(),
                Kind::Enum(_, values) => values[1].to_owned(),
                Kind::Text(_) => "tables".to_owned(),
            };
            let mut config = Config::default();
            config.set(parameter.name, &other).unwrap();
            let name = format!("name={} value={other} ", parameter.name);
            let defaults = Config::default();
            let changed: Vec<String> = config
                .announcements()
                .zip(defaults.announcements())
                .filter_map(|(new, old)| (new != old).then_some(new))
                .collect();
            assert_eq!(changed.len(), 1);
            assert!(changed[0].contains(&name), "{changed:?}");
            assert!(help().contains(parameter.name));
        }
    }

    #[test]
    fn a_bad_value_is_named_and_changes_nothing() {
        let bad = [
            ("threads", "0", "threads cannot be '0', it must be 1 to 256"),
            (
                "threads",
                "-1",
                "threads cannot be '-1', it must be 1 to 256",
            ),
            (
                "threads",
                "two",
                "threads cannot be 'two', it must be 1 to 256",
            ),
            ("threads", "", "threads cannot be '', it must be 1 to 256"),
            (
                "bb-size",
                "auto",
                "bb-size cannot be 'auto', it must be 0 to 10",
            ),
            (
                "book",
                "yes",
                "book cannot be 'yes', it must be true or false",
            ),
            (
                "variant",
                "frisian",
                "variant cannot be 'frisian', it must be normal or standard",
            ),
            ("colour", "red", "there is no parameter colour"),
        ];
        for (name, value, message) in bad {
            let mut config = Config::default();
            let error = config.set(name, value).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!(config, Config::default());
        }
    }

    #[test]
    fn an_announcement_is_a_list_of_keys_and_values() {
        let lines: Vec<String> = Config::default().announcements().collect();
        assert_eq!(
            lines[0],
            "param name=variant value=normal type=enum values=\"normal standard\""
        );
        assert_eq!(lines[1], "param name=book value=true type=bool");
        assert_eq!(
            lines[5],
            "param name=threads value=1 type=int min=1 max=256"
        );
    }
}
