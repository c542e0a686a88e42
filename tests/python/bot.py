"""A bot for lastnim in Python: it takes two counters where it can, and otherwise one."""
import argparse
import queue
import sys
import time
from concurrent import futures

import grpc
from lastnim.v1 import arena_service_pb2 as arena
from lastnim.v1 import arena_service_pb2_grpc, game_pb2, tournament_service_pb2, tournament_service_pb2_grpc

OPTIONS = [("grpc.max_receive_message_length", 64 << 20)]  # A large tournament does not fit into the usual 4 MiB.
PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.CANCELLED)


def answers(event):
    """Yields what the bot does about one event of its session."""
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
    elif kind == "refused":
        print(f"refused ({event.refused.strikes} strikes so far): {event.refused.message}", file=sys.stderr)
    elif kind == "set_aside":  # A ladder gives it no more matches, until it joins again.
        print(f"tournament {event.set_aside.tournament_id}: {event.set_aside.message}", file=sys.stderr)


def declare(started):
    row = game_pb2.Row(offsets=range(len(started.setup.bots)))  # Oneself first, then the seats in playing order.
    return arena.PlayRequest(declare=arena.Declare(match_id=started.match_id, row=row))


def take(turn):
    return arena.PlayRequest(take=arena.Take(match_id=turn.match_id, ply=turn.ply, take=min(turn.counters, 2)))


def follow(states, actions):
    """Waits until the tournament has ended, or can be watched no longer; then closes the session."""
    try:
        for _ in states:
            pass
    finally:
        actions.put(None)


def join(channel, tournament, metadata):
    """Enters the tournament; then there is playing to do."""
    request = tournament_service_pb2.JoinTournamentRequest(tournament_id=tournament)
    tournament_service_pb2_grpc.TournamentServiceStub(channel).JoinTournament(request, metadata=metadata)
    return play


def play(channel, tournament, metadata):
    """Plays in one session until the tournament has ended."""
    actions = queue.Queue()
    request = tournament_service_pb2.WatchTournamentRequest(tournament_id=tournament)
    states = tournament_service_pb2_grpc.TournamentServiceStub(channel).WatchTournament(request, metadata=metadata)
    session = arena_service_pb2_grpc.ArenaServiceStub(channel).Play(iter(actions.get, None), metadata=metadata)
    with futures.ThreadPoolExecutor() as pool:
        watch = pool.submit(follow, states, actions)
        try:
            for event in session:
                for action in answers(event):
                    actions.put(action)
        finally:
            states.cancel()
    watch.result()  # Raises what ended the watch too early.


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="such as 127.0.0.1:7600")
    parser.add_argument("token", help="what registering the bot returned")
    parser.add_argument("tournament", help="the id of a tournament that is still open")
    given = parser.parse_args()
    metadata = [("authorization", f"Bearer {given.token}")]
    step = join
    with grpc.insecure_channel(given.server, OPTIONS) as channel:
        while step:
            try:
                step = step(channel, given.tournament, metadata)
            except grpc.RpcError as error:
                if error.code() not in PASSING:
                    raise SystemExit(f"{error.code().name}: {error.details()}") from error
                print(f"trying again: {error.details()}", file=sys.stderr)
                time.sleep(1)


if __name__ == "__main__":
    main()
