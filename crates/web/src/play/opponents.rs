//! Descriptions of house bots for players.

/// Descriptions of house bots by the first part of their kind; `#` stands for the number in the kind.
const DESCRIPTIONS: [(&str, &str); 15] = [
    ("random", "takes any number of counters, each equally likely"),
    ("greedy", "always takes the whole pile"),
    ("timid", "takes one counter at a time"),
    ("oracle", "plays optimally for itself"),
    ("loyal", "plays optimally, but would rather see the next seat win than win itself"),
    ("traitor", "declares that it wants the next seat to win, but plays for itself"),
    ("grudger", "plays well, and retaliates against seats that hurt it"),
    ("mirror", "takes as many counters as the seat before it just took"),
    ("minimax", "looks ahead to a depth of exactly #"),
    ("epsilon", "plays optimally, but errs on purpose with probability #"),
    ("mcts", "simulates # random games before each take"),
    ("liar", "plays optimally, but may lie about what it wants if that was dealt in secret"),
    ("naive", "plays optimally, and believes what others claim before they declare"),
    ("keeper", "plays optimally, signs pacts and keeps them"),
    ("breaker", "plays optimally, signs pacts and breaks them if that helps"),
];

/// Describes a house bot in a few words.
pub(super) fn opponent_description(house_bot: &str) -> String {
    let (kind, number) = house_bot.split_once('-').unwrap_or((house_bot, ""));
    let found = DESCRIPTIONS.iter().find(|(word, _)| *word == kind).map(|(_, words)| *words);
    found.unwrap_or("see docs/reference/house-bots.md").replace('#', number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_contain_the_number_of_the_kind() {
        assert_eq!(opponent_description("greedy"), "always takes the whole pile");
        assert_eq!(opponent_description("minimax-3"), "looks ahead to a depth of exactly 3");
        assert!(opponent_description("epsilon-0.1").contains("with probability 0.1"));
    }
}
