//! Where commands get their access token: a flag, a file, the environment, or the file that `lastnim login`
//! writes.

mod file;
mod given_token;
mod login;

pub use file::{Credentials, KeptLogin, credentials_path, user_folder};
pub use given_token::{GivenToken, TOKEN_HELP, read_token_file};
pub use login::{LoginArgs, LogoutArgs, caller_words, login, logout};
