//! The filter of a list of matches.

use super::address_parts::QueryPart;
use super::forms::FormFields;
use form_urlencoded::Serializer;
use lastnim_core::game::BotName;
use lastnim_proto::pb;
use lastnim_report::words::enum_word;

/// Which matches a list shows; empty fields exclude nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct MatchFilter {
    /// Matches of this bot.
    pub bot: Option<BotName>,
    /// Matches in this state.
    pub state: Option<pb::MatchState>,
    /// Matches that ended for this reason.
    pub reason: Option<pb::EndReason>,
}

/// The states that the filter offers.
pub(super) const FILTER_STATES: [pb::MatchState; 4] =
    [pb::MatchState::Open, pb::MatchState::Over, pb::MatchState::Voided, pb::MatchState::Quarantined];

/// The reasons that the filter offers.
pub(super) const FILTER_REASONS: [pb::EndReason; 4] =
    [pb::EndReason::Finished, pb::EndReason::PlyLimit, pb::EndReason::AllForfeited, pb::EndReason::Cancelled];

/// Returns the name of a state in addresses.
pub(super) fn state_word(state: pb::MatchState) -> String {
    enum_word(state.as_str_name(), "MATCH_STATE_")
}

/// Returns the name of a reason in addresses.
pub(super) fn reason_word(reason: pb::EndReason) -> String {
    enum_word(reason.as_str_name(), "END_REASON_")
}

impl MatchFilter {
    /// Adds the filter to a request.
    pub(super) fn narrow_request(&self, request: &mut pb::ListMatchesRequest) {
        request.bots.extend(self.bot.iter().map(ToString::to_string));
        request.state = self.state.unwrap_or_default().into();
        request.reason = self.reason.unwrap_or_default().into();
    }
}

impl QueryPart for MatchFilter {
    /// Empty values count as missing, as in a form that was not filled in.
    fn read(query: &FormFields, _: &str) -> Result<Self, String> {
        let given_value = |key| query.find(key).map(str::trim).filter(|value| !value.is_empty());
        let bot =
            given_value("bot").map(|bot| bot.parse().map_err(|error| format!("{error}"))).transpose()?;
        let state = given_value("state")
            .map(|given| parse_choice("state", given, &FILTER_STATES, state_word))
            .transpose()?;
        let reason = given_value("reason")
            .map(|given| parse_choice("reason", given, &FILTER_REASONS, reason_word))
            .transpose()?;
        Ok(Self { bot, state, reason })
    }

    fn write(&self, _: &str, query: &mut Serializer<'_, String>) {
        query.extend_pairs(self.bot.iter().map(|bot| ("bot", bot.as_str())));
        query.extend_pairs(self.state.map(|state| ("state", state_word(state))));
        query.extend_pairs(self.reason.map(|reason| ("reason", reason_word(reason))));
    }
}

fn parse_choice<T: Copy>(
    key: &str,
    given: &str,
    known: &[T],
    word: impl Fn(T) -> String,
) -> Result<T, String> {
    let found = known.iter().copied().find(|&each| word(each) == given);
    found.ok_or_else(|| {
        let words: Vec<_> = known.iter().map(|&each| word(each)).collect();
        format!("{key} {given:?}: expected one of {}", words.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_round_trip() {
        let filter_of = |query: &str| MatchFilter::read(&FormFields::parse(query.as_bytes()).unwrap(), "");
        let filter = filter_of("bot=ann&state=over&reason=ply_limit").unwrap();
        let mut query = Serializer::new(String::new());
        filter.write("", &mut query);
        assert_eq!(query.finish(), "bot=ann&state=over&reason=ply_limit");
        assert_eq!(filter_of("bot=&state=&reason="), Ok(MatchFilter::default()));
        assert_eq!(
            filter_of("state=odd"),
            Err("state \"odd\": expected one of open, over, voided, quarantined".to_owned())
        );
        assert!(filter_of("bot=A%20B").unwrap_err().contains("A B"));
    }
}
