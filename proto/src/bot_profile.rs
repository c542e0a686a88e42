//! Converts profiles of bots to and from messages.

use super::{RequestField, parse_request, pb};
use lastnim_core::game::BotProfile;

impl From<&BotProfile> for pb::BotProfile {
    fn from(profile: &BotProfile) -> Self {
        let BotProfile { team, author, link } = profile;
        Self {
            team: team.as_ref().map(ToString::to_string).unwrap_or_default(),
            author: author.as_ref().map(ToString::to_string).unwrap_or_default(),
            link: link.as_ref().map(ToString::to_string).unwrap_or_default(),
        }
    }
}

impl TryFrom<&pb::BotProfile> for BotProfile {
    type Error = String;

    fn try_from(given: &pb::BotProfile) -> Result<Self, String> {
        parse_request(|field| parse_bot_profile(Some(given), field)).map_err(|mistakes| mistakes.to_string())
    }
}

/// Reads the profile of a new bot from the field `profile`. A missing profile and empty texts say nothing.
pub fn parse_bot_profile(given: Option<&pb::BotProfile>, field: RequestField<'_>) -> Option<BotProfile> {
    let Some(pb::BotProfile { team, author, link }) = given else { return Some(BotProfile::default()) };
    let field = field.member("profile");
    let team = field.member("team").parse_if_given(team);
    let author = field.member("author").parse_if_given(author);
    let link = field.member("link").parse_if_given(link);
    Some(BotProfile { team: team?, author: author?, link: link? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mistake_in_a_profile_is_reported() {
        let given = pb::BotProfile { team: " ".into(), author: String::new(), link: "ftp://a".into() };
        let mistakes = parse_request(|field| parse_bot_profile(Some(&given), field)).unwrap_err();
        let fields: Vec<_> = mistakes.as_slice().iter().map(|mistake| mistake.field.as_str()).collect();
        assert_eq!(fields, ["profile.team", "profile.link"]);
        let given = pb::BotProfile { team: "The Nimbers".into(), ..Default::default() };
        let profile = BotProfile::try_from(&given).unwrap();
        assert_eq!((pb::BotProfile::from(&profile), profile.link), (given, None));
        assert_eq!(parse_request(|field| parse_bot_profile(None, field)), Ok(BotProfile::default()));
    }
}
