//! Matches from JSON records, with the winners of positions found by exhaustive search.

use serde_json::Value;

/// Reads a number given as a number or a string; a missing one is 0.
pub fn number_of(value: &Value) -> u64 {
    match value {
        Value::Null => 0,
        Value::String(text) => text.parse().unwrap(),
        value => value.as_u64().unwrap(),
    }
}

/// A finished match.
#[derive(Debug)]
pub struct PlayedGame {
    pub id: String,
    pub bots: Vec<String>,
    pub rows: Vec<Vec<usize>>,
    pub winner: usize,
    pub plies: Vec<PlayedPly>,
}

/// A take, and its alternatives.
#[derive(Debug)]
pub struct PlayedPly {
    pub seat: usize,
    pub is_by_bot: bool,
    /// The place of the winner in the seat's row after the take.
    pub rank: u64,
    /// The same for every possible take, from 1 counter on, with the winner.
    pub ranks: Vec<(u64, usize)>,
    pub winner: usize,
}

impl PlayedGame {
    /// Reads a record; the seat to move after the last counter wins.
    pub fn of_record(record: &Value) -> Self {
        let record = record.get("record").unwrap_or(record);
        let events = record["events"].as_array().unwrap();
        let find = |name: &str| events.iter().find_map(|event| event.get(name)).unwrap();
        let created = find("created");
        let bots: Vec<String> =
            created["bots"].as_array().unwrap().iter().map(|bot| bot.as_str().unwrap().to_owned()).collect();
        let mut piles: Vec<u64> = created["piles"].as_array().unwrap().iter().map(number_of).collect();
        let rows: Vec<Vec<usize>> = find("revealed")["alliance_matrix"]["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| {
                row["offsets"].as_array().unwrap().iter().map(|offset| number_of(offset) as usize).collect()
            })
            .collect();
        let mut plies = Vec::new();
        for took in events.iter().filter_map(|event| event.get("took")) {
            let (seat, take) = (number_of(&took["seat"]) as usize, number_of(&took["take"]));
            let pile = piles.iter().rposition(|&pile| pile > 0).unwrap();
            let next = (seat + 1) % bots.len();
            let outcome_after = |take: u64| {
                let mut left = piles.clone();
                left[pile] -= take;
                let winner = find_winner(&left, next, &rows);
                (rank_of(&rows, seat, winner), winner)
            };
            let ranks: Vec<_> = (1..=piles[pile]).map(outcome_after).collect();
            let (rank, winner) = outcome_after(take);
            plies.push(PlayedPly { seat, is_by_bot: took["steward"] != true, rank, ranks, winner });
            piles[pile] -= take;
        }
        let winner = number_of(&find("ended")["winner"]) as usize;
        Self { id: record["match_id"].as_str().unwrap().to_owned(), bots, rows, winner, plies }
    }

    pub fn rank_in_row(&self, seat: usize, winner: usize) -> u64 {
        rank_of(&self.rows, seat, winner)
    }

    pub fn first_of_row(&self, seat: usize) -> usize {
        (seat + self.rows[seat][0]) % self.bots.len()
    }
}

impl PlayedPly {
    fn best(&self) -> u64 {
        self.ranks.iter().map(|&(rank, _)| rank).min().unwrap()
    }

    pub fn regret(&self) -> u64 {
        self.rank - self.best()
    }

    pub fn random_regret(&self) -> f64 {
        let cost: u64 = self.ranks.iter().map(|&(rank, _)| rank - self.best()).sum();
        cost as f64 / self.ranks.len() as f64
    }

    pub fn can_reach(&self, seat: usize) -> bool {
        self.ranks.iter().any(|&(_, winner)| winner == seat)
    }

    pub fn is_choice(&self) -> bool {
        self.ranks.iter().any(|&(_, winner)| winner != self.winner)
    }
}

fn rank_of(rows: &[Vec<usize>], seat: usize, winner: usize) -> u64 {
    let offset = (winner + rows.len() - seat) % rows.len();
    rows[seat].iter().position(|&other| other == offset).unwrap() as u64
}

fn find_winner(piles: &[u64], mover: usize, rows: &[Vec<usize>]) -> usize {
    let Some(pile) = piles.iter().rposition(|&pile| pile > 0) else { return mover };
    let winner_after = |take: u64| {
        let mut left = piles.to_vec();
        left[pile] -= take;
        find_winner(&left, (mover + 1) % rows.len(), rows)
    };
    (1..=piles[pile]).map(winner_after).min_by_key(|&winner| rank_of(rows, mover, winner)).unwrap()
}
