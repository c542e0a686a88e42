//! Finds the program that a command names.

use super::{folder::working_folder, program::ProgramCommand};
use crate::{
    Failure, OwnCommand, program_variables::ProgramVariables, sandbox::Sandbox,
    tournament_file::plan::TournamentPlan,
};
use lastnim_core::game::BotName;
use std::{collections::HashMap, env, ffi::OsString, fs, io, os::unix::fs::PermissionsExt as _, path::Path};

/// The name of this program in a command. It works even if the program is not in PATH.
const OWN_NAME: &str = "lastnim";

/// Finds a program: a word with a `/` is a path relative to `folder`, `lastnim` is this program itself, and any other
/// word is looked up in PATH. Returns the command line that starts it, which for this program may have several words.
///
/// # Errors
/// Says what is wrong with the word.
pub fn find_program(word: &str, folder: &Path, own: &OwnCommand) -> Result<Vec<OsString>, String> {
    if word == OWN_NAME {
        return Ok(own.words.clone());
    }
    if word.contains('/') {
        let path = folder.join(word);
        return check_program(&path)
            .map(|()| vec![path.clone().into_os_string()])
            .map_err(|why| format!("{}: {why}", path.display()));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    // An empty word would match the folder itself.
    let mut places = env::split_paths(&path).map(|place| place.join(word));
    places
        .find(|place| check_program(place).is_ok())
        .map(|place| vec![place.into_os_string()])
        .ok_or_else(|| "there is no such program in PATH".to_owned())
}

/// Finds the programs of a tournament file, before anything is started.
///
/// # Errors
/// Names the first bot whose program cannot be started.
pub fn find_programs(
    plan: &TournamentPlan,
    file: &Path,
    own: &OwnCommand,
) -> Result<HashMap<BotName, ProgramCommand>, Failure> {
    let mut programs = HashMap::new();
    let mut is_sandbox_checked = false;
    for (bot, program) in plan.programs() {
        let failure = |what: String| Failure::input(format!("{}: bot {bot}: {what}", file.display()));
        let outer = working_folder(file)?;
        let working_folder = match &program.folder {
            Some(folder) => {
                let inner = outer.join(folder).canonicalize();
                let inner = inner.and_then(|inner| fs::read_dir(&inner).map(|_| inner));
                inner.map_err(|error| failure(format!("folder: {folder:?} cannot be read: {error}")))?
            }
            None => outer.clone(),
        };
        let sandbox = program.is_sandboxed.then(|| {
            Box::new(Sandbox {
                folder: program.folder.is_some().then(|| working_folder.clone()),
                read_only: plan.sandbox.read_only.clone(),
                limits: plan.sandbox.limits.clone(),
            })
        });
        let word = program.words.first().map(String::as_str).unwrap_or_default();
        let found = match &sandbox {
            Some(sandbox) => {
                if program.folder.is_some() && outer.starts_with(&working_folder) {
                    let what = "folder: this folder contains the tournament file, which a sandboxed bot may not see: name a folder below it";
                    return Err(failure(what.to_owned()));
                }
                if !is_sandbox_checked {
                    sandbox.check(own).map_err(|why| failure(format!("sandbox: {why}")))?;
                    is_sandbox_checked = true;
                }
                sandbox.find_program(word).map(|program| vec![program])
            }
            None => find_program(word, &working_folder, own),
        };
        let mut words = found.map_err(|why| failure(format!("{word:?} cannot be started: {why}")))?;
        words.extend(program.words.iter().skip(1).map(OsString::from));
        let variables = ProgramVariables::Given(program.variables.clone());
        let command = ProgramCommand { words, own: own.clone(), working_folder, variables, sandbox };
        programs.insert(bot.clone(), command);
    }
    Ok(programs)
}

fn check_program(path: &Path) -> Result<(), String> {
    let file = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })?;
    match file.permissions().mode() & 0o111 {
        _ if !file.is_file() => Err("not a file".to_owned()),
        0 => Err("not executable: run `chmod +x` on it".to_owned()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_cannot_be_found_are_explained() {
        let own = OwnCommand {
            name: "lastnim".to_owned(),
            words: ["python", "-m", "lastnim"].map(OsString::from).to_vec(),
        };
        let find = |word: &str, folder: &str| find_program(word, Path::new(folder), &own);
        assert!(Path::new(&find("sh", "/nowhere").unwrap()[0]).ends_with("sh"));
        assert_eq!(find("bin/sh", "/").unwrap(), ["/bin/sh"]);
        assert_eq!(find("lastnim", "/").unwrap(), own.words);
        let why = |word: &str| find(word, "/").unwrap_err();
        assert_eq!(why("no-such-program"), "there is no such program in PATH");
        assert_eq!(why(""), "there is no such program in PATH");
        assert_eq!(why("etc/no-such-file"), "/etc/no-such-file: there is no such file");
        assert_eq!(why("etc/passwd"), "/etc/passwd: not executable: run `chmod +x` on it");
        assert_eq!(why("bin/"), "/bin/: not a file");
    }
}
