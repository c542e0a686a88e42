//! Reads pacts that people type.

/// A pact as numbers: each member with its relations, in which the first seat must come before the second.
pub type PactTerms = Vec<(usize, Vec<(usize, usize)>)>;

/// Reads a pact such as `0: 1>2, 0>2; 1: 1>2`: members with semicolons between them, each with its relations. A chain
/// such as `1>2>0` stands for two relations.
///
/// # Errors
/// If a member has no colon, or a word is not a number. The error names the text.
pub fn read_pact(text: &str) -> Result<PactTerms, String> {
    text.split(';').map(read_member).collect()
}

fn read_member(text: &str) -> Result<(usize, Vec<(usize, usize)>), String> {
    let text = text.trim();
    let (member, relations) = text.split_once(':').ok_or_else(|| {
        format!("{text:?} has no colon: expected a member and its relations, as in 0: 1>2, 0>2")
    })?;
    let relations = relations.split(',').map(str::trim).filter(|relation| !relation.is_empty());
    let relations: Vec<Vec<(usize, usize)>> = relations.map(read_chain).collect::<Result<_, _>>()?;
    Ok((read_seat(member)?, relations.concat()))
}

fn read_chain(text: &str) -> Result<Vec<(usize, usize)>, String> {
    let seats: Vec<usize> = text.split('>').map(read_seat).collect::<Result<_, _>>()?;
    if seats.len() < 2 {
        return Err(format!("{text:?} is not a relation: expected two seats, as in 1>2"));
    }
    Ok(seats.windows(2).map(|pair| (pair[0], pair[1])).collect())
}

fn read_seat(text: &str) -> Result<usize, String> {
    let text = text.trim();
    text.parse().map_err(|_| format!("{text:?} is not the number of a seat: expected a number such as 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pacts_are_read_with_chains_and_blanks() {
        assert_eq!(
            read_pact("0: 1>2, 0 > 2 ;1:2>0>1; 2:"),
            Ok(vec![(0, vec![(1, 2), (0, 2)]), (1, vec![(2, 0), (0, 1)]), (2, vec![])])
        );
    }

    #[test]
    fn errors_name_the_text() {
        let error = |text| read_pact(text).unwrap_err();
        assert_eq!(
            error("0: 1>2; 1>2"),
            "\"1>2\" has no colon: expected a member and its relations, as in 0: 1>2, 0>2"
        );
        assert_eq!(error("0: 1"), "\"1\" is not a relation: expected two seats, as in 1>2");
        assert_eq!(error("x: 1>2"), "\"x\" is not the number of a seat: expected a number such as 0");
        assert_eq!(error("0: 1>"), "\"\" is not the number of a seat: expected a number such as 0");
    }
}
