//! The format and the positions of a tournament in words.

use super::words::{count_words, enum_word, join_words};
use lastnim_proto::pb;
use pb::tournament_settings::{Format, OtherPositions};

/// Names the format as the command line does.
pub fn format_name(settings: &pb::TournamentSettings) -> &'static str {
    match &settings.format {
        None | Some(Format::RoundRobin(_)) => "round-robin",
        Some(Format::Gauntlet(_)) => "gauntlet",
        Some(Format::Swiss(_)) => "swiss",
        Some(Format::Knockout(_)) => "knockout",
        Some(Format::Ladder(_)) => "ladder",
        Some(Format::Sprt(_)) => "sprt",
    }
}

fn groups_counted(groups: impl TryInto<u64>) -> String {
    count_words(groups, "group", "groups")
}

/// Says in one line who meets whom.
pub fn format_line(settings: &pb::TournamentSettings) -> String {
    let up_to = |most: u64| match most {
        0 => String::new(),
        _ => format!(", {}", groups_counted(most)),
    };
    match &settings.format {
        None => "round robin".to_owned(),
        Some(Format::RoundRobin(sample)) => format!("balanced sample{}", up_to(sample.groups)),
        Some(Format::Gauntlet(gauntlet)) => format!("gauntlet of {}{}", gauntlet.bot, up_to(gauntlet.groups)),
        Some(Format::Swiss(swiss)) => {
            let rounds = count_words(swiss.rounds, "round", "rounds");
            format!("Swiss, {rounds}, {} a table", groups_counted(swiss.table_groups))
        }
        Some(Format::Knockout(knockout)) => {
            let table_groups = groups_counted(knockout.table_groups);
            format!("knockout, {} of a table go on, {table_groups} a table", knockout.advance)
        }
        Some(Format::Ladder(ladder)) => {
            format!("ladder{}, {} a table", up_to(ladder.groups), groups_counted(ladder.table_groups))
        }
        Some(Format::Sprt(sprt)) => format!(
            "is {} better than {}, by {}: {} or more a match, not {} or less; at most {}",
            sprt.candidate,
            sprt.baseline,
            enum_word(sprt.measure().as_str_name(), "MEASURE_"),
            sprt.effect_some,
            sprt.effect_none,
            groups_counted(sprt.groups)
        ),
    }
}

/// Says in one line which positions are played.
pub fn positions_line(settings: &pb::TournamentSettings) -> String {
    match &settings.other_positions {
        None => {
            let positions = settings.positions.iter().map(|piles| join_words(&piles.counters, ","));
            positions.collect::<Vec<_>>().join("; ")
        }
        Some(OtherPositions::PaperPositions(_)) => "the paper's".to_owned(),
        Some(OtherPositions::DrawnPositions(drawn)) => format!(
            "{} drawn, of {} to {} piles of {} to {} counters",
            drawn.count, drawn.min_piles, drawn.max_piles, drawn.min_counters, drawn.max_counters
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        let told = |format| {
            let settings = pb::TournamentSettings { format: Some(format), ..Default::default() };
            (format_name(&settings), format_line(&settings))
        };
        let swiss = |rounds, table_groups| told(Format::Swiss(pb::SwissFormat { rounds, table_groups }));
        assert_eq!(swiss(1, 2), ("swiss", "Swiss, 1 round, 2 groups a table".to_owned()));
        assert_eq!(swiss(3, 1).1, "Swiss, 3 rounds, 1 group a table");
        let sample = |groups| told(Format::RoundRobin(pb::RoundRobinFormat { groups }));
        assert_eq!(sample(1), ("round-robin", "balanced sample, 1 group".to_owned()));
        let ladder = pb::LadderFormat { groups: 0, table_groups: 1, suspend_after: 5, pairing: 0 };
        assert_eq!(told(Format::Ladder(ladder)), ("ladder", "ladder, 1 group a table".to_owned()));
    }
}
