"""People who all come at the same time: each opens a course and its module, or signs in."""

from collections.abc import Callable
from time import perf_counter
from urllib.parse import quote, urlsplit

import msgspec

from bench.company import SLUG
from bench.deployment import FORWARDED
from bench.learner_load import Bodies, commit_head
from bench.load import Load, Outcome, Plan, serve_process
from bench.proxy import retry_after
from bench.traffic import cookie, request

COURSE, MODULE, LAUNCH, FRAME = "course page", "module page", "launch", "player page"
FILES, COMMIT = "files of player and package", "first commit"
LOGIN, SIGN_IN, HOME = "sign-in page", "sign-in", "first page after it"
# Seconds that a person reads a page, types a password, or waits for a module's first commit.
_READING, _TYPING, _LOADING = (2.0, 8.0), (3.0, 12.0), (1.0, 3.0)
_AGAIN_SECONDS = 5.0
_SESSION = b"set-cookie: __Host-trilha_session="


class Opening(msgspec.Struct):
    """A person who opens a module. `token` is that of the session."""

    token: str
    enrollment: str
    module: str
    address: str


class Signing(msgspec.Struct):
    """A person who signs in, from their own address."""

    email: str
    address: str


class StartPlan(Plan, kw_only=True):
    """`shared` are the paths that the player's page loads; `package` are the package's own, below
    the launch.
    """

    openings: list[Opening] = []
    signings: list[Signing] = []
    password: str = ""
    shared: list[str] = []
    package: list[str] = []
    state_bytes: int = 4096


class _Visit:
    """One person. Each step starts when the previous one is answered."""

    def __init__(self, load: "_Load") -> None:
        self.load = load

    def step(self, name: str, message: bytes, due: float, then: Callable[[bytes], None]) -> None:
        """Sends the step. If it is refused, repeats it once after the time that the server asks for."""

        def answered(status: int, answer: bytes) -> None:
            if status == 503:
                pause = retry_after(answer) or _AGAIN_SECONDS
                self.load.loop.call_later(pause, self.step, name, message, due, then)
            elif 200 <= status < 400:
                then(answer)

        self.load.send(name, message, due, answered)

    def after(self, pause: tuple[float, float], call: Callable[[float], None]) -> None:
        seconds = self.load.chance.uniform(*pause)
        self.load.waiting += 1

        def run() -> None:
            self.load.waiting -= 1
            call(perf_counter())

        self.load.loop.call_later(seconds, run)


class _Opener(_Visit):
    def __init__(self, load: "_Load", number: int, person: Opening) -> None:
        super().__init__(load)
        self.number = number
        self.person = person
        self.course = f"/learn/enrollments/{person.enrollment}"
        self.host = self.path = ""
        self.left = 0

    def get(self, path: str) -> bytes:
        return request("GET", path, cookie(self.person.token), self.person.address)

    def begin(self, due: float) -> None:
        self.step(COURSE, self.get(self.course), due, lambda _: self.after(_READING, self.open_module))

    def open_module(self, due: float) -> None:
        path = f"{self.course}/modules/{self.person.module}"
        self.step(MODULE, self.get(path), due, lambda _: self.launch(path))

    def launch(self, path: str) -> None:
        headers = f"cookie: __Host-trilha_session={self.person.token}\r\nsec-fetch-site: same-origin\r\n"
        message = request("POST", f"{path}/launches", headers, self.person.address, b"")
        self.step(LAUNCH, message, perf_counter(), self.open_frame)

    def open_frame(self, answer: bytes) -> None:
        address = urlsplit(msgspec.json.decode(answer.partition(b"\r\n\r\n")[2])["address"])
        self.host, self.path = address.netloc, address.path.rstrip("/")
        frame = f"{address.path}?{address.query}" if address.query else address.path
        self.step(FRAME, self.get_content(frame), perf_counter(), self.load_files)

    def get_content(self, path: str) -> bytes:
        forwarded = FORWARDED.format(self.person.address)
        head = f"GET {path} HTTP/1.1\r\nhost: {self.host}\r\n{forwarded}accept-encoding: gzip\r\n\r\n"
        return head.encode()

    def load_files(self, _: bytes) -> None:
        package = [f"{self.path}/p/{name}" for name in self.load.plan.package]
        paths = [*self.load.plan.shared, *package]
        self.left = len(paths)
        for path in paths:
            self.step(FILES, self.get_content(path), perf_counter(), self.have_file)

    def have_file(self, _: bytes) -> None:
        self.left -= 1
        if not self.left:
            self.after(_LOADING, self.commit)

    def commit(self, due: float) -> None:
        head = commit_head(self.host, self.path + "/", self.person.address)
        self.step(COMMIT, self.load.bodies.build(head, self.number, 1), due, lambda _: None)


class _Signer(_Visit):
    def __init__(self, load: "_Load", person: Signing) -> None:
        super().__init__(load)
        self.person = person

    def begin(self, due: float) -> None:
        message = request("GET", f"/login?tenant={SLUG}", "accept-encoding: gzip\r\n", self.person.address)
        self.step(LOGIN, message, due, lambda _: self.after(_TYPING, self.sign_in))

    def sign_in(self, due: float) -> None:
        email, password = quote(self.person.email), quote(self.load.plan.password)
        form = f"tenant_slug={SLUG}&email={email}&password={password}&next=".encode()
        media = "application/x-www-form-urlencoded"
        message = request(
            "POST", "/login", "sec-fetch-site: same-origin\r\n", self.person.address, form, media
        )
        self.step(SIGN_IN, message, due, self.go_home)

    def go_home(self, answer: bytes) -> None:
        token = answer.partition(_SESSION)[2].partition(b";")[0].decode()
        message = request("GET", "/learn", cookie(token), self.person.address)
        self.step(HOME, message, perf_counter(), lambda _: None)


class _Load(Load):
    def __init__(self, plan: StartPlan) -> None:
        super().__init__(plan)
        self.plan = plan
        self.bodies = Bodies(plan.state_bytes)
        self.waiting = 0

    def start(self) -> None:
        begins = [_Opener(self, number, each).begin for number, each in enumerate(self.plan.openings)]
        begins += [_Signer(self, each).begin for each in self.plan.signings]
        for begin in begins:
            due = self.begin + self.chance.random() * self.seconds
            self.repeat(due, lambda: self.seconds, begin)

    def is_waiting(self) -> bool:
        return super().is_waiting() or self.waiting > 0


async def _run(plan: StartPlan) -> Outcome:
    load = _Load(plan)
    processor = await load.run()
    return Outcome(seconds=plan.seconds, tallies=load.tallies, processor=processor)


if __name__ == "__main__":
    serve_process(StartPlan, _run)
