use super::*;
use std::net::{IpAddr, Ipv4Addr};

const LIMITS: ConnectionLimits = ConnectionLimits {
    connections: 6,
    strangers: 4,
    strangers_per_address: 3,
    stranger_call_time: Duration::ZERO,
    newcomer_grace: Duration::ZERO,
};
/// Limits under which no call ever runs long enough to be ended for another stranger.
const BRIEF_CALLS: ConnectionLimits = ConnectionLimits { stranger_call_time: Duration::MAX, ..LIMITS };

fn address(last: u8) -> ClientAddress {
    IpAddr::from(Ipv4Addr::new(127, 0, 0, last)).into()
}

/// Returns the indexes of the connections that still have a slot.
fn holder_indexes(connections: &[ConnectionSlot]) -> Vec<usize> {
    let holds = |slot: &ConnectionSlot| {
        slot.is_authenticated() || slot.slots.lock_slots().anonymous.contains_key(&slot.id)
    };
    connections.iter().enumerate().filter(|(_, slot)| holds(slot)).map(|(index, _)| index).collect()
}

/// Returns the indexes of the connections that were told to close.
fn leaving_indexes(connections: &[ConnectionSlot]) -> Vec<usize> {
    let leaves = |slot: &ConnectionSlot| slot.activity.leaving.is_cancelled();
    connections.iter().enumerate().filter(|(_, slot)| leaves(slot)).map(|(index, _)| index).collect()
}

/// Admits a connection from each address, which has not made a call yet.
fn admit_newcomers<const N: usize>(slots: &Arc<ConnectionSlots>, addresses: [u8; N]) -> Vec<ConnectionSlot> {
    let admit = |last| match slots.admit(Some(address(last))) {
        Admission::Admitted(slot) => slot,
        other => panic!("no slot: {other:?}"),
    };
    addresses.map(admit).into()
}

/// Admits a connection from each address, and makes it a stranger with a finished call.
fn admit_strangers<const N: usize>(slots: &Arc<ConnectionSlots>, addresses: [u8; N]) -> Vec<ConnectionSlot> {
    let connections = admit_newcomers(slots, addresses);
    for slot in &connections {
        drop(slot.mark_call());
        slot.mark_stranger().unwrap();
    }
    connections
}

#[test]
fn a_burst_of_newcomers_can_use_all_slots() {
    let slots = ConnectionSlots::new(LIMITS);
    let burst = admit_newcomers(&slots, [1; 6]);
    assert_eq!((holder_indexes(&burst).len(), leaving_indexes(&burst)), (6, vec![]));
    for slot in &burst {
        slot.mark_authenticated();
    }
    assert_eq!(holder_indexes(&burst).len(), 6);
    assert!(matches!(slots.admit(Some(address(2))), Admission::Full), "all slots are authenticated");
}

#[test]
fn a_recent_newcomer_keeps_its_slot() {
    let slots = ConnectionSlots::new(ConnectionLimits { newcomer_grace: Duration::MAX, ..LIMITS });
    let newcomers = admit_newcomers(&slots, [1; 6]);
    assert!(matches!(slots.admit(Some(address(2))), Admission::RetryAfter(_)));
    // A stranger without a call is evicted first.
    newcomers[3].mark_stranger().unwrap();
    admit_newcomers(&slots, [2]);
    assert_eq!(holder_indexes(&newcomers), [0, 1, 2, 4, 5]);
}

#[test]
fn a_newcomer_evicts_an_idle_connection_of_the_address_that_has_the_most() {
    let slots = ConnectionSlots::new(LIMITS);
    let connections = admit_newcomers(&slots, [1, 2, 2, 2, 3, 4]);
    let _call = connections[1].mark_call();
    let more = admit_newcomers(&slots, [5]);
    assert_eq!((holder_indexes(&connections), holder_indexes(&more)), (vec![0, 1, 3, 4, 5], vec![0]));
    assert_eq!(leaving_indexes(&connections), [2], "its calls end");
    // Connections with running calls are evicted last.
    let _calls: Vec<_> = connections.iter().chain(&more).map(ConnectionSlot::mark_call).collect();
    let _last = admit_newcomers(&slots, [6]);
    assert_eq!(holder_indexes(&connections), [0, 3, 4, 5]);
}

#[test]
fn a_stranger_without_a_call_is_told_to_close_for_another() {
    let slots = ConnectionSlots::new(BRIEF_CALLS);
    let first = admit_strangers(&slots, [1, 1, 2, 3]);
    let _call = first[0].mark_call();
    let more = admit_strangers(&slots, [4]);
    assert_eq!((leaving_indexes(&first), leaving_indexes(&more)), (vec![1], vec![]));
    assert_eq!(holder_indexes(&first), [0, 1, 2, 3], "it keeps its slot until it is closed");
}

#[test]
fn an_address_has_its_own_limit() {
    let slots = ConnectionSlots::new(LIMITS);
    let first = admit_strangers(&slots, [1, 1, 1, 1]);
    assert_eq!(leaving_indexes(&first), [0]);
    // A proxy announces the client's address after it has connected. The connection counts for that address like any
    // other.
    let Admission::Admitted(behind_proxy) = slots.admit(None) else { panic!("no slot") };
    behind_proxy.set_address(address(1));
    behind_proxy.mark_stranger().unwrap();
    assert_eq!((leaving_indexes(&first), leaving_indexes(&[behind_proxy])), (vec![0, 1], vec![]));
}

#[test]
fn strangers_with_recent_calls_are_not_told_to_close() {
    let slots = ConnectionSlots::new(BRIEF_CALLS);
    let first = admit_strangers(&slots, [1, 2, 3, 4]);
    let _calls: Vec<_> = first.iter().map(ConnectionSlot::mark_call).collect();
    let newcomer = admit_newcomers(&slots, [5]).remove(0);
    assert_eq!(newcomer.mark_stranger(), Err(TooManyStrangers));
    assert_eq!(newcomer.mark_stranger(), Err(TooManyStrangers), "it is asked to leave");
    assert_eq!((leaving_indexes(&first), leaving_indexes(&[newcomer])), (vec![], vec![0]));
    let known = admit_newcomers(&slots, [6]).remove(0);
    known.mark_authenticated();
    assert_eq!(known.mark_stranger(), Ok(()));
}

#[test]
fn strangers_are_told_to_close_one_by_one_for_newcomers() {
    let slots = ConnectionSlots::new(LIMITS);
    let first = admit_strangers(&slots, [1, 2, 2, 3]);
    let _calls: Vec<_> = first.iter().map(ConnectionSlot::mark_call).collect();
    let mut later = Vec::new();
    for (last, expected) in [(4, vec![1]), (5, vec![0, 1]), (6, vec![0, 1, 2])] {
        let newcomer = admit_newcomers(&slots, [last]).remove(0);
        let call = newcomer.mark_call();
        newcomer.mark_stranger().unwrap();
        later.push((newcomer, call));
        assert_eq!(leaving_indexes(&first), expected);
        // The connection that was told to close is now closed.
        slots.lock_slots().anonymous.retain(|_, connection| connection.stage != AnonymousStage::Leaving);
    }
}

#[test]
fn authenticated_connections_are_never_evicted() {
    let slots = ConnectionSlots::new(LIMITS);
    let known = admit_newcomers(&slots, [1; 3]);
    for slot in &known {
        slot.mark_authenticated();
        slot.mark_authenticated();
    }
    let newcomers = admit_newcomers(&slots, [1, 1, 1, 2, 3]);
    assert_eq!((holder_indexes(&known), holder_indexes(&newcomers)), (vec![0, 1, 2], vec![2, 3, 4]));
    // An evicted connection cannot become known: its token came too late.
    newcomers[0].mark_authenticated();
    assert_eq!(holder_indexes(&newcomers), [2, 3, 4]);
    for slot in &newcomers {
        slot.mark_authenticated();
    }
    assert!(matches!(slots.admit(Some(address(4))), Admission::Full));
    drop(known);
    assert!(matches!(slots.admit(Some(address(4))), Admission::Admitted(_)));
}

#[test]
fn a_slot_is_released_when_dropped() {
    let slots = ConnectionSlots::new(LIMITS);
    for round in 0..20 {
        let newcomers = admit_newcomers(&slots, [1, 2, 3, 4, 5]);
        newcomers[1].mark_authenticated();
        newcomers[2].mark_stranger().unwrap();
        let taken = slots.lock_slots();
        assert_eq!((taken.known, taken.anonymous.len()), (1, 4), "round {round}");
    }
    let taken = slots.lock_slots();
    assert_eq!((taken.known, taken.anonymous.len()), (0, 0));
}

#[test]
fn a_connection_is_idle_between_its_calls() {
    let slots = ConnectionSlots::new(LIMITS);
    let slot = admit_newcomers(&slots, [1]).remove(0);
    assert!(slot.idle_time().is_some());
    let calls = [slot.mark_call(), slot.mark_call()];
    assert_eq!(slot.idle_time(), None);
    drop(calls);
    assert!(slot.idle_time().is_some());
}
