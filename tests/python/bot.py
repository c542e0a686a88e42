"""A bot for lastnim in Python: it takes two counters if it can, and otherwise one."""
import argparse
import os
import queue
import sys
import threading
import time

import grpc
from lastnim.v1 import arena_service_pb2 as arena
from lastnim.v1 import arena_service_pb2_grpc, bot_service_pb2, bot_service_pb2_grpc, game_pb2
from lastnim.v1 import match_service_pb2, match_service_pb2_grpc, tournament_service_pb2

OPTIONS = [
    ("grpc.max_receive_message_length", 64 << 20),  # A large tournament does not fit into the usual 4 MiB.
    ("grpc.keepalive_time_ms", 10_000),  # Without keepalive a lost network goes unnoticed.
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
]
SILENCE = 25  # Seconds without an event after which the session is lost: the server sends pings more often.
PASSING = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INTERNAL,
)
OVER = (tournament_service_pb2.TOURNAMENT_STATE_FINISHED, tournament_service_pb2.TOURNAMENT_STATE_CANCELLED)
ASK_AGAIN = (arena.JOIN_REFUSAL_BUSY, arena.JOIN_REFUSAL_UNAVAILABLE)


class NotJoined(Exception):
    """The server has not entered the bot in its tournament."""


def answers(event):
    """Yields the bot's reactions to one event of its session."""
    kind = event.WhichOneof("event")
    if kind == "match_started" and not event.match_started.setup.HasField("assigned"):
        yield declare(event.match_started)
    elif kind == "snapshot":  # The match was open before this session began.
        if event.snapshot.declaration_left_ms > 0:
            yield declare(event.snapshot.started)
        if event.snapshot.HasField("turn"):
            yield take(event.snapshot.turn)
    elif kind == "turn":
        yield take(event.turn)
    elif kind == "ping":
        yield arena.PlayRequest(pong=arena.Pong(id=event.ping.id))
    elif kind == "join_refused":
        raise NotJoined(event.join_refused)
    elif kind == "refused":
        print(f"refused ({event.refused.strikes} strikes so far): {event.refused.message}", file=sys.stderr)
    elif kind == "suspended":  # A ladder gives it no more matches, until it joins again.
        print(f"tournament {event.suspended.tournament_id}: {event.suspended.message}", file=sys.stderr)


def declare(started):
    row = game_pb2.Row(offsets=range(len(started.setup.bots)))  # Oneself first, then the seats in playing order.
    return arena.PlayRequest(declare=arena.Declare(match_id=started.match_id, row=row))


def take(turn):
    return arena.PlayRequest(take=arena.Take(match_id=turn.match_id, ply=turn.ply, take=min(turn.counters, 2)))


def is_over(event, tournament):
    """Returns whether an event says that the tournament is over."""
    if event.HasField("joined_tournament"):  # It may have ended before.
        joined = event.joined_tournament.tournament
        return joined.id == tournament and joined.state in OVER
    return event.HasField("tournament_ended") and event.tournament_ended.tournament_id == tournament


def heard(session):
    """Yields the events of a session, and cancels it after 25 s without one."""
    last = time.monotonic()

    def watch():
        while (left := last + SILENCE - time.monotonic()) > 0:
            time.sleep(left)
        session.cancel()

    threading.Thread(target=watch, daemon=True).start()
    for event in session:
        last = time.monotonic()
        yield event


def play(channel, tournament, metadata):
    """Joins the tournament (again, if need be) and plays in one session; returns whether the tournament is over."""
    actions = queue.Queue()
    actions.put(arena.PlayRequest(join_tournament=arena.JoinTournament(tournament_id=tournament)))
    session = arena_service_pb2_grpc.ArenaServiceStub(channel).Play(iter(actions.get, None), metadata=metadata)
    try:
        for event in heard(session):
            if is_over(event, tournament):
                return True
            for action in answers(event):
                actions.put(action)
    finally:
        actions.put(None)
        session.cancel()
    return False


def practise(channel, metadata):
    """Plays every house bot that the server hosts from both seats, one match after the other."""
    bots = bot_service_pb2_grpc.BotServiceStub(channel)
    own = bots.GetCaller(bot_service_pb2.GetCallerRequest(), metadata=metadata).bot
    listed = bots.ListBots(bot_service_pb2.ListBotsRequest(page_size=1000), metadata=metadata).bots
    pairs = [pair for bot in listed if bot.house_bot for pair in ((own, bot.name), (bot.name, own))]
    if not pairs:
        raise SystemExit("the server hosts no house bots: `lastnim serve --house oracle` does")
    matches, actions, current = match_service_pb2_grpc.MatchServiceStub(channel), queue.Queue(), None
    session = arena_service_pb2_grpc.ArenaServiceStub(channel).Play(iter(actions.get, None), metadata=metadata)
    try:
        for event in heard(session):
            if event.HasField("match_ended") and event.match_ended.match_id == current:
                print(f"{' against '.join(bots_of_match)}: seat {event.match_ended.winner} won")
                current = None
            if current is None:
                if not pairs:
                    return
                bots_of_match = pairs.pop(0)
                request = match_service_pb2.CreateMatchRequest(bots=bots_of_match, piles=[3, 4, 5])
                current = matches.CreateMatch(request, metadata=metadata).match.id
            for action in answers(event):
                actions.put(action)
    finally:
        actions.put(None)
        session.cancel()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    # `lastnim tournament run` sets the environment variables of the programs that it starts.
    for name, what in (
        ("server", "such as 127.0.0.1:7600"),
        ("token", "what registering the bot returned"),
        ("tournament", "the id of a tournament that is still open"),
    ):
        parser.add_argument(name, nargs="?", default=os.environ.get(f"LASTNIM_{name.upper()}"), help=what)
    parser.add_argument("--practice", action="store_true", help="play the house bots that the server hosts, and then stop")
    given = parser.parse_args()
    if not (given.server and given.token and (given.tournament or given.practice)):
        parser.error("server, token and tournament are needed, here or as LASTNIM_SERVER, LASTNIM_TOKEN, LASTNIM_TOURNAMENT")
    metadata = [("authorization", f"Bearer {given.token}")]
    # Both are optional: standings and audits distinguish versions of a bot.
    if version := os.environ.get("LASTNIM_BOT_VERSION"):
        metadata.append(("bot-version", version))
    if config_hash := os.environ.get("LASTNIM_BOT_CONFIG_HASH"):  # 64 hexadecimal digits
        metadata.append(("bot-config-hash-bin", bytes.fromhex(config_hash)))
    while True:
        try:
            with grpc.insecure_channel(given.server, OPTIONS) as channel:
                if given.practice:
                    return practise(channel, metadata)
                if play(channel, given.tournament, metadata):
                    return
        except NotJoined as refused:
            why = refused.args[0]
            if why.reason not in ASK_AGAIN:
                raise SystemExit(f"{arena.JoinRefusal.Name(why.reason)}: {why.message}") from refused
            print(f"trying again: {why.message}", file=sys.stderr)
        except grpc.RpcError as error:
            if error.code() not in PASSING:
                raise SystemExit(f"{error.code().name}: {error.details()}") from error
            print(f"trying again: {error.details()}", file=sys.stderr)
        time.sleep(1)


if __name__ == "__main__":
    main()
