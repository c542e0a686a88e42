//! Sandboxes for bots that an organiser does not trust, made by bubblewrap.
//!
//! Three processes run a sandboxed bot. `host` starts bubblewrap, which isolates everything below it. In the sandbox,
//! lastnim is the first process: it supervises the bot, and `guard` ends the sandbox when the bot reaches one of its
//! `limits`. The sandbox has its own network. `guard` listens there and passes the listening socket to `host`, which
//! forwards each connection to the server and to nothing else. `bubblewrap` has the command line.

mod bubblewrap;
mod guard;
mod host;
mod limits;

pub use bubblewrap::Sandbox;
pub use guard::Guard;
pub use host::{SandboxArgs, check_server_address, run_sandbox};
pub use limits::SandboxLimits;
