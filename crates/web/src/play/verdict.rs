//! Why a player's game ended as it did, and what would have changed it.

use crate::address::PageAddress;
use crate::match_page::{Seats, Sentence, format_take_ranges, ordinal_text, preference_rank};
use crate::replay::Replay;
use lastnim_analysis::BestDeclaration;
use lastnim_core::game::MatchId;
use lastnim_core::oracle::Budget;
use lastnim_core::shown_number::shown_number;
use lastnim_proto::pb;
use lastnim_report::words::count_with_noun;

/// The maximum number of errors listed.
const MAX_ERRORS: usize = 20;
/// The maximum number of steps in the search for a better declaration, which is enough to try all declarations of five
/// seats.
const MAX_STEPS: u64 = 20_000;

/// The oracle's verdict on a player's game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Why the winner won, as HTML.
    pub why: String,
    /// What would have changed it, as HTML.
    pub change: String,
    /// The ply of the player's take that would have changed it, if there is one.
    pub ply: Option<u32>,
    /// How many of the player's takes were optimal; may be empty.
    pub score: String,
    /// The player's errors, each with the address of the position after it.
    pub errors: Vec<(String, String)>,
}

/// A game that is over, and the seat of its player.
#[derive(Debug, Clone, Copy)]
pub(super) struct JudgedGame<'a> {
    pub id: MatchId,
    pub replay: &'a Replay,
    pub audit: &'a pb::Audit,
    pub seat: usize,
    /// The names of the seats, with "you" for the player's.
    pub names: &'a Seats,
}

impl JudgedGame<'_> {
    pub(super) fn verdict(&self) -> Verdict {
        #[cfg(test)]
        crate::testing::check_slow_work_allowed();
        let own_plies = || self.audit.plies.iter().filter(|ply| self.is_own(ply));
        let errors: Vec<_> = own_plies().filter(|ply| ply.regret > 0).collect();
        let score = match (own_plies().count(), errors.len()) {
            (0, _) => String::new(),
            (1, 0) => "Your only take was optimal.".to_owned(),
            (1, _) => "Your only take was an error.".to_owned(),
            (takes, 0) => format!("All your {takes} takes were optimal."),
            (takes, wrong) => {
                let verb = if wrong == 1 { "was an error" } else { "were errors" };
                format!("{wrong} of your {} {verb}.", count_with_noun(takes, "take", "takes"))
            }
        };
        let (change, ply) = self.change(&errors);
        let linked = |ply: &&pb::PlyAudit| {
            let position = PageAddress::Match { id: self.id, ply: Some(ply.ply + 1) };
            (Self::error("At", ply).plain(self.names), position.to_string())
        };
        Verdict {
            why: self.why().html(self.names),
            change: change.html(self.names),
            ply,
            score,
            errors: errors.iter().take(MAX_ERRORS).map(linked).collect(),
        }
    }

    fn is_own(&self, ply: &pb::PlyAudit) -> bool {
        ply.seat as usize == self.seat && !ply.steward
    }

    /// Returns the place of a winner in the player's row, from 0.
    fn rank(&self, winner: u32) -> usize {
        preference_rank(self.replay, self.seat, winner as usize).unwrap_or_default()
    }

    /// Says by which rule the winner won, and whether that was the player's first, second or later choice.
    fn why(&self) -> Sentence {
        let winner = self.audit.winner as usize;
        let is_own = winner == self.seat;
        let reason = self.replay.end.as_ref().map(pb::EndedEvent::reason).unwrap_or_default();
        let is_last = self.replay.setup.ending() == pb::Ending::LastMoverWins;
        let unfinished_verdict = |ended| {
            let wins = if is_own { " win." } else { " wins." };
            Sentence::of(format!("{ended}. Under optimal play from there ")).seat(winner).text(wins)
        };
        let sentence = match reason {
            pb::EndReason::PlyLimit => unfinished_verdict("The game reached its limit of takes"),
            pb::EndReason::AllForfeited => unfinished_verdict("Every seat was forfeited"),
            _ if is_own && is_last => Sentence::of("You took the last counter."),
            _ if is_own => Sentence::of("You were to move when the last counter was gone."),
            _ if is_last => Sentence::default().seat(winner).text(" took the last counter."),
            _ => Sentence::default().seat(winner).text(" was to move when the last counter was gone."),
        };
        match self.rank(self.audit.winner) {
            0 if is_own => sentence,
            1 if self.names.count() == 2 && !is_own => sentence,
            rank => sentence.text(format!(" That result was your {} choice.", ordinal_text(rank))),
        }
    }

    /// Says what would have led to a winner whom the player wants more, and at which ply.
    fn change(&self, errors: &[&pb::PlyAudit]) -> (Sentence, Option<u32>) {
        let rank = self.rank(self.audit.winner);
        let decisive = self.audit.plies.iter().rfind(|ply| ply.regret > 0);
        let add_decisive = |sentence: Sentence| match decisive {
            Some(ply) => sentence.text(" The last error decided it: ").then(Self::error("at", ply)),
            None => sentence.text(" Nobody made an error."),
        };
        if rank == 0 {
            return (add_decisive(Sentence::default().strong("You got your first choice.")), None);
        }
        if let Some(error) = errors.iter().rfind(|ply| self.rank(ply.predicted_before) < rank) {
            let sentence = Sentence::default().strong("What would have changed it:").text(" ");
            let choice = ordinal_text(self.rank(error.predicted_before));
            let sentence = sentence
                .then(Self::error("at", error))
                .text(format!(" That result is your {choice} choice."));
            return (sentence, Some(error.ply));
        }
        let (row, is_certain) = self.better_row(rank);
        if let Some((row, winner)) = row {
            let choice = ordinal_text(self.rank(winner as u32));
            let mut sentence = Sentence::default()
                .strong("What would have changed it:")
                .text(" another order. Saying that you want ");
            for (place, &seat) in row.iter().enumerate() {
                sentence = if place > 0 { sentence.text(" › ").seat(seat) } else { sentence.seat(seat) };
            }
            let sentence = sentence.text(" would have made ").seat(winner);
            return (
                sentence.text(format!(" win under optimal play. That result is your {choice} choice.")),
                None,
            );
        }
        let none = match (self.replay.setup.assigned.is_none(), is_certain) {
            (true, true) => {
                " No other take or order of yours would have led to a winner you prefer, under optimal play."
            }
            _ => " No other take of yours would have led to a winner you prefer, under optimal play.",
        };
        (add_decisive(Sentence::default().strong("You could not have changed it.").text(none)), None)
    }

    /// Describes an error: the take, and the optimal takes.
    fn error(at: &str, ply: &pb::PlyAudit) -> Sentence {
        let (sentence, seat) =
            (Sentence::of(format!("{at} take {} ", shown_number(ply.ply))), ply.seat as usize);
        let sentence = if ply.steward {
            sentence.text("the steward, for ").seat(seat).text(",")
        } else {
            sentence.seat(seat)
        };
        sentence
            .text(format!(" took {} of {}. ", ply.take, ply.counters))
            .strong(format!("Taking {}", format_take_ranges(&ply.optimal_takes)))
            .text(" would have made ")
            .seat(ply.predicted_before as usize)
            .text(" win under optimal play.")
    }

    /// Searches for a row with which the winner would have been one that the player prefers to the one at this place.
    /// Returns the row with that winner, and whether all rows were tried. A row lists seats, the preferred winner
    /// first.
    fn better_row(&self, rank: usize) -> (Option<(Vec<usize>, usize)>, bool) {
        let Some(game) = self.replay.game().filter(|_| self.replay.setup.assigned.is_none()) else {
            return (None, false);
        };
        let seats = game.matrix.seats();
        let Ok(seat) = seats.seat(self.seat) else { return (None, false) };
        let found = BestDeclaration::find(&game, seat, &mut Budget::of_steps(MAX_STEPS));
        let row = found
            .examples(&game, 1)
            .into_iter()
            .next()
            .filter(|_| !found.is_truth_best() && found.best.rank < rank);
        let seats_of = |offsets: &[u8]| -> Vec<usize> {
            offsets.iter().map(|&offset| (self.seat + usize::from(offset)) % seats.get()).collect()
        };
        (row.map(|row| (seats_of(row.offsets()), found.best.winner.index())), found.is_best_certain())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::oracle::{Audit, PlayedTake};
    use pb::record_event::Event;

    /// Plays a match of three, and returns the verdict of seat 1, with its sentences as text.
    fn judge_match(piles: &[u64], rows: [[u32; 3]; 3], takes: &[u64], is_assigned: bool) -> Verdict {
        let bots = ["oracle", "guest", "timid"].map(str::to_owned).to_vec();
        let event = |event| pb::RecordEvent { event: Some(event), ..Default::default() };
        let matrix =
            pb::AllianceMatrix { rows: rows.map(|offsets| pb::Row { offsets: offsets.into() }).into() };
        let assigned = is_assigned.then(|| matrix.clone());
        let setup = pb::MatchSetup { bots, piles: piles.to_vec(), first: 1, assigned, ..Default::default() };
        let mut replay = Replay::begin(&event(Event::Created(setup))).unwrap();
        replay.push(event(Event::Revealed(pb::RevealedEvent { alliance_matrix: Some(matrix) })));
        for (ply, &take) in (0..).zip(takes) {
            let seat = (ply + 1) % 3;
            replay.push(event(Event::Took(pb::TookEvent { ply, seat, take, ..Default::default() })));
        }
        let played: Vec<_> = takes.iter().map(|&take| PlayedTake::by_bot(take)).collect();
        let audit = pb::Audit::from(&Audit::of_finished(&replay.game().unwrap(), &played).unwrap());
        replay.push(event(Event::Ended(pb::EndedEvent { winner: Some(audit.winner), ..Default::default() })));
        let names = &Seats::of_setup(&replay.setup).with_own_seat(1);
        let id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".parse().unwrap();
        JudgedGame { id, replay: &replay, audit: &audit, seat: 1, names }.verdict()
    }

    fn plain_text(html: &str) -> String {
        let mut text = String::new();
        for part in html.split('<') {
            text += part.split_once('>').map_or(part, |(_, text)| text);
        }
        text
    }

    const STANDARD: [[u32; 3]; 3] = [[0, 1, 2]; 3];

    #[test]
    fn the_verdict_names_the_take_that_would_have_changed_the_result() {
        let judged = judge_match(&[1, 3], [[0, 1, 2], [1, 2, 0], [0, 1, 2]], &[3, 1], true);
        assert_eq!(
            plain_text(&judged.why),
            "oracle was to move when the last counter was gone. That result was your 2nd choice."
        );
        assert_eq!(
            plain_text(&judged.change),
            "What would have changed it: at take 1 you took 3 of 3. Taking 1 would have made timid win under optimal play. That result is your 1st choice."
        );
        assert_eq!((judged.ply, judged.score.as_str()), (Some(0), "Your only take was an error."));
        let (words, address) = &judged.errors[0];
        assert_eq!(
            words,
            "At take 1 you took 3 of 3. Taking 1 would have made timid win under optimal play."
        );
        assert!(address.ends_with("?ply=1"), "{address}");
    }

    #[test]
    fn the_verdict_names_the_row_that_would_have_changed_the_result() {
        let rows = [[0, 1, 2], [0, 2, 1], [1, 0, 2]];
        let judged = judge_match(&[3, 2], rows, &[2, 3], false);
        assert_eq!(
            plain_text(&judged.change),
            "What would have changed it: another order. Saying that you want you › timid › oracle would have made you win under optimal play. That result is your 1st choice."
        );
        assert_eq!((judged.ply, judged.score.as_str()), (None, "Your only take was optimal."));
        // If rows were assigned, the player could not have declared another one.
        let given = judge_match(&[3, 2], rows, &[2, 3], true);
        assert_eq!(
            plain_text(&given.change),
            "You could not have changed it. No other take of yours would have led to a winner you prefer, under optimal play. Nobody made an error."
        );
    }

    #[test]
    fn the_verdict_names_the_last_error_if_the_player_could_change_nothing() {
        let judged = judge_match(&[2, 1], [[0, 1, 2], [1, 0, 2], [2, 1, 0]], &[1, 2], false);
        assert_eq!(
            plain_text(&judged.change),
            "You could not have changed it. No other take or order of yours would have led to a winner you prefer, under optimal play. \
             The last error decided it: at take 2 timid took 2 of 2. Taking 1 would have made you win under optimal play."
        );
    }

    #[test]
    fn the_verdict_tells_a_winner_that_nothing_was_better() {
        let judged = judge_match(&[4, 1, 1], STANDARD, &[1, 1, 4], true);
        assert_eq!(plain_text(&judged.why), "You were to move when the last counter was gone.");
        assert!(plain_text(&judged.change).starts_with("You got your first choice."));
        assert_eq!(judged.ply, None);
    }
}
