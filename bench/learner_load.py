"""Learners who play a SCORM module: the requests of their browsers, beside streams of other requests."""

import random
from time import perf_counter

import msgspec

from bench.deployment import FORWARDED
from bench.load import Load, Outcome, Plan, serve_process
from bench.proxy import Tally

HEARTBEAT_SECONDS = 30.0
COMMITS, HEARTBEATS = "commits", "heartbeats"
# As in the player: seconds before it repeats a request that the server did not accept.
_PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
_VARIANTS = 64
_ANSWERS = 10
_COMMITS_PER_ANSWER = 6
_BEAT = b'{"visible":true,"base":0}'


class Learner(msgspec.Struct):
    """`host` and `path` are the launch's content origin; `sequence` is the launch's last one."""

    host: str
    path: str
    sequence: int = 0


class LearnersPlan(Plan, kw_only=True):
    """`every` is the number of seconds between two commits of a learner."""

    learners: list[Learner]
    every: float
    state_bytes: int


class LearnersOutcome(Outcome, kw_only=True):
    """`saved` is the last sequence of each learner that the server has acknowledged, 0 if there is none.

    `requests` are the commits that were acknowledged in time. They are fewer than the due ones if one
    replaced another. `unsaved` are those that were never acknowledged.
    """

    requests: int
    unsaved: int
    saved: list[int]


class Bodies:
    """The commits of the runtime in prebuilt pieces, into which only the sequence and the mark
    are inserted.
    """

    def __init__(self, state_bytes: int) -> None:
        chance = random.Random(1)
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        self._pieces = []
        for _ in range(_VARIANTS):
            state = "".join(chance.choices(letters, k=max(0, state_bytes - 12)))
            self._pieces.append([_split(state, answers) for answers in range(_ANSWERS + 1)])

    def build(self, head: bytes, number: int, sequence: int) -> bytes:
        answers = min(sequence // _COMMITS_PER_ANSWER, _ANSWERS)
        first, second, third = self._pieces[(number + sequence) % _VARIANTS][answers]
        mark = b"%05d%07d" % (number, sequence)
        return b"".join((head, first, mark, second, b"%7d" % sequence, third))


def commit_head(host: str, path: str, address: str) -> bytes:
    """Returns the headers of a commit without its length."""
    forwarded = FORWARDED.format(address)
    head = f"POST {path}commit HTTP/1.1\r\nhost: {host}\r\n{forwarded}content-type: application/json\r\n"
    return head.encode()


def _split(state: str, answers: int) -> tuple[bytes, bytes, bytes]:
    """Returns the three pieces of a request around the mark and the sequence, from its length on."""
    interactions = {
        str(n): {"id": f"q{n}", "type": "choice", "student_response": "a", "result": "correct"}
        for n in range(answers)
    }
    core = {
        "student_id": "learner",
        "lesson_location": f"page {answers}",
        "lesson_status": "incomplete",
        "score": {"raw": str(answers * 5), "min": "0", "max": "100"},
        "session_time": f"00:{answers:02}:00.00",
        "exit": "suspend",
    }
    cmi = {"suspend_data": "MARK" + state, "core": core, "interactions": interactions}
    body = msgspec.json.encode({"cmi": cmi, "launch": {"sequence": "NUMBER", "final": False, "sent_at": 0}})
    before, after = body.split(b"MARK", 1)
    middle, end = after.split(b'"NUMBER"', 1)
    length = len(before) + 12 + len(middle) + 7 + len(end)
    return b"content-length: %d\r\n\r\n" % length + before, middle, end


class _Player:
    """One learner's browser. One commit is in progress at a time, and the next one contains what becomes due
    meanwhile.
    """

    def __init__(self, load: "_Load", number: int, learner: Learner) -> None:
        self.load = load
        self.number = number
        self.sequence = self.saved = learner.sequence
        address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        self.commit_head = commit_head(learner.host, learner.path, address)
        beat_head = self.commit_head.replace(b"/commit ", b"/heartbeat ", 1)
        self.beat_request = beat_head + b"content-length: %d\r\n\r\n" % len(_BEAT) + _BEAT
        self.waiting: list[tuple[int, float]] = []
        self.is_busy = False
        self.failures = 0

    def commit(self, due: float) -> None:
        self.sequence += 1
        self.waiting.append((self.sequence, due))
        self.send()

    def send(self) -> None:
        if self.is_busy or not self.waiting:
            return
        self.is_busy = True
        sequence, sent = self.sequence, perf_counter()
        request = self.load.bodies.build(self.commit_head, self.number, sequence)
        self.load.proxy.send(request, lambda status, answer: self.answered(sequence, sent, status, answer))

    def answered(self, sequence: int, sent: float, status: int, answer: bytes) -> None:
        tally = self.load.commits
        if status == 200 and b'"result":true' in answer:
            now = perf_counter()
            self.load.requests += now < self.load.end
            self.saved, self.failures, self.is_busy = sequence, 0, False
            tally.times += [(now - due) * 1000 for number, due in self.waiting if number <= sequence]
            self.waiting = [each for each in self.waiting if each[0] > sequence]
            self.send()
            return
        if status == 503:
            tally.refuse(sent, answer)
        else:
            tally.fail(status, answer)
        pause = _PAUSES[min(self.failures, len(_PAUSES) - 1)] * self.load.chance.uniform(0.75, 1.25)
        self.failures += 1
        self.load.loop.call_later(pause, self.retry)

    def retry(self) -> None:
        self.is_busy = False
        self.send()

    def beat(self, due: float) -> None:
        self.load.send(HEARTBEATS, self.beat_request, due)


class _Load(Load):
    def __init__(self, plan: LearnersPlan) -> None:
        super().__init__(plan)
        self.every = plan.every
        self.bodies = Bodies(plan.state_bytes)
        self.commits = self.tallies[COMMITS] = Tally()
        self.tallies[HEARTBEATS] = Tally()
        self.requests = 0
        self.players = [_Player(self, number, each) for number, each in enumerate(plan.learners)]

    def start(self) -> None:
        for player in self.players:
            offset = self.chance.random()
            self.repeat(self.begin + offset * self.every, lambda: self.every, player.commit)
            self.repeat(self.begin + offset * HEARTBEAT_SECONDS, lambda: HEARTBEAT_SECONDS, player.beat)

    def is_waiting(self) -> bool:
        return super().is_waiting() or any(each.waiting for each in self.players)


async def _run(plan: LearnersPlan) -> LearnersOutcome:
    load = _Load(plan)
    processor = await load.run()
    return LearnersOutcome(
        seconds=plan.seconds,
        tallies=load.tallies,
        processor=processor,
        requests=load.requests,
        unsaved=sum(len(each.waiting) for each in load.players),
        saved=[each.saved for each in load.players],
    )


if __name__ == "__main__":
    serve_process(LearnersPlan, _run)
