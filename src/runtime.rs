//! The asynchronous runtime for commands that need one.

use crate::{CommandResult, Failure};
use std::{pin::Pin, thread};
use tokio::{runtime::Builder, sync::watch};

/// Runs a command on `threads` threads, or on one thread per core if it is `None`. With one thread, no task moves
/// between threads.
pub fn run_on_runtime(threads: Option<usize>, command: impl Future<Output = CommandResult>) -> CommandResult {
    let mut builder = match threads {
        Some(1) => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    if let Some(threads) = threads.filter(|&threads| threads > 1) {
        builder.worker_threads(threads);
    }
    let runtime = builder
        .enable_all()
        .build()
        .map_err(|error| Failure::runtime(error, "cannot start the threads of the command"))?;
    // The future is boxed so that the code of the runtime is compiled once rather than once per command.
    let command: Pin<Box<dyn Future<Output = CommandResult>>> = Box::pin(command);
    runtime.block_on(command)
}

/// Waits for an interrupt or a termination signal.
pub fn wait_for_interrupt() -> impl Future<Output = ()> + Send {
    // The handlers are installed here, so that a signal before the first wait is not lost.
    let interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt());
    let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
    async move {
        match (interrupt, terminate) {
            (Ok(mut interrupt), Ok(mut terminate)) => {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
            }
            (Err(error), _) | (_, Err(error)) => {
                tracing::warn!(%error, "cannot install the handlers for SIGINT and SIGTERM: these signals will not stop this process cleanly");
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Notices an interrupt or a termination signal, even one that arrives between two runtimes.
#[derive(Debug, Clone)]
pub struct Interrupt(watch::Receiver<bool>);

impl Interrupt {
    /// Starts a thread that waits for the signal.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn listen() -> Result<Self, Failure> {
        let (sender, receiver) = watch::channel(false);
        let failure = |error| Failure::runtime(error, "cannot start the threads of the command");
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failure)?;
        let signal = {
            let _entered = runtime.enter();
            wait_for_interrupt()
        };
        let listening = move || {
            runtime.block_on(signal);
            sender.send_replace(true);
        };
        thread::Builder::new().name("signals".to_owned()).spawn(listening).map_err(failure)?;
        Ok(Self(receiver))
    }

    /// Returns whether the signal has arrived.
    pub fn has_arrived(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits for the signal.
    pub async fn wait(mut self) {
        if self.0.wait_for(|&has_arrived| has_arrived).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Waits for a signal that asks this server to hand over to another one (SIGUSR1).
pub fn wait_for_hand_over() -> impl Future<Output = ()> + Send {
    let signal = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::user_defined1());
    async move {
        match signal {
            Ok(mut signal) => drop(signal.recv().await),
            Err(error) => {
                tracing::warn!(%error, "cannot install the handler for SIGUSR1: this signal will not hand the database over");
                std::future::pending::<()>().await;
            }
        }
    }
}
