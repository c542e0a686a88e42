//! The claims of a model in a seat, and the figures about them, recomputed from transcripts and records.

use super::played_games::{PlayedGame, PlayedPly, number_of};
use serde_json::Value;
use std::collections::BTreeMap;

pub fn assert_near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} instead of {expected}"));
    assert!((found - expected).abs() < 1e-5 * (1.0 + expected.abs()), "{found} instead of {expected}");
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    Row,
    Take,
}

/// A model's claims in a seat of a match.
pub struct SeatClaims<'a> {
    pub game: &'a PlayedGame,
    pub seat: usize,
    pub decisions: Vec<&'a Value>,
}

impl<'a> SeatClaims<'a> {
    /// Returns the claims of a bot in each match, from the lines of its transcript.
    pub fn of_bot(bot: &str, games: &'a [PlayedGame], lines: &'a [Value]) -> Vec<Self> {
        let claims = games.iter().map(|game| {
            let is_own = |line: &&Value| line["event"] == "decision" && line["match_id"] == game.id.as_str();
            Self {
                game,
                seat: game.bots.iter().position(|name| name == bot).unwrap(),
                decisions: lines.iter().filter(is_own).collect(),
            }
        });
        claims.collect()
    }

    pub fn forecasts(&self, kind: QuestionKind) -> Vec<(f64, bool)> {
        let happened = self.game.winner == self.game.first_of_row(self.seat);
        let wanted = self
            .decisions
            .iter()
            .filter(|line| line["by"] == "model" && line["ply"].is_null() == (kind == QuestionKind::Row));
        wanted.filter_map(|line| Some((line["win_probability"].as_f64()?, happened))).collect()
    }

    pub fn own_plies(&self) -> impl Iterator<Item = &PlayedPly> {
        self.numbered_own_plies().map(|(_, ply)| ply)
    }

    fn numbered_own_plies(&self) -> impl Iterator<Item = (usize, &PlayedPly)> {
        let own_claims = |ply: usize| {
            self.decisions
                .iter()
                .any(|line| line["by"] == "model" && line["ply"].as_u64() == Some(ply as u64))
        };
        let plies = self.game.plies.iter().enumerate();
        plies.filter(move |&(number, ply)| ply.seat == self.seat && own_claims(number))
    }

    fn row_is_from_model(&self) -> bool {
        self.decisions.iter().any(|line| line["ply"].is_null() && line["by"] == "model")
    }

    fn stated(&self) -> Option<usize> {
        let row = self.decisions.iter().find(|line| line["ply"].is_null() && line["by"] == "model")?;
        Some(row["wants"].as_u64()? as usize)
    }
}

/// Checks the figures about wishes, and returns how many takes had to choose between a wish and a row.
pub fn check_wants(found: &Value, claims: &[SeatClaims<'_>]) -> u64 {
    let mut expected = BTreeMap::from(
        ["stated", "declared_as_stated", "stated_choices", "stated_chosen", "first_choices", "first_chosen"]
            .map(|member| (member, 0_u64)),
    );
    let mut count = |member: &str, is_so: bool| *expected.get_mut(member).unwrap() += u64::from(is_so);
    for claim in claims {
        let (first, stated) = (claim.game.first_of_row(claim.seat), claim.stated());
        count("stated", stated.is_some());
        count("declared_as_stated", stated == Some(first));
        for ply in claim.own_plies().filter(|ply| ply.is_choice()) {
            count("first_choices", ply.can_reach(first));
            count("first_chosen", ply.winner == first);
            let Some(stated) = stated else { continue };
            count("stated_choices", ply.can_reach(stated));
            count("stated_chosen", ply.winner == stated);
        }
    }
    for (member, expected) in &expected {
        assert_eq!(number_of(&found[*member]), *expected, "{member}: {found}");
    }
    assert!(expected["stated"] > 0 && expected["first_choices"] > 0, "{expected:?}");
    let declared = claims.iter().filter(|claim| claim.row_is_from_model()).count() as u64;
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| number_of(&row["matches"])).sum::<u64>(), declared, "{found}");
    assert_eq!(rows[0]["row"]["offsets"].as_array().unwrap().len(), 3, "{found}");
    check_wishes(&found["wishes"], claims)
}

fn check_wishes(found: &Value, claims: &[SeatClaims<'_>]) -> u64 {
    let members = ["plies", "misdeclared", "won", "conflicts", "kept", "broken"];
    let mut expected = BTreeMap::from(members.map(|member| (member, 0_u64)));
    let (mut regret, mut wanted_regret) = (0, 0);
    let mut count = |member: &str, is_so: bool| *expected.get_mut(member).unwrap() += u64::from(is_so);
    for claim in claims {
        let Some(stated) = claim.stated() else { continue };
        let is_otherwise = claim.game.first_of_row(claim.seat) != stated;
        count("misdeclared", is_otherwise);
        count("won", is_otherwise && claim.game.winner == stated);
        for ply in claim.own_plies() {
            // The stated seat comes first, and those before it in the row come one place later.
            let stated_rank = ply.ranks.iter().find(|&&(_, winner)| winner == stated).map(|&(rank, _)| rank);
            let wanted_rank = |&(rank, winner): &(u64, usize)| match stated_rank {
                _ if winner == stated => 0,
                Some(stated_rank) => rank + u64::from(rank < stated_rank),
                None => rank + u64::from(rank < claim.game.rank_in_row(claim.seat, stated)),
            };
            count("plies", true);
            regret += ply.regret();
            let best = ply.ranks.iter().map(wanted_rank).min().unwrap();
            wanted_regret += wanted_rank(&(ply.rank, ply.winner)) - best;
            let is_conflict = stated_rank.is_some_and(|rank| rank > ply.rank - ply.regret());
            count("conflicts", is_conflict);
            count("kept", is_conflict && ply.regret() == 0);
            count("broken", is_conflict && ply.winner == stated);
        }
    }
    for (member, expected) in &expected {
        assert_eq!(number_of(&found[*member]), *expected, "{member}: {found}");
    }
    for (member, ranks) in [("regret_per_ply", regret), ("wanted_regret_per_ply", wanted_regret)] {
        assert_near(&found[member]["value"], ranks as f64 / expected["plies"] as f64);
    }
    assert!(expected["misdeclared"] > 0, "{expected:?}");
    expected["conflicts"]
}

/// Checks the figures about plans, and returns how many were kept and broken.
pub fn check_plans(found: &Value, claims: &[SeatClaims<'_>]) -> [u64; 2] {
    let mut expected = BTreeMap::from(["stated", "led", "kept", "broken"].map(|member| (member, 0_u64)));
    let mut count = |member: &str, is_so: bool| *expected.get_mut(member).unwrap() += u64::from(is_so);
    for claim in claims {
        // The plan that holds, and whether a choice has kept or broken it.
        let (mut open, mut is_kept, mut is_broken) = (None, false, false);
        for (number, ply) in claim.numbered_own_plies() {
            if let Some(planned) = open.filter(|&planned| ply.is_choice() && ply.can_reach(planned)) {
                is_kept |= ply.winner == planned;
                is_broken |= ply.winner != planned;
            }
            let decided = claim.decisions.iter().find(|line| line["ply"].as_u64() == Some(number as u64));
            let Some(planned) = decided.unwrap()["plan"].as_u64() else { continue };
            count("kept", is_kept && !is_broken);
            count("broken", is_broken);
            count("stated", true);
            count("led", ply.winner == planned as usize);
            (open, is_kept, is_broken) = (Some(planned as usize), false, false);
        }
        count("kept", is_kept && !is_broken);
        count("broken", is_broken);
    }
    for (member, expected) in &expected {
        assert_eq!(number_of(&found[*member]), *expected, "{member}: {found}");
    }
    ["kept", "broken"].map(|member| expected[member])
}
