//! Where commands get their access token: a flag, a file, the environment, or the file that `lastnim login`
//! writes.

mod file;
mod login;
mod token_source;

pub use file::{Credentials, StoredLogin, credentials_path, user_folder};
pub use login::{LoginArgs, LogoutArgs, caller_text, login, logout};
pub use token_source::{TOKEN_HELP, TokenSource, read_token_file};
