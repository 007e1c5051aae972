//! The text that describes an engine on the command line.

use std::{env, path::PathBuf, str::FromStr};

use crate::{
    arena::{clock::TimeControl, tournament::Contestant},
    cli::Failure,
    notation::{excerpt, pdn},
    protocol::engine_process::EngineSpec,
};

/// `name=Old cmd='./old hub' dir=/tmp time-scale=0.5 threads=1`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EngineOption {
    name: String,
    /// This program, if there is none.
    command: Option<Vec<String>>,
    folder: Option<PathBuf>,
    time_scale: f64,
    parameters: Vec<(String, String)>,
}

impl FromStr for EngineOption {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineOption, String> {
        let words = shlex::split(text).ok_or("a quote is not closed")?;
        let mut name = None;
        let mut option = EngineOption {
            name: String::new(),
            command: None,
            folder: None,
            time_scale: 1.0,
            parameters: Vec::new(),
        };
        for word in words {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| format!("{} is no key=value", excerpt(&word)))?;
            match key {
                "name" => name = Some(value.to_owned()),
                "cmd" => option.command = Some(command(value)?),
                "dir" => option.folder = Some(PathBuf::from(value)),
                "time-scale" => option.time_scale = time_scale(value)?,
                _ if value.contains(|c: char| c.is_control() || c == '"') => {
                    return Err(format!("{key} has a value that the protocol cannot carry"));
                }
                _ => option.parameters.push((key.to_owned(), value.to_owned())),
            }
        }
        let first_word = option
            .command
            .as_ref()
            .and_then(|words| words.first().cloned());
        option.name = name
            .or(first_word)
            .map(|name| pdn::tag_value(&name))
            .filter(|name| !name.is_empty())
            .ok_or("an engine needs a name or a cmd")?;
        Ok(option)
    }
}

fn command(text: &str) -> Result<Vec<String>, String> {
    let words = shlex::split(text).filter(|words| !words.is_empty());
    words.ok_or_else(|| format!("cmd={} is no command", excerpt(text)))
}

fn time_scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok();
    let scale = scale.filter(|scale| (0.001..=1000.0).contains(scale));
    scale.ok_or_else(|| format!("time-scale={} is not between 0.001 and 1000", excerpt(text)))
}

impl EngineOption {
    /// With how many threads it will think, as far as that is known.
    pub(super) fn threads(&self) -> usize {
        let mut parameters = self.parameters.iter();
        let threads = parameters.find(|(name, _)| name == "threads");
        threads
            .and_then(|(_, value)| value.parse().ok())
            .unwrap_or(1)
    }

    /// The engine with its share of the time.
    pub(super) fn contestant(&self, control: TimeControl) -> Result<Contestant, Failure> {
        if self.time_scale != 1.0 && control == control.scaled(self.time_scale) {
            return Err(Failure::Usage(format!(
                "--engine {}: time-scale does nothing to {control}",
                excerpt(&self.name)
            )));
        }
        let command = match &self.command {
            Some(command) => command.clone(),
            None => this_program()?,
        };
        Ok(Contestant {
            engine: EngineSpec {
                name: self.name.clone(),
                command,
                folder: self.folder.clone(),
                parameters: self.parameters.clone(),
            },
            control: control.scaled(self.time_scale),
        })
    }
}

fn this_program() -> Result<Vec<String>, Failure> {
    let path = env::current_exe()
        .map_err(|error| Failure::Job(format!("cannot find this program: {error}")))?;
    Ok(vec![path.to_string_lossy().into_owned(), "hub".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_split_as_a_shell_would() {
        let option: EngineOption =
            "name=Old cmd='./old hub --x' threads=1 time-scale=0.125 book=false"
                .parse()
                .unwrap();
        assert_eq!(option.name, "Old");
        assert_eq!(option.command.unwrap(), ["./old", "hub", "--x"]);
        assert_eq!(option.time_scale, 0.125);
        let parameters = [("threads", "1"), ("book", "false")];
        assert_eq!(
            option.parameters,
            parameters.map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
    }

    #[test]
    fn a_wrong_description_is_refused_with_its_reason() {
        let cases = [
            ("cmd='./old", "a quote is not closed"),
            ("threads", "threads is no key=value"),
            ("threads=1", "an engine needs a name or a cmd"),
            (
                "name=A time-scale=0",
                "time-scale=0 is not between 0.001 and 1000",
            ),
            ("cmd=''", "cmd= is no command"),
            ("name=' '", "an engine needs a name or a cmd"),
            (
                "name=A threads='1\n2'",
                "threads has a value that the protocol cannot carry",
            ),
        ];
        for (text, reason) in cases {
            assert_eq!(text.parse::<EngineOption>().unwrap_err(), reason);
        }
    }
}
