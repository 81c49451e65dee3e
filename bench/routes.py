"""What is measured: a route, the requests sent to it, and what its figures must reach."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from bench.world import COURSES, Size, World, certificate_codes, course_id, free_pair, moment, user_id

SAMPLES = 500
SINGLES = 4_000
BULKS = 60
BULK = 1_000


@dataclass(frozen=True, kw_only=True)
class Route:
    """`of_floor` and `growth` are the bounds: at least so much of the floor, at most so much dearer at 1M."""

    name: str
    paths: Callable[[Size], Sequence[str]] = lambda _: ()
    bodies: Callable[[Size], Iterator[object]] | None = None
    of_floor: float | None = None
    growth: float = 1.3
    connections: int = 24
    has_usual: bool = False

    def requests(self, world: World) -> list[bytes]:
        if self.bodies is None:
            return [get(path, world.key) for path in self.paths(world.size)]
        (path,) = self.paths(world.size)
        return [post(path, world.key, body) for body in self.bodies(world.size)]


def get(path: str, key: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {key}\r\n\r\n".encode()


def post(path: str, key: str, body: object) -> bytes:
    text = msgspec.json.encode(body)
    head = (
        f"POST {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {key}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text


def _always(path: str) -> Callable[[Size], list[str]]:
    return lambda _: [path]


def _for_users(form: str) -> Callable[[Size], list[str]]:
    return lambda size: [
        form.format(user_id(random.Random(n).randrange(size.enrolled))) for n in range(SAMPLES)
    ]


def _for_numbers(form: str) -> Callable[[Size], list[str]]:
    """Employee numbers, which are also what people are found by."""
    return lambda size: [form.format(random.Random(n).randrange(size.users)) for n in range(SAMPLES)]


def _for_courses(form: str) -> Callable[[Size], list[str]]:
    return lambda _: [form.format(course_id(n * 7 % COURSES)) for n in range(COURSES)]


def _for_moments(form: str) -> Callable[[Size], list[str]]:
    return lambda _: [form.format(moment(n / SAMPLES)) for n in range(SAMPLES)]


def _for_codes(size: Size) -> list[str]:
    return [f"/v1/certificates/verify/{code}" for code in certificate_codes(size, SAMPLES)]


def _for_statuses(form: str) -> Callable[[Size], list[str]]:
    return lambda _: [form.format(status) for status in ("not_started", "in_progress", "completed")]


def _pair(size: Size, number: int) -> dict[str, str]:
    user, course = free_pair(size, number)
    return {"user_id": str(user), "course_id": str(course)}


def _singles(size: Size) -> Iterator[object]:
    return (_pair(size, number) for number in range(SINGLES))


def _bulks(size: Size) -> Iterator[object]:
    for start in range(0, BULKS * BULK, BULK):
        yield {"enrollments": [_pair(size, number) for number in range(start, start + BULK)]}


ROUTES = (
    Route(name="GET /users", paths=_always("/v1/users"), of_floor=0.5, has_usual=True),
    Route(name="GET /users?q=", paths=_for_numbers("/v1/users?q=souza+{}")),
    Route(name="GET /users?employee_number=", paths=_for_numbers("/v1/users?employee_number={}")),
    Route(name="GET /users?department=", paths=_always("/v1/users?department=Opera%C3%A7%C3%B5es")),
    Route(name="GET /users?created_since=", paths=_for_moments("/v1/users?created_since={}")),
    Route(name="GET /users/{id}", paths=_for_users("/v1/users/{}")),
    Route(name="GET /courses", paths=_always("/v1/courses")),
    Route(name="GET /enrollments", paths=_always("/v1/enrollments")),
    Route(name="GET /enrollments?user_id=", paths=_for_users("/v1/enrollments?user_id={}")),
    Route(name="GET /enrollments?course_id=", paths=_for_courses("/v1/enrollments?course_id={}")),
    Route(name="GET /enrollments?status=", paths=_for_statuses("/v1/enrollments?status={}")),
    Route(
        name="GET /enrollments?status=a,b",
        paths=_always("/v1/enrollments?status=in_progress,completed,expired"),
    ),
    Route(name="GET /enrollments?completed_since=", paths=_for_moments("/v1/enrollments?completed_since={}")),
    Route(name="GET /enrollments?expires_before=", paths=_for_moments("/v1/enrollments?expires_before={}")),
    Route(name="GET /enrollments?updated_since=", paths=_for_moments("/v1/enrollments?updated_since={}")),
    Route(name="GET /certificates", paths=_always("/v1/certificates")),
    Route(name="GET /certificates?user_id=", paths=_for_users("/v1/certificates?user_id={}")),
    Route(name="GET /certificates/verify/{code}", paths=_for_codes, of_floor=0.4),
    Route(name="GET /courses/{id}/stats", paths=_for_courses("/v1/courses/{}/stats"), growth=2.0),
    Route(name="POST /enrollments", paths=_always("/v1/enrollments"), bodies=_singles, of_floor=0.4),
    Route(
        name="POST /enrollments/bulk, 1,000",
        paths=_always("/v1/enrollments/bulk"),
        bodies=_bulks,
        of_floor=0.5,
        connections=4,
    ),
)
