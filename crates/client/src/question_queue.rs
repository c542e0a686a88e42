//! The questions that wait for a bot, and which of them it is asked next.

use super::question::BotQuestion;
use lastnim_core::game::MatchId;
use std::{collections::VecDeque, num::NonZeroUsize};

/// How many reports (ends, refusals, notices) wait for a bot that is thinking before further ones are left out.
pub(super) const MAX_WAITING_REPORTS: usize = 4096;

/// How many questions a bot is asked at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attention {
    /// One, of whatever kind, in the order in which they came.
    OneQuestion,
    /// So many requests for a row or a take, and beside them one report after the other.
    Requests(NonZeroUsize),
}

/// The questions that wait, in the order in which they came, and how many the bot has not answered yet.
///
/// What waits is bounded: for each open match at most one row and one take, and [`MAX_WAITING_REPORTS`] reports.
#[derive(Debug)]
pub(super) struct QuestionQueue {
    attention: Attention,
    requests: VecDeque<Numbered>,
    reports: VecDeque<Numbered>,
    next_number: u64,
    /// Requests that the bot has not answered.
    open_requests: usize,
    /// Whether the bot has not heard a report to its end.
    is_hearing: bool,
}

/// A question, and how many came before it.
#[derive(Debug)]
struct Numbered {
    number: u64,
    question: BotQuestion,
}

impl QuestionQueue {
    pub(super) fn new(attention: Attention) -> Self {
        Self {
            attention,
            requests: VecDeque::new(),
            reports: VecDeque::new(),
            next_number: 0,
            open_requests: 0,
            is_hearing: false,
        }
    }

    /// Returns how many questions the bot is asked at once.
    pub(super) fn attention(&self) -> Attention {
        self.attention
    }

    /// Returns how many questions wait.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.requests.len() + self.reports.len()
    }

    /// Adds a question. A report is left out where too many wait.
    pub(super) fn push(&mut self, question: BotQuestion) {
        let lane = if question.match_of_request().is_some() {
            &mut self.requests
        } else if self.reports.len() < MAX_WAITING_REPORTS {
            &mut self.reports
        } else {
            tracing::warn!("the bot is not told of an event: it has been thinking while too many came");
            return;
        };
        lane.push_back(Numbered { number: self.next_number, question });
        self.next_number += 1;
    }

    /// Takes out the next question that the bot has attention for and that is still needed.
    pub(super) fn pop(&mut self, is_needed: impl Fn(&BotQuestion) -> bool) -> Option<BotQuestion> {
        loop {
            let lane = self.next_lane()?;
            let question = lane.pop_front()?.question;
            if is_needed(&question) {
                match question.match_of_request() {
                    Some(_) => self.open_requests += 1,
                    None => self.is_hearing = true,
                }
                return Some(question);
            }
        }
    }

    /// Returns where the next question waits.
    fn next_lane(&mut self) -> Option<&mut VecDeque<Numbered>> {
        let number = |lane: &VecDeque<Numbered>| lane.front().map(|first| first.number);
        let (request, report) = match self.attention {
            Attention::OneQuestion if self.open_requests > 0 || self.is_hearing => (None, None),
            Attention::OneQuestion => (number(&self.requests), number(&self.reports)),
            Attention::Requests(at_once) => (
                number(&self.requests).filter(|_| self.open_requests < at_once.get()),
                number(&self.reports).filter(|_| !self.is_hearing),
            ),
        };
        match (request, report) {
            (Some(request), Some(report)) if request < report => Some(&mut self.requests),
            (_, Some(_)) => Some(&mut self.reports),
            (Some(_), None) => Some(&mut self.requests),
            (None, None) => None,
        }
    }

    /// Notes that the bot has answered a request.
    pub(super) fn note_request_answered(&mut self) {
        self.open_requests = self.open_requests.saturating_sub(1);
    }

    /// Notes that the bot has heard the report.
    pub(super) fn note_report_heard(&mut self) {
        self.is_hearing = false;
    }

    /// Forgets what was to be asked in a match.
    pub(super) fn forget_requests_of(&mut self, match_id: MatchId) {
        self.requests.retain(|waiting| waiting.question.match_of_request() != Some(match_id));
    }

    /// Returns whether nothing waits and everything is answered.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_hearing && self.open_requests == 0 && self.reports.is_empty() && self.requests.is_empty()
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

    fn filled(attention: Attention) -> QuestionQueue {
        let mut queue = QuestionQueue::new(attention);
        for question in [report(0), request(0), report(1), request(1), request(2)] {
            queue.push(question);
        }
        queue
    }

    fn drain(queue: &mut QuestionQueue) -> Vec<BotQuestion> {
        std::iter::from_fn(|| queue.pop(|_| true)).collect()
    }

    #[test]
    fn one_question_at_a_time_keeps_the_order_of_all() {
        let mut queue = filled(Attention::OneQuestion);
        assert_eq!(drain(&mut queue), [report(0)]);
        queue.note_report_heard();
        assert_eq!(drain(&mut queue), [request(0)]);
        queue.note_request_answered();
        assert_eq!(drain(&mut queue), [report(1)]);
        assert!(!queue.is_idle());
        queue.note_report_heard();
        for ply in 1..=2 {
            assert_eq!(drain(&mut queue), [request(ply)]);
            assert!(!queue.is_idle());
            queue.note_request_answered();
        }
        assert!(queue.is_idle());
    }

    #[test]
    fn requests_at_once_leave_room_for_one_report() {
        let mut queue = filled(Attention::Requests(NonZeroUsize::new(2).unwrap()));
        assert_eq!(drain(&mut queue), [report(0), request(0), request(1)]);
        assert_eq!(drain(&mut queue), []);
        queue.note_request_answered();
        assert_eq!(drain(&mut queue), [request(2)]);
        queue.note_report_heard();
        assert_eq!(drain(&mut queue), [report(1)]);
    }

    #[test]
    fn what_is_no_longer_needed_is_passed_over() {
        let mut queue = filled(Attention::OneQuestion);
        let needed = |question: &BotQuestion| *question == request(2);
        assert_eq!(queue.pop(needed), Some(request(2)));
        queue.note_request_answered();
        assert!(queue.is_idle());
    }

    #[test]
    fn too_many_reports_are_left_out_and_requests_never_are() {
        let mut queue = QuestionQueue::new(Attention::OneQuestion);
        for _ in 0..=MAX_WAITING_REPORTS {
            queue.push(report(0));
        }
        queue.push(request(0));
        assert_eq!(queue.len(), MAX_WAITING_REPORTS + 1);
    }
}
