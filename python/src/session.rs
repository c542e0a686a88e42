//! Runs the client for a Python bot on a background thread. Python fetches its questions and answers them.

use crate::{
    bot_link::{Answer, BotLink, LinkedBot},
    log_layer::LogLayer,
    notice_queue::{ClosingGuard, NoticeError},
    question::{error_json, summary_json},
    rehearsal::value_error,
};
use lastnim_client::{
    Choice, Error, Message, Options, Practice, Summary, TakeFeed, practice_async_until, run_async_until,
};
use lastnim_core::{
    game::{Pact, Row, Seat, SeatCount},
    referee::OfferId,
};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
};
use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tokio::{runtime, sync::oneshot};
use tracing_subscriber::{layer::SubscriberExt as _, registry};

/// Time between checks for an interrupt.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The members of a pact, each with pairs of seats: the member's row must rank the first seat of a pair before the
/// second one.
pub type GivenPact = Vec<(usize, Vec<(usize, usize)>)>;

/// A message: the seats that hear it, and its text, the offsets of its claim, the pact that it offers, or the seat, round
/// and number of the offer that it accepts.
pub type GivenMessage =
    (Vec<usize>, Option<String>, Option<Vec<u64>>, Option<GivenPact>, Option<(usize, u32, u32)>);

/// The opponents, piles and rounds of practice matches.
type PracticeTerms = (Vec<String>, Vec<u64>, u32);

/// A bot's run, with a queue of questions and reports.
#[pyclass(frozen)]
pub struct Session {
    link: Arc<BotLink>,
    stop: Mutex<Option<oneshot::Sender<()>>>,
}

#[pymethods]
impl Session {
    /// Starts a run. `variables` has the environment variables of the SDK.
    #[new]
    #[pyo3(signature = (variables, concurrency, give_up_after, practice, take_feed))]
    fn start(
        py: Python<'_>,
        variables: HashMap<String, String>,
        concurrency: NonZeroUsize,
        give_up_after: Option<Duration>,
        practice: Option<PracticeTerms>,
        take_feed: &str,
    ) -> PyResult<Self> {
        let take_feed = parse_take_feed(take_feed)?;
        let (stop, stopped) = oneshot::channel();
        let link = Arc::<BotLink>::default();
        let options = py.detach(|| Options::from_variables(|name| variables.get(name).cloned()));
        let configured = options.map(|mut options| {
            options.concurrency = concurrency;
            options.give_up_after = give_up_after.unwrap_or(options.give_up_after);
            options
        });
        let own = Arc::clone(&link);
        let run = move || {
            let _closing = ClosingGuard(&own.notices);
            let ended = configured.and_then(|options| {
                let subscriber = registry().with(LogLayer(Arc::clone(&own)));
                tracing::subscriber::with_default(subscriber, || {
                    play_to_end(options, practice, LinkedBot { link: Arc::clone(&own), take_feed }, stopped)
                })
            });
            match ended {
                Ok(summary) => own.send_end_notice("finished", summary_json(&summary)),
                Err(error) => own.send_end_notice("failed", error_json(&error)),
            }
        };
        thread::Builder::new()
            .name("lastnim-bot".to_owned())
            .spawn(run)
            .map_err(|error| PyRuntimeError::new_err(format!("the bot's thread did not start: {error}")))?;
        Ok(Self { link, stop: Mutex::new(Some(stop)) })
    }

    /// Waits for the next notice: its kind, its number (0 if it has none) and its JSON. Returns None after `seconds`.
    fn next(&self, py: Python<'_>, seconds: f64) -> PyResult<Option<(&'static str, u64, String)>> {
        let limit =
            Duration::try_from_secs_f64(seconds).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let until = Instant::now() + limit;
        loop {
            let wait = until.saturating_duration_since(Instant::now()).min(CHECK_INTERVAL);
            match py.detach(|| self.link.notices.receive(wait)) {
                Ok(notice) => {
                    let number = notice.number.unwrap_or_default();
                    return Ok(Some((notice.kind, number, notice.json.to_string())));
                }
                Err(NoticeError::TimedOut) if Instant::now() >= until => return Ok(None),
                Err(NoticeError::TimedOut) => {}
                Err(NoticeError::Closed) => {
                    return Err(PyRuntimeError::new_err("the bot's thread panicked: see its message above"));
                }
            }
            py.check_signals()?;
        }
    }

    /// Answers a question with messages; None to declare at once.
    fn talk(&self, number: u64, messages: Option<Vec<GivenMessage>>) -> PyResult<()> {
        // A question without seats is closed.
        let Some(seats) = self.link.seats_of_question(number) else { return Ok(()) };
        let read_all =
            |messages: Vec<_>| messages.into_iter().map(|given| read_message(given, seats)).collect();
        self.link.answer(number, Answer::Messages(messages.map(read_all).transpose()?));
        Ok(())
    }

    /// Answers a question with a row.
    #[pyo3(signature = (number, offsets, note_hash))]
    fn declare(&self, number: u64, offsets: Vec<u64>, note_hash: Option<[u8; 32]>) -> PyResult<()> {
        // A question without seats is closed.
        let Some(seats) = self.link.seats_of_question(number) else { return Ok(()) };
        let value = Row::parse(&offsets, seats).map_err(value_error)?;
        self.link.answer(number, Answer::Row(Choice { value, note_hash }));
        Ok(())
    }

    /// Answers a question with a take.
    #[pyo3(signature = (number, take, note_hash))]
    fn take(&self, number: u64, take: u64, note_hash: Option<[u8; 32]>) {
        self.link.answer(number, Answer::Take(Choice { value: take, note_hash }));
    }

    /// Marks a report as handled.
    fn mark_handled(&self, number: u64) {
        self.link.answer(number, Answer::Handled);
    }

    /// Reports that the bot cannot continue the match of a question.
    fn fail(&self, number: u64, why: String) {
        self.link.answer(number, Answer::Failed(why));
    }

    /// Ends the run soon.
    fn stop(&self) {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Reads a message to other seats.
pub fn read_message((to, text, claim, offer, accept): GivenMessage, seats: SeatCount) -> PyResult<Message> {
    let message = match (text, claim, offer, accept) {
        (Some(text), None, None, None) => Message::text(text),
        (None, Some(offsets), None, None) => {
            Message::claim(Row::parse(&offsets, seats).map_err(value_error)?)
        }
        (None, None, Some(members), None) => {
            Message::offer(Pact::parse(seats, &members).map_err(value_error)?)
        }
        (None, None, None, Some((seat, round, number))) => {
            Message::accept(OfferId { seat: seats.seat(seat).map_err(value_error)?, round, number })
        }
        _ => {
            return Err(PyValueError::new_err(
                "a message needs exactly one of a text, a claim, an offer and an acceptance",
            ));
        }
    };
    let to: Vec<Seat> =
        to.into_iter().map(|seat| seats.seat(seat)).collect::<Result<_, _>>().map_err(value_error)?;
    Ok(message.to(to))
}

/// Reads the takes to receive.
fn parse_take_feed(word: &str) -> PyResult<TakeFeed> {
    match word {
        "all" => Ok(TakeFeed::All),
        "own_turns" => Ok(TakeFeed::OwnTurns),
        _ => Err(PyValueError::new_err(format!("take_feed: {word:?}: expected \"all\" or \"own_turns\""))),
    }
}

/// Plays until the run ends, or until its Python session is stopped or dropped.
fn play_to_end(
    options: Options,
    practice: Option<PracticeTerms>,
    bot: LinkedBot,
    stopped: oneshot::Receiver<()>,
) -> Result<Summary, Error> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(Error::Thread)?;
    let shutdown = async {
        // The sender sends no value: the wait ends when it is dropped.
        let _ = stopped.await;
    };
    runtime.block_on(async {
        match practice {
            None => run_async_until(bot, options, shutdown).await,
            Some((rivals, piles, rounds)) => {
                let practice = Practice::default().against(rivals).piles(piles).rounds(rounds);
                practice_async_until(bot, options, practice, shutdown).await
            }
        }
    })
}
