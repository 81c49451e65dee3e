"""Whose turn it is: claimed deliveries wait here until there is a place to send them from.

Tenants take turns, and within a tenant its endpoints. No tenant begins another attempt while it has more than
eight times as many under way as there are places free: one alone has nearly all of them, and whoever comes
next finds some free without waiting for an attempt to end.
"""

import random
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from trilha.webhooks import rules
from trilha.webhooks.delivery.claims import Claim, Wanted
from trilha.webhooks.schema import ClaimedDelivery, SendResult

# How many attempts a tenant may have under way for each place that is free.
_PER_FREE_PLACE = 8
# The share of the places that retries leave to first attempts.
_FIRST_ATTEMPTS_SHARE = 0.25
# Endpoints looked at in one claim while no further attempt may be claimed.
_MOST_ASKED = 100
# An endpoint that answers within so many milliseconds has deliveries claimed ahead: so many, twice as many
# with each claim that finds none left. The most that may be is sent well within a lease.
_FAST = 250
_AHEAD_LEAST, _AHEAD_MOST = 16, 256


@dataclass(slots=True, eq=False)
class Lane:
    """One endpoint that this worker sends to."""

    endpoint_id: UUID
    waiting: deque[tuple[float, ClaimedDelivery]] = field(default_factory=deque)  # begin until; what
    in_flight: int = 0
    unrecorded: int = 0  # answered, and not written down yet
    failures: int = 0  # in a row
    ahead: int = 0
    is_fast: bool = False  # the last answer was
    has_more: bool = False  # that is due, and not claimed yet
    is_claiming: bool = False
    is_releasing: bool = False
    is_ready: bool = False  # in its share's `ready`

    @property
    def holds(self) -> bool:
        return bool(self.waiting or self.in_flight or self.unrecorded)


@dataclass(slots=True, eq=False)
class Share:
    """One tenant's part."""

    tenant_id: UUID
    lanes: dict[UUID, Lane] = field(default_factory=dict)
    ready: deque[Lane] = field(default_factory=deque)  # with something that may begin
    in_flight: int = 0
    waiting: int = 0
    is_in_line: bool = False  # in the queue's `turns`


@dataclass(frozen=True, slots=True)
class Ask:
    """A claim to be made in a tenant. `take` must be told of its outcome."""

    tenant_id: UUID
    wanted: Sequence[Wanted]
    limit: int
    retry_limit: int


class FairQueue:
    """At most `slots` attempts are under way, and `per_endpoint` to one endpoint."""

    def __init__(self, slots: int, per_endpoint: int, clock: Callable[[], float]) -> None:
        """`clock` is in seconds, from wherever."""
        self._slots = slots
        self._limits = rules.in_flight_limits(per_endpoint)
        self._clock = clock
        self._max_retries = max(1, int(slots * (1 - _FIRST_ATTEMPTS_SHARE)))
        self._shares: dict[UUID, Share] = {}
        self._turns: deque[Share] = deque()  # those with a lane that is ready
        self._in_flight = 0
        self._retries = 0
        self._unrecorded = 0

    @property
    def in_flight_limits(self) -> Sequence[int]:
        return self._limits

    @property
    def tenants(self) -> Collection[UUID]:
        """Those being served."""
        return self._shares.keys()

    def full(self) -> list[UUID]:
        """The tenants that nothing may be claimed for now."""
        return [share.tenant_id for share in self._shares.values() if self._room(share) <= 0]

    def hungry(self) -> dict[UUID, list[UUID]]:
        """Endpoints known to have more than was claimed, by tenant, as far as more could be taken."""
        found = {
            share.tenant_id: [lane.endpoint_id for lane in share.lanes.values() if self._is_hungry(lane)]
            for share in self._shares.values()
        }
        return {tenant_id: endpoints for tenant_id, endpoints in found.items() if endpoints}

    def ask(self, tenant_id: UUID, endpoints: Collection[UUID]) -> Ask | None:
        """What to claim of endpoints that have something due. None where there is no room."""
        share = self._shares.get(tenant_id) or Share(tenant_id)
        limit = self._room(share)
        if limit <= 0:
            return None
        retries = max(0, self._max_retries - self._retries)
        if not retries:
            # Those that have waited for longest may have further attempts alone, and give nothing now.
            endpoints = random.sample(list(endpoints), len(endpoints))
        wanted, count = [], 0
        for endpoint_id in endpoints:
            lane = share.lanes.pop(endpoint_id, None) or Lane(endpoint_id)
            share.lanes[endpoint_id] = lane  # at the end: those that are left out come first the next time
            lane.has_more = True
            if lane.is_claiming or lane.is_releasing or self._wanted(lane) <= 0:
                continue
            if lane.is_fast and not lane.waiting:
                lane.ahead = min(_AHEAD_MOST, max(_AHEAD_LEAST, 2 * lane.ahead))
            wanted.append(Wanted(endpoint_id, self._wanted(lane), lane.holds))
            lane.is_claiming = True
            count += self._wanted(lane)
            limit = max(limit, self._room(share))  # by what is claimed ahead from now on
            if count >= limit and (retries or len(wanted) >= _MOST_ASKED):
                break
        self._shares[tenant_id] = share
        if not wanted:
            return None
        return Ask(tenant_id, wanted, limit, retries)

    def give_up(self, ask: Ask) -> None:
        """The claim failed, or it is not known whether it did not."""
        share = self._shares[ask.tenant_id]
        for each in ask.wanted:
            share.lanes[each.endpoint_id].is_claiming = False

    def take_in(self, ask: Ask, claim: Claim, begin_until: float) -> None:
        """The outcome of a claim. What has not begun until then is dropped: its lease may end meanwhile."""
        share = self._shares[ask.tenant_id]
        for delivery in claim.deliveries:
            share.lanes[delivery.endpoint_id].waiting.append((begin_until, delivery))
            share.waiting += 1
            self._retries += delivery.is_retry
        for each in ask.wanted:
            lane = share.lanes[each.endpoint_id]
            lane.is_claiming = False
            state = claim.states.get(each.endpoint_id)
            lane.has_more = state is not None and state.has_more
            if state and not each.holds:
                lane.failures = state.failures
            self._settle(share, lane)

    def next(self) -> ClaimedDelivery | None:
        """The delivery whose turn it is; its attempt is under way from now on. None: none may begin."""
        for _ in range(len(self._turns)):
            if self._in_flight >= self._slots:
                return None
            share = self._turns.popleft()
            if share.in_flight >= self._limit(share):
                self._turns.append(share)
                continue
            share.is_in_line = False
            lane = share.ready.popleft()
            lane.is_ready = False
            delivery = self._begin(share, lane)
            self._settle(share, lane)
            self._line_up(share)
            if delivery:
                return delivery
        return None

    def answered(self, delivery: ClaimedDelivery, sent: SendResult | None) -> None:
        """The attempt is over, and its place free; None where it came to nothing that can be written down."""
        share, lane = self._lane(delivery)
        lane.in_flight -= 1
        share.in_flight -= 1
        self._in_flight -= 1
        self._retries -= delivery.is_retry
        if sent:
            lane.unrecorded += 1
            self._unrecorded += 1
            lane.failures = 0 if sent.is_success else lane.failures + 1
        lane.is_fast = bool(sent and sent.is_success and sent.duration_ms < _FAST)
        lane.ahead = lane.ahead if lane.is_fast else 0
        self._settle(share, lane)

    def release(self, tenant_id: UUID, deliveries: Sequence[ClaimedDelivery]) -> list[UUID]:
        """Endpoints of which nothing is held once these are written down. None is claimed from until then."""
        counts = _count(deliveries)
        lanes = self._shares[tenant_id].lanes
        released = [lanes[id] for id, count in counts.items() if _is_last(lanes[id], count)]
        for lane in released:
            lane.is_releasing = True
        return [lane.endpoint_id for lane in released]

    def recorded(self, tenant_id: UUID, deliveries: Sequence[ClaimedDelivery]) -> None:
        """They are written down, or given up."""
        share = self._shares[tenant_id]
        self._unrecorded -= len(deliveries)
        for endpoint_id, count in _count(deliveries).items():
            lane = share.lanes[endpoint_id]
            lane.unrecorded -= count
            lane.is_releasing = False
            self._settle(share, lane)

    def empty(self) -> dict[UUID, list[UUID]]:
        """Takes out what waits: the deliveries, by tenant."""
        taken: dict[UUID, list[UUID]] = {}
        for share in self._shares.values():
            for lane in share.lanes.values():
                taken.setdefault(share.tenant_id, []).extend(delivery.id for _, delivery in lane.waiting)
                lane.waiting.clear()
        return taken

    def busy(self) -> set[UUID]:
        """The endpoints of which something is held."""
        return {id for share in self._shares.values() for id, lane in share.lanes.items() if lane.holds}

    def _limit(self, share: Share) -> int:
        """How many this tenant may have under way, beside what others have."""
        left = self._slots - (self._in_flight - share.in_flight)
        return min(left, max(1, left * _PER_FREE_PLACE // (_PER_FREE_PLACE + 1)))

    def _room(self, share: Share) -> int:
        """How many may be claimed: as can begin at once, and ahead for endpoints that are fast."""
        if self._unrecorded >= 8 * self._slots:
            return 0  # the database does not keep up
        ahead = min(self._slots, sum(lane.ahead for lane in share.lanes.values()))
        return self._limit(share) - share.in_flight - share.waiting + ahead

    def _most(self, lane: Lane) -> int:
        return self._limits[min(lane.failures, len(self._limits) - 1)]

    def _wanted(self, lane: Lane) -> int:
        return self._most(lane) + lane.ahead - lane.in_flight - len(lane.waiting)

    def _is_hungry(self, lane: Lane) -> bool:
        return (
            lane.has_more
            and not (lane.is_claiming or lane.is_releasing)
            and len(lane.waiting) <= lane.ahead // 2
            and self._wanted(lane) > 0
        )

    def _begin(self, share: Share, lane: Lane) -> ClaimedDelivery | None:
        while lane.waiting and lane.in_flight < self._most(lane):
            begin_until, delivery = lane.waiting.popleft()
            share.waiting -= 1
            if self._clock() <= begin_until:
                lane.in_flight += 1
                share.in_flight += 1
                self._in_flight += 1
                return delivery
            self._retries -= delivery.is_retry
        return None

    def _settle(self, share: Share, lane: Lane) -> None:
        """Puts the lane where its state belongs: in line, or away."""
        if lane.waiting:
            if not lane.is_ready and lane.in_flight < self._most(lane):
                lane.is_ready = True
                share.ready.append(lane)
                self._line_up(share)
        elif not (lane.holds or lane.has_more or lane.is_claiming):
            share.lanes.pop(lane.endpoint_id, None)
            if not share.lanes:
                self._shares.pop(share.tenant_id, None)

    def _line_up(self, share: Share) -> None:
        if share.ready and not share.is_in_line:
            share.is_in_line = True
            self._turns.append(share)

    def _lane(self, delivery: ClaimedDelivery) -> tuple[Share, Lane]:
        share = self._shares[delivery.tenant_id]
        return share, share.lanes[delivery.endpoint_id]


def _count(deliveries: Sequence[ClaimedDelivery]) -> Mapping[UUID, int]:
    counts: dict[UUID, int] = {}
    for each in deliveries:
        counts[each.endpoint_id] = counts.get(each.endpoint_id, 0) + 1
    return counts


def _is_last(lane: Lane, count: int) -> bool:
    return (
        not (lane.waiting or lane.in_flight or lane.has_more or lane.is_claiming) and lane.unrecorded == count
    )
