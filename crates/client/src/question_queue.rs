//! The queue of questions to a bot.

use super::question::BotQuestion;
use lastnim_core::game::MatchId;
use std::{collections::VecDeque, num::NonZeroUsize};

/// Maximum number of reports, such as ends and refusals, that can wait for a busy bot; further ones are dropped.
pub(super) const MAX_WAITING_REPORTS: usize = 4096;

/// How many questions a bot is asked at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionLimit {
    /// One question or report at a time, in order of arrival.
    OneQuestion,
    /// Up to this many requests for messages, rows and takes at a time, and one report.
    Requests(NonZeroUsize),
}

/// The questions that wait for the bot, in order of arrival, and the number of questions that it has been asked but has
/// not answered.
///
/// The queue is bounded: it has at most one request for messages, one for a row and one for a take for each open match,
/// and [`MAX_WAITING_REPORTS`] reports.
#[derive(Debug)]
pub(super) struct QuestionQueue {
    question_limit: QuestionLimit,
    requests: VecDeque<NumberedQuestion>,
    reports: VecDeque<NumberedQuestion>,
    next_number: u64,
    /// Requests that the bot has not answered yet.
    open_requests: usize,
    /// Whether the bot is handling a report.
    is_reporting: bool,
}

/// A question, numbered in order of arrival.
#[derive(Debug)]
struct NumberedQuestion {
    number: u64,
    question: BotQuestion,
}

impl QuestionQueue {
    pub(super) fn new(question_limit: QuestionLimit) -> Self {
        Self {
            question_limit,
            requests: VecDeque::new(),
            reports: VecDeque::new(),
            next_number: 0,
            open_requests: 0,
            is_reporting: false,
        }
    }

    /// Returns how many questions the bot is asked at once.
    pub(super) fn question_limit(&self) -> QuestionLimit {
        self.question_limit
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.requests.len() + self.reports.len()
    }

    /// Adds a question. A report is dropped if too many are waiting.
    pub(super) fn push(&mut self, question: BotQuestion) {
        let lane = if question.match_of_request().is_some() {
            &mut self.requests
        } else if self.reports.len() < MAX_WAITING_REPORTS {
            &mut self.reports
        } else {
            tracing::warn!("dropped an event: too many are waiting for the bot");
            return;
        };
        lane.push_back(NumberedQuestion { number: self.next_number, question });
        self.next_number += 1;
    }

    /// Removes and returns the next question that the limit allows, and drops questions that are no longer needed.
    pub(super) fn pop(&mut self, is_needed: impl Fn(&BotQuestion) -> bool) -> Option<BotQuestion> {
        loop {
            let lane = self.next_queue()?;
            let question = lane.pop_front()?.question;
            if is_needed(&question) {
                match question.match_of_request() {
                    Some(_) => self.open_requests += 1,
                    None => self.is_reporting = true,
                }
                return Some(question);
            }
        }
    }

    /// Returns the queue, of requests or of reports, that holds the next question; `None` if the bot cannot be asked
    /// now.
    fn next_queue(&mut self) -> Option<&mut VecDeque<NumberedQuestion>> {
        let number = |lane: &VecDeque<NumberedQuestion>| lane.front().map(|first| first.number);
        let (request, report) = match self.question_limit {
            QuestionLimit::OneQuestion if self.open_requests > 0 || self.is_reporting => (None, None),
            QuestionLimit::OneQuestion => (number(&self.requests), number(&self.reports)),
            QuestionLimit::Requests(max_requests) => (
                number(&self.requests).filter(|_| self.open_requests < max_requests.get()),
                number(&self.reports).filter(|_| !self.is_reporting),
            ),
        };
        match (request, report) {
            (Some(request), Some(report)) if request < report => Some(&mut self.requests),
            (_, Some(_)) => Some(&mut self.reports),
            (Some(_), None) => Some(&mut self.requests),
            (None, None) => None,
        }
    }

    /// Notes the answer to a request.
    pub(super) fn note_request_answered(&mut self) {
        self.open_requests = self.open_requests.saturating_sub(1);
    }

    /// Notes that a report was handled.
    pub(super) fn note_report_handled(&mut self) {
        self.is_reporting = false;
    }

    /// Removes the requests about a match.
    pub(super) fn forget_requests_of(&mut self, match_id: MatchId) {
        self.requests.retain(|waiting| waiting.question.match_of_request() != Some(match_id));
    }

    /// Returns whether no question is waiting and the bot has answered every question.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_reporting && self.open_requests == 0 && self.reports.is_empty() && self.requests.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Connected, MatchView};
    use lastnim_core::game::{AllianceMatrix, Ending, Game, Piles, SeatCount};

    fn request(ply: usize) -> BotQuestion {
        let matrix = AllianceMatrix::standard(SeatCount::new(2).unwrap());
        let game = Game::new(Piles::parse(&[99]).unwrap(), matrix, 0, Ending::default()).unwrap();
        BotQuestion::Play(MatchView::practice(&game, &vec![1; ply]).unwrap())
    }

    fn report(open_matches: u32) -> BotQuestion {
        BotQuestion::Connected(Connected {
            bot: "b".to_owned(),
            server_version: "1".to_owned(),
            open_matches,
        })
    }

    fn filled_queue(question_limit: QuestionLimit) -> QuestionQueue {
        let mut queue = QuestionQueue::new(question_limit);
        for question in [report(0), request(0), report(1), request(1), request(2)] {
            queue.push(question);
        }
        queue
    }

    fn drain(queue: &mut QuestionQueue) -> Vec<BotQuestion> {
        std::iter::from_fn(|| queue.pop(|_| true)).collect()
    }

    #[test]
    fn with_one_question_at_a_time_all_questions_keep_their_order() {
        let mut queue = filled_queue(QuestionLimit::OneQuestion);
        assert_eq!(drain(&mut queue), [report(0)]);
        queue.note_report_handled();
        assert_eq!(drain(&mut queue), [request(0)]);
        queue.note_request_answered();
        assert_eq!(drain(&mut queue), [report(1)]);
        assert!(!queue.is_idle());
        queue.note_report_handled();
        for ply in 1..=2 {
            assert_eq!(drain(&mut queue), [request(ply)]);
            assert!(!queue.is_idle());
            queue.note_request_answered();
        }
        assert!(queue.is_idle());
    }

    #[test]
    fn concurrent_requests_leave_room_for_one_report() {
        let mut queue = filled_queue(QuestionLimit::Requests(NonZeroUsize::new(2).unwrap()));
        assert_eq!(drain(&mut queue), [report(0), request(0), request(1)]);
        assert_eq!(drain(&mut queue), []);
        queue.note_request_answered();
        assert_eq!(drain(&mut queue), [request(2)]);
        queue.note_report_handled();
        assert_eq!(drain(&mut queue), [report(1)]);
    }

    #[test]
    fn unneeded_questions_are_skipped() {
        let mut queue = filled_queue(QuestionLimit::OneQuestion);
        let is_needed = |question: &BotQuestion| *question == request(2);
        assert_eq!(queue.pop(is_needed), Some(request(2)));
        queue.note_request_answered();
        assert!(queue.is_idle());
    }

    #[test]
    fn excess_reports_are_dropped_but_requests_are_kept() {
        let mut queue = QuestionQueue::new(QuestionLimit::OneQuestion);
        for _ in 0..=MAX_WAITING_REPORTS {
            queue.push(report(0));
        }
        queue.push(request(0));
        assert_eq!(queue.len(), MAX_WAITING_REPORTS + 1);
    }
}
