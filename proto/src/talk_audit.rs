//! Writes the audits of talk as messages.

use super::pb;
use lastnim_analysis::deals::{ClaimAudit, DoubleDealing, PactAudit, PactMemberAudit, TalkAudit, WordKept};

impl From<&TalkAudit> for pb::TalkAudit {
    fn from(audit: &TalkAudit) -> Self {
        Self {
            allows_pacts: audit.allows_pacts,
            offers: audit.hidden_messages.seats().iter().map(|seat| audit.offer_count(seat)).collect(),
            pacts: audit.pacts.iter().map(Into::into).collect(),
            double_dealing: audit.double_dealing.iter().map(Into::into).collect(),
            claims: audit.claims.iter().map(Into::into).collect(),
            hidden_messages: audit.hidden_messages.as_slice().to_vec(),
            may_hide_pacts: audit.may_hide_pacts(),
            has_dealt_rows: audit.has_dealt_rows,
        }
    }
}

impl From<&PactAudit> for pb::PactAudit {
    fn from(audit: &PactAudit) -> Self {
        let values = audit.values.as_ref();
        Self {
            offer: Some(audit.offer.into()),
            pact: Some((&audit.pact).into()),
            values: values.map(|values| values.as_slice().to_vec()).unwrap_or_default(),
            members: audit.members.iter().map(Into::into).collect(),
        }
    }
}

impl From<&PactMemberAudit> for pb::PactMemberAudit {
    fn from(member: &PactMemberAudit) -> Self {
        let word = match member.word {
            WordKept::Kept => pb::WordKept::Kept,
            WordKept::Broken => pb::WordKept::Broken,
            WordKept::Defaulted => pb::WordKept::Defaulted,
        };
        let harms = member.harms.as_ref();
        Self {
            seat: member.seat.into(),
            word: word.into(),
            temptation: member.temptation.and_then(Result::ok),
            harms: harms.map(|harms| harms.as_slice().to_vec()).unwrap_or_default(),
        }
    }
}

impl From<&DoubleDealing> for pb::DoubleDealing {
    fn from(found: &DoubleDealing) -> Self {
        let earlier = found.earlier.iter().map(|&pact| pact as u32).collect();
        Self { seat: found.seat.into(), pact: found.pact as u32, earlier }
    }
}

impl From<&ClaimAudit> for pb::ClaimAudit {
    fn from(claim: &ClaimAudit) -> Self {
        let &ClaimAudit { seat, round, number, .. } = claim;
        Self {
            seat: seat.into(),
            round,
            number,
            row: Some((&claim.row).into()),
            from_dealt: claim.from_dealt.map(|pairs| pairs as u32),
            from_declared: claim.from_declared.map(|pairs| pairs as u32),
        }
    }
}
