//! Parses the matches to void.

use lastnim_arena::VoidTarget;
use lastnim_proto::{RequestField, pb};
use pb::{void_matches_request as alone, void_target as listed};

/// The maximum number of targets per request. The tournament waits while each of them is looked up.
const MAX_TARGETS: usize = 100;

/// Parses the single target and the list of targets of a request, and returns them without duplicates.
pub(super) fn parse_void_targets(
    request: &pb::VoidMatchesRequest,
    field: RequestField<'_>,
) -> Option<Vec<VoidTarget>> {
    let (target, targets) = (field.member("target"), field.member("targets"));
    if request.targets.len() > MAX_TARGETS {
        targets.report(format_args!("{} targets: expected at most {MAX_TARGETS}", request.targets.len()));
        return None;
    }
    let first = match &request.target {
        Some(alone::Target::MatchId(id)) => Some(parse_match(id, target)),
        Some(alone::Target::Group(group)) => Some(Some(VoidTarget::Group(*group))),
        None if request.targets.is_empty() => {
            target.report("required unless targets are given");
            return None;
        }
        None => None,
    };
    let further = targets.parse_each(&request.targets, |listed, field| {
        match field.member("target").require(listed.target.as_ref())? {
            listed::Target::MatchId(id) => parse_match(id, field),
            listed::Target::Group(group) => Some(VoidTarget::Group(*group)),
        }
    });
    let mut wanted = Vec::new();
    for target in first.into_iter().chain(further?.into_iter().map(Some)) {
        let target = target?;
        if !wanted.contains(&target) {
            wanted.push(target);
        }
    }
    Some(wanted)
}

fn parse_match(id: &str, field: RequestField<'_>) -> Option<VoidTarget> {
    field.member("match_id").ok_or_report(id.parse()).map(VoidTarget::Match)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_proto::parse_request;

    const ID: &str = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f";

    fn parse_targets(
        target: Option<alone::Target>,
        targets: &[listed::Target],
    ) -> Result<Vec<VoidTarget>, String> {
        let targets = targets.iter().map(|target| pb::VoidTarget { target: Some(target.clone()) }).collect();
        let request = pb::VoidMatchesRequest { target, targets, ..Default::default() };
        parse_request(|field| parse_void_targets(&request, field)).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn single_and_listed_targets_are_parsed_without_duplicates() {
        let game = VoidTarget::Match(ID.parse().unwrap());
        let listed_targets =
            [listed::Target::MatchId(ID.into()), listed::Target::Group(7), listed::Target::Group(7)];
        assert_eq!(parse_targets(None, &listed_targets), Ok(vec![game, VoidTarget::Group(7)]));
        assert_eq!(parse_targets(Some(alone::Target::Group(0)), &[]), Ok(vec![VoidTarget::Group(0)]));
        let all = parse_targets(Some(alone::Target::MatchId(ID.into())), &listed_targets);
        assert_eq!(all, Ok(vec![game, VoidTarget::Group(7)]));
    }

    #[test]
    fn errors_name_the_invalid_field() {
        for (wrong, words) in [
            (parse_targets(None, &[]), "target: required unless targets are given"),
            (
                parse_targets(None, &vec![listed::Target::Group(1); 101]),
                "targets: 101 targets: expected at most 100",
            ),
            (parse_targets(Some(alone::Target::MatchId("x".into())), &[]), "target.match_id: "),
            (
                parse_targets(None, &[listed::Target::Group(1), listed::Target::MatchId("x".into())]),
                "targets[1].match_id: ",
            ),
        ] {
            let wrong = wrong.unwrap_err();
            assert!(wrong.contains(words), "{wrong}");
        }
        let request =
            pb::VoidMatchesRequest { targets: vec![pb::VoidTarget::default()], ..Default::default() };
        let wrong = parse_request(|field| parse_void_targets(&request, field)).unwrap_err().to_string();
        assert!(wrong.contains("targets[0].target: missing"), "{wrong}");
    }
}
