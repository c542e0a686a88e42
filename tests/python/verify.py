"""Verifies records and manifests of lastnim: an independent program, written from docs/reference/records.md alone.

    python verify.py PUBLIC_KEY FILE...

Each file holds the JSON of a record, or a manifest. Prints a line for each, and exits with 1 if one does not verify.
"""

import base64
import json
import struct
import sys
import uuid

from blake3 import blake3
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

NUMBERS = {
    "ending": ["TO_MOVE_WINS", "LAST_MOVER_WINS"],
    "deal_rule": ["ALL", "SELF_FIRST"],
    "row_default": ["LATE", "INVALID", "FORFEITED"],
    "refusal_reason": [
        "ILLEGAL_TAKE",
        "NOT_YOUR_TURN",
        "FUTURE_PLY",
        "STALE",
        "INVALID_ROW",
        "ALREADY_DECLARED",
        "NOT_STARTED",
        "MATCH_ENDED",
        "FORFEITED",
        "UNKNOWN_MATCH",
        "MALFORMED",
        "INVALID_TALK",
    ],
    "talk_privacy": ["OPEN", "PRIVATE", "PUBLISHED"],
    "forfeit_reason": ["TIMED_OUT", "DISCONNECTED", "NO_SHOW", "STRIKES", "RESIGNED", "DISQUALIFIED"],
    "end_reason": ["FINISHED", "PLY_LIMIT", "ALL_FORFEITED", "CANCELLED"],
}


class Unreadable(Exception):
    """An event has unknown contents: it may be from a newer version."""


def u8(number):
    return struct.pack("<B", number)


def u32(number):
    return struct.pack("<I", number)


def u64(number):
    return struct.pack("<Q", int(number))


def listed(elements):
    return u32(len(elements)) + b"".join(elements)


def optional(value):
    return u8(0) if value is None else u8(1) + value


def named(kind, name):
    word = name.removeprefix(kind.upper() + "_")
    return u8(NUMBERS[kind].index(word) + 1)


def row(given):
    return listed([u8(offset) for offset in given["offsets"]])


def matrix(given):
    return listed([row(each) for each in given["rows"]])


def seat(given):
    return u8(given.get("seat", 0))


def note_hash(given):
    bytes_given = base64.b64decode(given.get("note_hash", ""), validate=True)
    if len(bytes_given) not in (0, 32):
        raise Unreadable(f"a note hash of {len(bytes_given)} bytes: expected 32")
    return bytes_given


def setup(given):
    clock = given["clock"]
    times = ["initial_ms", "increment_ms", "lag_quota_ms", "lag_total_ms", "declaration_ms"]
    assigned, tournament = given.get("assigned"), given.get("tournament_id")
    origin = None
    if tournament:
        origin = uuid.UUID(tournament).bytes + u64(given.get("number", 0)) + u64(given.get("group", 0))
    names = [name.encode() for name in given["bots"]]
    return b"".join(
        [
            listed([u32(len(name)) + name for name in names]),
            listed([u64(counters) for counters in given["piles"]]),
            u8(given.get("first", 0)),
            named("ending", given["ending"]),
            *[u64(1_000 * clock.get(time, 0)) for time in times],
            u32(given["strikes"]),
            u32(given["max_plies"]),
            optional(matrix(assigned) if assigned else None),
            optional(origin),
            rest_of_setup(given),
        ]
    )


def rest_of_setup(given):
    """The deal, the talk and the time to return of a setup; empty without them."""
    dealt, talked = deal(given.get("deal")) or None, talk(given["talk"]) if "talk" in given else None
    within = given["clock"].get("return_within_ms")
    if within is not None:
        return optional(dealt) + optional(talked) + u64(1_000 * within)
    if talked is not None:
        return optional(dealt) + talked
    return dealt or b""


def talk(talk):
    if unknown := talk.keys() - {"rounds", "round_ms", "text_chars", "privacy", "pacts"}:
        raise Unreadable(f"`talk` with an unknown member {', '.join(sorted(unknown))}")
    return (
        u32(talk["rounds"])
        + u64(1_000 * talk["round_ms"])
        + u32(talk["text_chars"])
        + named("talk_privacy", talk["privacy"])
        + u8(1 if talk.get("pacts") else 0)
    )


def pact(given):
    """The members of a pact, each with its relations."""
    members = []
    for member in given["members"]:
        relations = [(each.get("before", 0), each.get("after", 0)) for each in member.get("relations", [])]
        members.append(seat(member) + u8(len(relations)) + b"".join(u8(one) + u8(two) for one, two in relations))
    return b"".join(members)


# The bytes of what a message says, by its kind.
CONTENTS = {
    "text": lambda value: u8(1) + value.encode(),
    "claim": lambda value: u8(2) + bytes(value["offsets"]),
    "offer": lambda value: u8(3) + pact(value),
    "accept": lambda value: u8(4) + seat(value) + u32(value.get("round", 0)) + u32(value.get("number", 0)),
}


def said(given):
    place = seat(given) + u32(given.get("round", 0)) + u32(given.get("number", 0))
    commitment = base64.b64decode(given["commitment"], validate=True)
    if content := given.get("content"):
        ((kind, value),) = content.items()
        opened = CONTENTS[kind](value)
        salt = base64.b64decode(given["salt"], validate=True)
        if blake3(place + salt + opened, derive_key_context="lastnim 2026 talk message").digest() != commitment:
            raise Unreadable("the content of a message is not the committed one")
    to = given.get("to")
    audience = u8(1) if not to else u8(3 if given.get("published") else 2) + listed([u8(each) for each in to])
    return place + audience + commitment


def hashes(given):
    return listed([base64.b64decode(each, validate=True) for each in given])


def deal(given):
    """A deal; empty without one."""
    if given is None:
        return b""
    if "rule" in given:
        rule = named("deal_rule", given["rule"])
    else:
        rule = u8(3) + listed([row(each) for each in given["rows"]])
    return rule + hashes(given["commitments"])


def dealt(given):
    return matrix(given["rows"]) + hashes(given["salts"])


def check_deal(record):
    """Raises an error if the dealt rows are not those to which the setup is committed."""
    created, second = (event for event in record["events"][:2])
    commitments = [base64.b64decode(each) for each in created["created"]["deal"]["commitments"]]
    given = second.get("dealt") or {"rows": {"rows": []}, "salts": []}
    rows = [bytes(each["offsets"]) for each in given["rows"]["rows"]]
    salts = [base64.b64decode(salt) for salt in given["salts"]]
    context = "lastnim 2026 dealt row"
    computed = [blake3(u8(i) + salts[i] + rows[i], derive_key_context=context).digest() for i in range(len(rows))]
    if computed != commitments:
        raise Unreadable("the dealt rows are not those to which the setup is committed")


def declared(given):
    why = given.get("defaulted")
    return seat(given) + row(given["row"]) + optional(named("row_default", why) if why else None) + note_hash(given)


def took(given):
    return (
        u32(given.get("ply", 0))
        + seat(given)
        + u64(given["take"])
        + u8(2 if given.get("steward") else 1)
        + u64(given.get("charged_us", 0))
        + u64(given.get("lag_us", 0))
        + note_hash(given)
    )


def ended(given):
    winner = given.get("winner")
    return named("end_reason", given["reason"]) + optional(None if winner is None else u8(winner))


# The tag, the tag with a note hash, the function that writes the rest, and the known members.
KINDS = {
    "created": (
        1,
        None,
        setup,
        {"bots", "piles", "first", "ending", "clock", "strikes", "max_plies"}
        | {"assigned", "tournament_id", "number", "group", "deal", "talk"},
    ),
    "dealt": (11, None, dealt, {"rows", "salts"}),
    "said": (13, None, said, {"seat", "round", "number", "to", "published", "commitment", "content", "salt"}),
    "heard": (14, None, lambda given: u32(given.get("round", 0)), {"round"}),
    "talk_ended": (15, None, lambda given: seat(given) + u32(given.get("round", 0)), {"seat", "round"}),
    "declared": (2, 8, declared, {"seat", "row", "defaulted", "note_hash"}),
    "revealed": (3, None, lambda given: matrix(given["alliance_matrix"]), {"alliance_matrix"}),
    "took": (4, 9, took, {"ply", "seat", "take", "steward", "charged_us", "lag_us", "note_hash"}),
    "struck": (
        5,
        None,
        lambda given: seat(given) + u32(given.get("ply", 0)) + named("refusal_reason", given["reason"]),
        {"seat", "ply", "reason"},
    ),
    "forfeited": (6, None, lambda given: seat(given) + named("forfeit_reason", given["reason"]), {"seat", "reason"}),
    "ended": (7, None, ended, {"reason", "winner"}),
}


def canonical(event):
    kinds = event.keys() - {"at_us", "hash"}
    if len(kinds) != 1 or not kinds <= KINDS.keys():
        raise Unreadable(f"{', '.join(sorted(kinds)) or 'nothing'}: expected one of {', '.join(KINDS)}")
    (kind,) = kinds
    given = event[kind]
    tag, noted_tag, write, members = KINDS[kind]
    if unknown := given.keys() - members:
        raise Unreadable(f"`{kind}` with an unknown member {', '.join(sorted(unknown))}: a newer verifier may know it")
    tag = 12 if "talk" in given else 10 if "deal" in given else noted_tag if given.get("note_hash") else tag
    if kind == "created" and given["clock"].get("return_within_ms") is not None:
        tag = 16
    return u8(tag) + u64(event.get("at_us", 0)) + write(given)


def flaw(record, key):
    """Returns the fault in a record, or None."""
    head = blake3(b"lastnim event chain v1\n" + uuid.UUID(record["match_id"]).bytes).digest()
    for index, event in enumerate(record["events"]):
        try:
            head = blake3(canonical(event), key=head).digest()
        except Unreadable as why:
            return f"event {index} cannot be read: {why}"
        if base64.b64decode(event["hash"]) != head:
            return f"event {index}: its hash is not that of the event and all before it"
    if "deal" in record["events"][0]["created"]:
        try:
            check_deal(record)
        except Unreadable as why:
            return str(why)
    if base64.b64decode(record["signer"]) != key:
        return "it is signed by another key"
    try:
        signature = base64.b64decode(record["signature"])
        Ed25519PublicKey.from_public_bytes(key).verify(signature, b"lastnim record seal v1\n" + head)
    except InvalidSignature:
        return "the signature is not the key's on this record"
    return None


def manifest_flaw(text, key):
    """Returns the fault in a manifest, given its lines; None if the key has signed them."""
    *lines, last = text.splitlines(keepends=True)
    seal = json.loads(last).get("seal")
    if seal is None:
        return "it is cut off: its last line holds no signature"
    if base64.b64decode(seal["signer"]) != key:
        return "it is signed by another key"
    digest = blake3(b"lastnim tournament manifest v1\n" + b"".join(lines)).digest()
    try:
        signature = base64.b64decode(seal["signature"])
        Ed25519PublicKey.from_public_bytes(key).verify(signature, b"lastnim manifest seal v1\n" + digest)
    except InvalidSignature:
        return "the signature is not the key's on these lines"
    return None


def main():
    key = base64.b64decode(sys.argv[1])
    failed = False
    for file in sys.argv[2:]:
        with open(file, "rb") as opened:
            text = opened.read()
        is_manifest = text.startswith(b'{"manifest":')
        said = manifest_flaw(text, key) if is_manifest else flaw(json.loads(text), key)
        failed |= said is not None
        print(f"{file}: {said or 'verifies'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
