//! Polls a future only after it has been woken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Prevents a part of a task from being polled until that part itself has been woken, even if something else wakes the
/// task.
///
/// A part that is seldom woken then costs the task one flag check instead of a poll of everything that the part waits
/// for.
#[derive(Debug)]
pub(crate) struct WakeGate {
    shared: Arc<GateState>,
    /// Wakes the part, and with it the task.
    part: Waker,
    /// The same waker of the task as in `shared`, stored here too, so that comparing it needs no lock.
    task: Option<Waker>,
}

#[derive(Debug)]
struct GateState {
    is_woken: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl Wake for GateState {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        if let Some(task) = &*self.task.lock().unwrap_or_else(PoisonError::into_inner) {
            task.wake_by_ref();
        }
    }
}

impl WakeGate {
    /// Creates an open gate, because the part must be polled once before it can be woken.
    pub(crate) fn new() -> Self {
        let shared = Arc::new(GateState { is_woken: AtomicBool::new(true), task: Mutex::default() });
        Self { part: Waker::from(Arc::clone(&shared)), shared, task: None }
    }

    /// Opens the gate. Call this when the part has something new to wait for, or may have another result ready.
    pub(crate) fn open(&self) {
        self.shared.is_woken.store(true, Ordering::Release);
    }

    /// Polls the part if it was woken since the last poll. The gate stays open as long as polling gives results.
    pub(crate) fn poll_woken<T>(
        &mut self,
        context: &Context<'_>,
        poll: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        if self.task.as_ref().is_none_or(|task| !task.will_wake(context.waker())) {
            self.task = Some(context.waker().clone());
            // The waker is stored before the flag is read, so that later wake-ups reach this task.
            self.shared.task.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&self.task);
        }
        if !self.shared.is_woken.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        self.shared.is_woken.swap(false, Ordering::AcqRel);
        let polled = poll(&mut Context::from_waker(&self.part));
        if polled.is_ready() {
            self.open();
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use tokio::sync::mpsc;

    #[tokio::test]
    async fn a_receiver_that_was_not_woken_is_not_polled() {
        let (sender, mut seldom) = mpsc::channel(1);
        let (often, mut messages) = mpsc::channel(8);
        let (mut gate, mut polls, mut heard) = (WakeGate::new(), 0, Vec::new());
        let reader = tokio::spawn(async move {
            loop {
                let next = poll_fn(|context| {
                    let poll = |context: &mut Context<'_>| {
                        polls += 1;
                        seldom.poll_recv(context)
                    };
                    match gate.poll_woken(context, poll) {
                        Poll::Ready(Some(number)) => Poll::Ready(Some(number)),
                        _ => messages.poll_recv(context),
                    }
                });
                match next.await {
                    Some(number) => heard.push(number),
                    None => return (polls, heard),
                }
            }
        });
        for number in 0..5 {
            often.send(number).await.unwrap();
            tokio::task::yield_now().await;
        }
        sender.send(100).await.unwrap();
        tokio::task::yield_now().await;
        often.send(5).await.unwrap();
        drop(often);
        let (polls, heard) = reader.await.unwrap();
        assert_eq!(heard, [0, 1, 2, 3, 4, 100, 5]);
        assert_eq!(polls, 3, "once at first, once for the message and once after it");
        drop(sender);
    }

    #[tokio::test]
    async fn another_task_may_take_over_polling() {
        let (sender, mut receiver) = mpsc::channel(1);
        let mut gate = WakeGate::new();
        let first = poll_fn(|context| {
            assert!(gate.poll_woken(context, |context| receiver.poll_recv(context)).is_pending());
            Poll::Ready(())
        });
        first.await;
        let second = tokio::spawn(async move {
            poll_fn(|context| gate.poll_woken(context, |context| receiver.poll_recv(context))).await
        });
        tokio::task::yield_now().await;
        sender.send(7).await.unwrap();
        assert_eq!(second.await.unwrap(), Some(7));
    }
}
