//! Command-line flags that are generated from a table of settings.

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};
use std::{fmt::Debug, marker::PhantomData};

/// A table of settings from which command-line flags are generated.
pub trait FlagTable: Debug {
    /// Creates the flags. Their values are strings, which the table parses later.
    fn flags() -> Vec<Arg>;
}

/// The flags of a table that are given on the command line or in the environment, with their values.
#[derive(Debug)]
pub struct GivenFlags<T> {
    /// The ids of the given flags, with the arguments of each.
    given: Vec<(String, Vec<String>)>,
    table: PhantomData<T>,
}

impl<T> GivenFlags<T> {
    /// Returns the arguments of a flag; `None` if it is not given.
    pub fn words(&self, id: &str) -> Option<&[String]> {
        self.given.iter().find(|(given, _)| given == id).map(|(_, words)| words.as_slice())
    }
}

impl<T: FlagTable> Args for GivenFlags<T> {
    fn augment_args(command: Command) -> Command {
        command.args(T::flags())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: FlagTable> FromArgMatches for GivenFlags<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let ids = T::flags().into_iter().map(|flag| flag.get_id().to_string());
        let given = ids
            .filter(|id| matches.value_source(id).is_some_and(|source| source != ValueSource::DefaultValue));
        let values = |id: &str| -> Vec<String> {
            let values = matches.get_raw(id).into_iter().flatten();
            values.map(|word| word.to_string_lossy().into_owned()).collect()
        };
        Ok(Self { given: given.map(|id| (id.clone(), values(&id))).collect(), table: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
