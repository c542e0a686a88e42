//! The environment variables of the programs that this program starts.
//!
//! A program inherits a few of the caller's variables, and gets those that the caller sets for it. Therefore it does
//! not see keys that happen to be in the caller's environment.

use std::{collections::BTreeMap, env, ffi::OsString, process::Command};

/// The caller's variables that every program inherits. They name the user, the language, the time zone, the folders
/// of files, interpreters and modules, and the log filter. Proxy variables are not among them, because they may
/// contain a password.
const INHERITED_VARIABLES: [&str; 19] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "NODE_PATH",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUST_LOG",
    "LASTNIM_LOG",
];
/// The prefix of the names of language variables, which every program also inherits.
const INHERITED_PREFIX: &str = "LC_";
/// The inherited variables that name the caller, or folders of the caller that a sandbox does not have.
const VARIABLES_OUTSIDE_SANDBOX: [&str; 7] =
    ["HOME", "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH", "CARGO_HOME", "RUSTUP_HOME"];
/// The caller's variables that no program gets.
const SECRET_VARIABLES: [&str; 6] = [
    "LASTNIM_ADMIN_TOKEN",
    "LASTNIM_ADMIN_TOKEN_FILE",
    "LASTNIM_TOKEN_FILE",
    "LASTNIM_VIEWER_TOKEN",
    "LASTNIM_VIEWER_TOKEN_FILE",
    "LASTNIM_STORE",
];
/// The variables that are different for each bot.
const PER_BOT_VARIABLES: [&str; 6] = [
    "LASTNIM_SERVER",
    "LASTNIM_TOKEN",
    "LASTNIM_TOURNAMENT",
    "LASTNIM_CA",
    "LASTNIM_CLIENT_CERT",
    "LASTNIM_CLIENT_KEY",
];

/// The variables of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramVariables {
    /// The variables for a program that is lastnim itself: everything that the caller has set, except secrets.
    OwnProgram,
    /// The few variables that every program inherits, and the given ones.
    Given(GivenVariables),
}

/// The variables that the caller gives to a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenVariables {
    /// The values of variables, by name.
    pub values: BTreeMap<String, String>,
    /// The names of the variables that are passed on with the caller's values.
    pub passed: Vec<String>,
}

impl GivenVariables {
    /// Returns the first passed variable that the caller has not set.
    pub fn find_unset(&self) -> Option<&str> {
        self.passed.iter().map(String::as_str).find(|name| env::var_os(name).is_none())
    }
}

impl ProgramVariables {
    /// Sets the environment of a command for a sandbox, where the home folder and the folder of temporary files are the
    /// scratch folder.
    pub fn apply_in_sandbox(&self, command: &mut Command) {
        self.apply(command);
        let Self::Given(given) = self else { return };
        for name in VARIABLES_OUTSIDE_SANDBOX {
            let is_given =
                given.values.contains_key(name) || given.passed.iter().any(|passed| passed == name);
            match name {
                _ if is_given => {}
                "HOME" | "TMPDIR" => {
                    command.env(name, "/tmp");
                }
                _ => {
                    command.env_remove(name);
                }
            }
        }
    }

    /// Sets the environment of a command.
    pub fn apply(&self, command: &mut Command) {
        match self {
            Self::OwnProgram => {
                for secret in SECRET_VARIABLES {
                    command.env_remove(secret);
                }
            }
            Self::Given(given) => {
                let is_passed = |name: &OsString| {
                    name.to_str().is_some_and(|name| {
                        INHERITED_VARIABLES.contains(&name)
                            || name.starts_with(INHERITED_PREFIX)
                            || given.passed.iter().any(|passed| passed == name)
                    })
                };
                command.env_clear();
                command.envs(env::vars_os().filter(|(name, _)| is_passed(name))).envs(&given.values);
            }
        }
    }
}

/// Checks the name of a variable for a program.
///
/// # Errors
/// The error says what is wrong with the name.
pub fn check_variable_name(name: &str) -> Result<(), String> {
    let is_name = |name: &str| {
        let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        name.starts_with(|first: char| !first.is_ascii_digit()) && name.chars().all(is_allowed)
    };
    if !is_name(name) {
        return Err(format!("{name:?}: expected the name of a variable, such as \"OPENAI_API_KEY\""));
    }
    if SECRET_VARIABLES.contains(&name) {
        return Err(format!("{name}: this is the organiser's secret, and bots never get it"));
    }
    if PER_BOT_VARIABLES.contains(&name) {
        return Err(format!("{name}: lastnim sets this variable for each bot"));
    }
    Ok(())
}

/// The flag that passes variables on to the program that the command line names.
#[derive(Debug, clap::Args)]
pub struct PassedVariableArgs {
    /// A variable of your environment to pass to the program; repeat it or separate names by commas
    #[arg(long = "pass-env", value_name = "VARIABLE", value_delimiter = ',', requires = "command", value_parser = parse_passed_variable)]
    passed: Vec<String>,
}

impl PassedVariableArgs {
    /// Returns the variables of the program.
    pub fn variables(&self) -> ProgramVariables {
        ProgramVariables::Given(GivenVariables { passed: self.passed.clone(), ..Default::default() })
    }
}

/// Reads the name of a variable that the flag passes on.
fn parse_passed_variable(word: &str) -> Result<String, String> {
    check_variable_name(word)?;
    match env::var_os(word) {
        Some(_) => Ok(word.to_owned()),
        None => Err("this variable is not set".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_lists_what_every_program_gets() {
        let book = include_str!("../docs/reference/settings.md");
        let (_, section) = book.split_once("\n## Variables of programs\n").unwrap();
        let (listed, _) = section.split_once(". ").unwrap();
        let mut listed: Vec<_> = listed.split('`').skip(7).step_by(2).collect();
        let mut expected: Vec<_> = INHERITED_VARIABLES.map(str::to_owned).into();
        expected.push(format!("{INHERITED_PREFIX}*"));
        expected.sort();
        listed.sort_unstable();
        assert_eq!(listed, expected);
    }

    #[test]
    fn names_that_no_program_may_have_are_refused() {
        assert_eq!(check_variable_name("OPENAI_API_KEY"), Ok(()));
        for name in ["", "1A", "A=B", "A B", "LASTNIM_ADMIN_TOKEN", "LASTNIM_TOKEN"] {
            assert!(check_variable_name(name).is_err(), "{name}");
        }
    }
}
