"""A bot for lastnim in Python: it takes two counters where it can, and otherwise one."""
import argparse
import queue
import threading

import grpc
from lastnim.v1 import arena_service_pb2 as arena
from lastnim.v1 import arena_service_pb2_grpc, game_pb2, tournament_service_pb2, tournament_service_pb2_grpc


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
        raise SystemExit(f"refused: {event.refused.message}")


def declare(started):
    row = game_pb2.Row(offsets=range(len(started.setup.bots)))  # Oneself first, then the seats in playing order.
    return arena.PlayRequest(declare=arena.Declare(match_id=started.match_id, row=row))


def take(turn):
    return arena.PlayRequest(take=arena.Take(match_id=turn.match_id, ply=turn.ply, take=min(turn.counters, 2)))


def follow(tournaments, tournament_id, metadata, actions):
    """Waits until the tournament has ended, then closes the session."""
    request = tournament_service_pb2.WatchTournamentRequest(tournament_id=tournament_id)
    for _ in tournaments.WatchTournament(request, metadata=metadata):
        pass
    actions.put(None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server", help="such as 127.0.0.1:7878")
    parser.add_argument("token", help="what registering the bot returned")
    parser.add_argument("tournament", help="the id of a tournament that is still open")
    given = parser.parse_args()
    metadata = [("authorization", f"Bearer {given.token}")]
    actions = queue.Queue()
    with grpc.insecure_channel(given.server) as channel:
        session = arena_service_pb2_grpc.ArenaServiceStub(channel).Play(iter(actions.get, None), metadata=metadata)
        tournaments = tournament_service_pb2_grpc.TournamentServiceStub(channel)
        join = tournament_service_pb2.JoinTournamentRequest(tournament_id=given.tournament)
        tournaments.JoinTournament(join, metadata=metadata)
        ended = threading.Thread(target=follow, args=(tournaments, given.tournament, metadata, actions), daemon=True)
        ended.start()
        for event in session:
            for action in answers(event):
                actions.put(action)


if __name__ == "__main__":
    main()
