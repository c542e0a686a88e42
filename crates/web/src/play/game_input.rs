//! The settings of a new game, as they were typed.

use crate::forms::FormFields;
use crate::typed_piles::read_piles;
use lastnim_core::game::{BotName, Ending};
use lastnim_proto::pb;
use lastnim_report::words::{count_with_noun, join_items};
use std::time::Duration;

/// The maximum number of opponents.
pub(super) const MAX_OPPONENTS: usize = 4;
/// The maximum number of piles, all of which the board can draw.
const MAX_PILES: usize = 24;
/// The maximum length of a field, in characters.
const MAX_CHARS: usize = 1_000;
/// The maximum number of takes; after them, the winner is the one under optimal play.
const MAX_PLIES: u32 = 1_000;
/// The longest clock of a guest, in seconds.
const MAX_SECONDS: u32 = 3_600;
/// The longest time to declare a row.
const MAX_DECLARATION: Duration = Duration::from_mins(10);
/// The prefix of the names of fields for opponents.
const OPPONENT_PREFIX: &str = "against-";

/// Piles to choose from: value, text and counters.
pub(super) const PILE_CHOICES: [(&str, &str, &[u64]); 4] = [
    ("small", "small: 3, 4, 5", &[3, 4, 5]),
    ("middle", "middle: 6, 3, 7, 5", &[6, 3, 7, 5]),
    ("large", "large: 8, 5, 9, 4, 10, 7", &[8, 5, 9, 4, 10, 7]),
    ("high", "high: 21, 34", &[21, 34]),
];
/// Clocks to choose from: seconds and text.
pub(super) const CLOCK_CHOICES: [(&str, &str); 3] =
    [("300", "5 minutes for the whole game"), ("900", "15 minutes"), ("3600", "an hour")];
/// Seats to choose from: value and text.
pub(super) const SEAT_CHOICES: [(&str, &str); 6] = [
    ("drawn", "random"),
    ("0", "I move first"),
    ("1", "I move second"),
    ("2", "I move third"),
    ("3", "I move fourth"),
    ("4", "I move fifth"),
];
/// Sources of rows to choose from: value and text.
pub(super) const ROW_CHOICES: [(&str, &str); 2] = [
    ("standard", "each seat itself, then the seats after it"),
    ("declared", "each seat chooses whom it wants to see win"),
];

/// The settings of a new game, as they were typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GameInput {
    /// The ticked opponents among the house bots that the server hosts.
    pub against: Vec<BotName>,
    /// The chosen piles.
    pub size: String,
    /// Typed piles, which override the choice.
    pub piles: String,
    /// The ending.
    pub ending: String,
    /// The seat of the guest.
    pub seat: String,
    /// The seconds on each seat's clock.
    pub time: String,
    /// The source of the rows.
    pub rows: String,
}

/// A parsed request for a game. The guest's seat may still have to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GameRequest {
    pub against: Vec<BotName>,
    /// The seat of the guest; `None` if it is drawn.
    pub seat: Option<usize>,
    /// The request without the bots.
    pub terms: pb::CreateMatchRequest,
}

/// House bots that a beginner can beat. Two of them are ticked at first.
const EASY_OPPONENTS: [&str; 3] = ["timid", "greedy", "random"];

/// Returns the name of an opponent's field.
pub(super) fn opponent_field(bot: &BotName) -> String {
    format!("{OPPONENT_PREFIX}{bot}")
}

impl GameInput {
    /// Returns the initial form.
    pub(super) fn initial(hosted: &[(BotName, String)]) -> Self {
        let easy = EASY_OPPONENTS.iter().filter_map(|kind| hosted.iter().find(|(_, bot)| bot == kind));
        let mut against: Vec<_> = easy.map(|(name, _)| name.clone()).take(2).collect();
        if against.is_empty() {
            against.extend(hosted.first().map(|(name, _)| name.clone()));
        }
        Self {
            against,
            size: "small".into(),
            piles: String::new(),
            ending: Ending::default().to_string(),
            seat: "drawn".into(),
            time: "900".into(),
            rows: "standard".into(),
        }
    }

    pub(super) fn of_fields(fields: &FormFields, hosted: &[(BotName, String)]) -> Self {
        let text = |name: &str| fields.value(name).chars().take(MAX_CHARS).collect::<String>();
        let is_ticked = |bot: &&BotName| fields.find(&opponent_field(bot)).is_some();
        Self {
            against: hosted.iter().map(|(name, _)| name).filter(is_ticked).cloned().collect(),
            size: text("size"),
            piles: text("piles"),
            ending: text("ending"),
            seat: text("seat"),
            time: text("time"),
            rows: text("rows"),
        }
    }

    /// Parses the settings.
    ///
    /// # Errors
    /// Every error, with the expected value.
    pub(super) fn read(&self) -> Result<GameRequest, Vec<String>> {
        let mut mistakes = Vec::new();
        let mut note = |mistake: String| mistakes.push(mistake);
        match self.against.len() {
            0 => note(format!("no opponent was chosen: choose 1 to {MAX_OPPONENTS}")),
            1..=MAX_OPPONENTS => {}
            ticked => note(format!("{ticked} opponents were chosen: choose 1 to {MAX_OPPONENTS}")),
        }
        let piles = self.read_piles().map_err(&mut note).unwrap_or_default();
        let ending = self.ending.parse::<Ending>().map_err(|error| note(error.to_string()));
        let seat = self.read_seat().map_err(&mut note).unwrap_or_default();
        let seconds = self.read_seconds().map_err(&mut note).unwrap_or_default();
        let rows = match self.rows.as_str() {
            "standard" => pb::AllianceMode::Standard,
            "declared" => pb::AllianceMode::Declared,
            other => {
                note(format!("rows {other:?}: expected standard or declared"));
                pb::AllianceMode::Unspecified
            }
        };
        let Ok(ending) = ending else { return Err(mistakes) };
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let time_ms = seconds * 1_000;
        let declaration_ms = time_ms.min(MAX_DECLARATION.as_millis() as u32);
        let clock = pb::Clock { initial_ms: time_ms, declaration_ms, ..pb::Clock::default() };
        let terms = pb::CreateMatchRequest {
            piles,
            ending: pb::Ending::from(ending).into(),
            alliance: rows.into(),
            clock: Some(clock),
            max_plies: MAX_PLIES,
            ..pb::CreateMatchRequest::default()
        };
        Ok(GameRequest { against: self.against.clone(), seat, terms })
    }

    fn read_piles(&self) -> Result<Vec<u64>, String> {
        if self.piles.trim().is_empty() {
            let found =
                PILE_CHOICES.iter().find(|(size, ..)| *size == self.size).map(|(.., piles)| piles.to_vec());
            return found.ok_or_else(|| {
                let sizes = PILE_CHOICES.map(|(size, ..)| size).join(", ");
                format!("size {:?}: expected one of {sizes}", self.size)
            });
        }
        let piles = read_piles(&self.piles)?.as_slice().to_vec();
        if piles.len() > MAX_PILES {
            return Err(format!("{} piles: expected 1 to {MAX_PILES}", piles.len()));
        }
        Ok(piles)
    }

    fn read_seat(&self) -> Result<Option<usize>, String> {
        let opponents = self.against.len();
        // If the number of opponents is wrong, accept any seat, so that only this error is reported.
        let are_right = (1..=MAX_OPPONENTS).contains(&opponents);
        let seats = if are_right { opponents + 1 } else { MAX_OPPONENTS + 1 };
        if self.seat == "drawn" {
            return Ok(None);
        }
        let seat = self.seat.parse().ok().filter(|&seat| seat < seats).map(Some);
        seat.ok_or_else(|| {
            let chosen = SEAT_CHOICES.iter().find(|(value, _)| *value == self.seat);
            let chosen = chosen.map_or(self.seat.as_str(), |(_, words)| words);
            let offered = SEAT_CHOICES.iter().take(seats).map(|(_, words)| format!("{words:?}"));
            let (offered, last) = (join_items(offered, ", "), SEAT_CHOICES[seats].1);
            let table = if are_right {
                format!("against {}, ", count_with_noun(opponents, "opponent", "opponents"))
            } else {
                String::new()
            };
            format!("seat {chosen:?}: {table}choose {offered} or {last:?}")
        })
    }

    fn read_seconds(&self) -> Result<u32, String> {
        let seconds = self.time.parse().ok().filter(|seconds| (1..=MAX_SECONDS).contains(seconds));
        seconds.ok_or_else(|| format!("time {:?}: expected 1 to {MAX_SECONDS} seconds", self.time))
    }
}

impl GameRequest {
    /// Puts the guest, with an empty name, into the guest's seat. If that seat is to be drawn, the random number
    /// `drawn` decides it.
    pub(super) fn with_guest_at(self, drawn: usize) -> pb::CreateMatchRequest {
        let mut bots: Vec<_> = self.against.iter().map(ToString::to_string).collect();
        let seat = self.seat.unwrap_or(drawn % (bots.len() + 1));
        bots.insert(seat, String::new());
        pb::CreateMatchRequest { bots, ..self.terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hosted_bots() -> Vec<(BotName, String)> {
        ["a", "b", "c", "d", "e"].map(|name| (name.parse().unwrap(), "timid".to_owned())).to_vec()
    }

    fn typed_input(fields: &str) -> GameInput {
        GameInput::of_fields(&FormFields::parse(fields.as_bytes()).unwrap(), &hosted_bots())
    }

    const COMPLETE_FORM: &str =
        "against-a=on&against-c=on&size=high&ending=last_mover_wins&seat=1&time=5&rows=declared";

    #[test]
    fn typed_settings_become_a_request() {
        assert!(GameInput::initial(&hosted_bots()).read().is_ok());
        let request = typed_input(COMPLETE_FORM).read().unwrap().with_guest_at(2);
        assert_eq!((request.bots.join(" "), request.piles.as_slice()), ("a  c".into(), &[21, 34][..]));
        assert_eq!(request.ending(), pb::Ending::LastMoverWins);
        let clock = request.clock.unwrap();
        assert_eq!((clock.initial_ms, clock.declaration_ms), (5_000, 5_000));
        let drawn = typed_input(&COMPLETE_FORM.replace("seat=1", "seat=drawn")).read().unwrap();
        assert_eq!(drawn.clone().with_guest_at(5).bots.join(" "), "a c ");
        assert_eq!(drawn.with_guest_at(3).bots.join(" "), " a c");
        let own = typed_input(&format!("{COMPLETE_FORM}&piles=7%2C9")).read().unwrap();
        assert_eq!(own.terms.piles, [7, 9]);
    }

    #[test]
    fn every_error_is_reported() {
        let mistakes = typed_input("piles=x&ending=never&seat=9&time=0&rows=any").read().unwrap_err();
        assert_eq!(
            mistakes,
            [
                "no opponent was chosen: choose 1 to 4",
                "piles: \"x\" is not a whole number, 0 or more",
                "ending \"never\": expected to_move_wins or last_mover_wins",
                "seat \"9\": choose \"random\", \"I move first\", \"I move second\", \"I move third\", \"I move fourth\" or \"I move fifth\"",
                "time \"0\": expected 1 to 3600 seconds",
                "rows \"any\": expected standard or declared",
            ]
        );
        let all = "against-a=&against-b=&against-c=&against-d=&against-e=";
        let mistakes = typed_input(&format!("{all}&{}", &COMPLETE_FORM[26..])).read().unwrap_err();
        assert_eq!(mistakes, ["5 opponents were chosen: choose 1 to 4"]);
        for (piles, why) in
            [("9223372036854775808", "9223372036854775808"), (&"1 ".repeat(25), "25 piles"), ("0", "0")]
        {
            let refusal = typed_input(&format!("{COMPLETE_FORM}&piles={piles}")).read().unwrap_err();
            assert!(refusal[0].contains(why), "{refusal:?}");
        }
    }

    #[test]
    fn an_unavailable_seat_is_named_as_in_the_form() {
        let refusal = |opponents: &str, seat: &str| {
            let fields =
                COMPLETE_FORM.replace("against-a=on&against-c=on", opponents).replace("seat=1", seat);
            typed_input(&fields).read().unwrap_err()
        };
        assert_eq!(
            refusal("against-a=on", "seat=4"),
            [
                "seat \"I move fifth\": against 1 opponent, choose \"random\", \"I move first\" or \"I move second\""
            ]
        );
        assert_eq!(
            refusal("against-a=on&against-b=on", "seat=-1"),
            [
                "seat \"-1\": against 2 opponents, choose \"random\", \"I move first\", \"I move second\" or \"I move third\""
            ]
        );
        assert_eq!(refusal("against-=on", "seat=4"), ["no opponent was chosen: choose 1 to 4"]);
    }

    proptest! {
        #[test]
        fn no_form_causes_a_panic(fields in "[a-z0-9%=&+ -]{0,80}") {
            let _ = typed_input(&fields).read();
        }
    }
}
