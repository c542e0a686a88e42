//! The tally of one model.

use super::{
    asked_questions::{AskedQuestion, RunSummary},
    plan_tally::{PlanTally, StatedPlan},
    question_tally::{CallTally, QuestionTally},
    spending::{Spending, count_as_float, seconds_per_question},
    talk_tally::TalkTally,
    want_tally::{WantTally, first_of_row},
};
use crate::transcript_reader::{DecidedBy, TranscriptDecision};
use lastnim_auditing::{AuditedMatch, Forecasts, SelectedTakes, WishTally};
use lastnim_core::game::Seat;
use lastnim_proto::pb;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The tally of one model, by the bot that it played as.
#[derive(Debug)]
pub(super) struct ModelTally {
    matches: u64,
    answers: u64,
    proved_answers: u64,
    runs: BTreeSet<String>,
    rows: QuestionTally,
    takes: QuestionTally,
    calls: CallTally,
    ignored_members: u64,
    answered: SelectedTakes,
    overall: SelectedTakes,
    row_spending: Spending,
    take_spending: Spending,
    /// The spending for questions about takes that were not withdrawn.
    decided_take_spending: Spending,
    /// The duration of each of these questions, in milliseconds.
    take_millis: Vec<u64>,
    take_forecasts: Forecasts,
    row_forecasts: Forecasts,
    wants: WantTally,
    wishes: WishTally,
    plans: PlanTally,
    talk: TalkTally,
}

/// The counted questions to a seat in a match.
pub(super) struct SeatQuestions<'a> {
    pub(super) seat: Seat,
    /// Questions with a decision, each once.
    pub(super) decided: Vec<(&'a AskedQuestion, &'a TranscriptDecision)>,
    /// The number of the bot's answers in the record.
    pub(super) answers: u64,
    /// The number of the bot's messages in the record, by round.
    pub(super) messages: BTreeMap<u32, u64>,
}

impl ModelTally {
    /// Creates an empty tally; the seed is for the bootstrap that gives the intervals.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            matches: 0,
            answers: 0,
            proved_answers: 0,
            runs: BTreeSet::new(),
            rows: QuestionTally::default(),
            takes: QuestionTally::default(),
            calls: CallTally::default(),
            ignored_members: 0,
            answered: SelectedTakes::new(seed),
            overall: SelectedTakes::new(seed),
            row_spending: Spending::default(),
            take_spending: Spending::default(),
            decided_take_spending: Spending::default(),
            take_millis: Vec::new(),
            take_forecasts: Forecasts::new(seed),
            row_forecasts: Forecasts::new(seed),
            wants: WantTally::default(),
            wishes: WishTally::new(seed),
            plans: PlanTally::default(),
            talk: TalkTally::default(),
        }
    }

    /// Adds a seat of a match.
    pub(super) fn add_match(&mut self, game: &AuditedMatch<'_>, asked: &SeatQuestions<'_>) {
        let (seats, seat) = (game.bots.seats(), asked.seat);
        self.matches += 1;
        self.answers += asked.answers;
        self.talk.add_match(asked.decided.iter().map(|&(question, _)| question), &asked.messages);
        let first = first_of_row(game, seat);
        let (mut own_plies, mut stated, mut plans) = (BTreeSet::new(), None, BTreeMap::new());
        for &(question, decision) in &asked.decided {
            self.add_question(question, decision);
            if decision.by != DecidedBy::Model {
                continue;
            }
            let (forecasts, ply) = match question.key.ply {
                Some(ply) => (&mut self.take_forecasts, Some(ply)),
                None => (&mut self.row_forecasts, None),
            };
            own_plies.extend(ply);
            if let Some(probability) = decision.win_probability {
                forecasts.add_forecast(game.group, probability, game.audit.winner == first);
            }
            if let (Some(ply), Some(planned)) = (ply, decision.plan) {
                plans.extend(seats.seat(planned).ok().map(|planned| (ply, planned)));
            }
            if ply.is_none() {
                self.wants.add_row(&game.game.matrix[seat]);
                stated = decision.wants.and_then(|wants| seats.seat(wants).ok());
            }
        }
        self.answered.add_match(game, seat, |ply| own_plies.contains(&ply));
        self.overall.add_match(game, seat, |_| true);
        let mut choices = game.winner_choices(seat);
        choices.retain(|choice| own_plies.contains(&choice.ply));
        self.wants.add_match(first, stated, &choices);
        let plans = game.audit.plies.iter().filter_map(|audit| {
            let planned = *plans.get(&audit.ply)?;
            Some(StatedPlan { ply: audit.ply, planned, expected_winner: audit.predicted_after })
        });
        self.plans.add_match(&plans.collect::<Vec<_>>(), &choices);
        if let Some(wanted) = stated {
            self.wishes.add_match(game, seat, wanted, |ply| own_plies.contains(&ply));
        }
    }

    fn add_question(&mut self, question: &AskedQuestion, decision: &TranscriptDecision) {
        let AskedQuestion { run, key, calls, spending, .. } = question;
        if !self.runs.contains(run) {
            self.runs.insert(run.clone());
        }
        self.calls.add_tally(calls);
        self.ignored_members += decision.ignored.len() as u64;
        self.proved_answers += u64::from(decision.answer.is_some());
        if key.ply.is_none() {
            self.rows.add_decision(decision);
            self.row_spending.add_spending(spending);
            return;
        }
        self.takes.add_decision(decision);
        self.take_spending.add_spending(spending);
        if decision.by != DecidedBy::Withdrawn {
            self.decided_take_spending.add_spending(spending);
            self.take_millis.push(decision.elapsed_ms);
        }
    }

    /// Creates the message, with the known facts about the bot's runs.
    pub(super) fn into_message(self, bot: String, runs: &HashMap<String, RunSummary>) -> pb::ModelFindings {
        let known: Vec<&RunSummary> = self.runs.iter().filter_map(|run| runs.get(run)).collect();
        let models: BTreeSet<&str> = known.iter().map(|run| run.model.as_str()).collect();
        let configurations: BTreeSet<&str> = known.iter().map(|run| run.config_hash.as_str()).collect();
        let mut total_spending = Spending::default();
        for run in &known {
            total_spending.add_spending(&run.spending);
        }
        let mut answer_spending = self.row_spending;
        answer_spending.add_spending(&self.take_spending);
        answer_spending.add_spending(self.talk.spending());
        let (answered, overall) = (self.answered.into_figures(), self.overall.into_figures());
        let cost = pb::ModelCost {
            rows: Some((&self.row_spending).into()),
            takes: Some((&self.take_spending).into()),
            seconds_per_take: seconds_per_question(self.take_millis),
            per_take: self.decided_take_spending.rate(count_as_float(self.takes.decided())),
            per_saved_rank: answer_spending.rate(answered.saved_regret()),
            in_all: Some((&total_spending).into()),
        };
        let revealed = answered.revealed.iter().map(Into::into).collect();
        pb::ModelFindings {
            bot,
            models: models.into_iter().filter(|model| !model.is_empty()).map(str::to_owned).collect(),
            configurations: configurations.len() as u32,
            matches: self.matches,
            answers: self.answers,
            proved_answers: self.proved_answers,
            rows: Some((&self.rows).into()),
            takes: Some((&self.takes).into()),
            calls: Some((&self.calls).into()),
            ignored_members: self.ignored_members,
            answered: Some((&answered).into()),
            overall: Some((&overall).into()),
            cost: Some(cost),
            take_forecasts: Some((&self.take_forecasts.into_figures()).into()),
            row_forecasts: Some((&self.row_forecasts.into_figures()).into()),
            wants: Some(self.wants.to_message(&self.wishes.into_figures(), revealed)),
            plans: self.plans.to_message(),
            talk: self.talk.to_message(),
        }
    }
}
