//! House bots, as people are told of them.

/// What house bots do, by the word that their kind begins with. `#` stands for the number in it.
const WORDS: [(&str, &str); 11] = [
    ("random", "takes any number of counters, each equally likely"),
    ("greedy", "takes the whole pile, always"),
    ("timid", "takes one counter at a time"),
    ("oracle", "plays perfectly for itself"),
    ("loyal", "plays perfectly, but would rather see the seat after it win than itself"),
    ("traitor", "says that it wants the seat after it to win, and plays for itself"),
    ("grudger", "plays well, and pays back who cost it something"),
    ("mirror", "takes as many counters as the seat before it has just taken"),
    ("minimax", "sees # takes ahead, and nothing beyond"),
    ("epsilon", "plays perfectly, but errs on purpose in a share of # of its turns"),
    ("mcts", "tries # random games before each take"),
];

/// Says in a few words what a house bot does.
pub(super) fn opponent_words(house_bot: &str) -> String {
    let (kind, number) = house_bot.split_once('-').unwrap_or((house_bot, ""));
    let found = WORDS.iter().find(|(word, _)| *word == kind).map(|(_, words)| *words);
    found.unwrap_or("plays as docs/house-bots.md says").replace('#', number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_kind_stands_in_its_words() {
        assert_eq!(opponent_words("greedy"), "takes the whole pile, always");
        assert_eq!(opponent_words("minimax-3"), "sees 3 takes ahead, and nothing beyond");
        assert!(opponent_words("epsilon-0.1").contains("a share of 0.1"));
    }
}
