//! Runs a bot on its own thread.

use super::{
    Bot, Error,
    bot_host::BotHost,
    question::{BotAnswer, BotQuestion},
    question_queue::QuestionLimit,
};
use lastnim_core::game::MatchId;
use std::task::{Context, Poll};
use std::thread;
use tokio::sync::mpsc;

/// A bot on its own thread, which is asked one question at a time.
///
/// After this has been dropped, the thread ends once the bot has given its current answer.
#[derive(Debug)]
pub(super) struct BotThread {
    questions: mpsc::Sender<BotQuestion>,
    answers: mpsc::Receiver<BotAnswer>,
}

impl BotThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub(super) fn start(mut bot: impl Bot) -> Result<Self, Error> {
        let (questions, mut asked) = mpsc::channel(1);
        let (given, answers) = mpsc::channel(1);
        thread::Builder::new()
            .name("bot".into())
            .spawn(move || {
                while let Some(question) = asked.blocking_recv() {
                    if given.blocking_send(answer_question(&mut bot, question)).is_err() {
                        return;
                    }
                }
            })
            .map_err(Error::Thread)?;
        Ok(Self { questions, answers })
    }
}

impl BotHost for BotThread {
    fn question_limit(&self) -> QuestionLimit {
        QuestionLimit::OneQuestion
    }

    fn ask(&mut self, question: BotQuestion) -> Result<(), Error> {
        self.questions.try_send(question).map_err(|_| Error::BotPanicked)
    }

    /// Does nothing, because the thread cannot be interrupted: the bot finishes its answer.
    fn withdraw(&mut self, _: MatchId) {}

    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<Result<BotAnswer, Error>> {
        self.answers.poll_recv(context).map(|answer| answer.ok_or(Error::BotPanicked))
    }
}

fn answer_question(bot: &mut impl Bot, question: BotQuestion) -> BotAnswer {
    match question {
        BotQuestion::Talk(round) => {
            let messages = bot.talk(&round);
            BotAnswer::Messages { match_id: round.info.id, round: round.round, messages }
        }
        BotQuestion::Declare(info) => {
            let row = bot.declare(&info);
            BotAnswer::Row { match_id: info.id, row, note_hash: bot.note_hash() }
        }
        BotQuestion::Play(view) => {
            let take = bot.play(&view);
            BotAnswer::Take { match_id: view.id, ply: view.ply, take, note_hash: bot.note_hash() }
        }
        BotQuestion::Connected(session) => {
            bot.connected(&session);
            BotAnswer::Handled
        }
        BotQuestion::Heard(info, round) => {
            bot.heard(&info, round);
            BotAnswer::Handled
        }
        BotQuestion::Refused(refusal) => {
            bot.refused(&refusal);
            BotAnswer::Handled
        }
        BotQuestion::Suspended(notice) => {
            bot.suspended(&notice);
            BotAnswer::Handled
        }
        BotQuestion::TournamentEnded(end) => {
            bot.tournament_ended(&end);
            BotAnswer::Handled
        }
        BotQuestion::Ended(end) => {
            bot.ended(&end);
            BotAnswer::Handled
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatchView;
    use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, SeatCount};
    use std::future::poll_fn;

    struct Fragile;

    impl Bot for Fragile {
        fn play(&mut self, game: &MatchView) -> u64 {
            assert!(game.ply() == 0, "it panics at ply 1");
            7
        }
    }

    #[tokio::test]
    async fn panic_of_the_bot_is_returned_as_an_error() {
        let matrix = AllianceMatrix::standard(SeatCount::new(2).unwrap());
        let game = Game::new(Piles::parse(&[9]).unwrap(), matrix, 0, Ending::default()).unwrap();
        let mut bot = BotThread::start(Fragile).unwrap();
        bot.ask(BotQuestion::Play(MatchView::practice(&game, &[]).unwrap())).unwrap();
        assert!(matches!(
            poll_fn(|context| bot.poll_answer(context)).await,
            Ok(BotAnswer::Take { ply: 0, take: 7, .. })
        ));
        bot.ask(BotQuestion::Play(MatchView::practice(&game, &[1]).unwrap())).unwrap();
        assert!(matches!(poll_fn(|context| bot.poll_answer(context)).await, Err(Error::BotPanicked)));
    }
}
