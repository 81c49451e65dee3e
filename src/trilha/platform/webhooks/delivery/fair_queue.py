"""Decides which claimed delivery is sent next.

Tenants take turns, and within a tenant its endpoints. A tenant may have at most eight times as many
attempts in progress as there are free slots. So a single tenant gets nearly all slots, and the next tenant
still finds some free.
"""

import random
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from trilha.platform.webhooks import rules
from trilha.platform.webhooks.delivery.claims import Claim, ClaimRequest
from trilha.platform.webhooks.schema import ClaimedDelivery, SendResult

# attempts that a tenant may have in progress for each free slot
_PER_FREE_PLACE = 8
# the share of slots reserved for first attempts
_FIRST_ATTEMPTS_SHARE = 0.25
# endpoints examined in one claim while no retries may be claimed
_MAX_LOOKUPS = 100
# An endpoint that responds within this many milliseconds has deliveries claimed ahead. Each claim that finds
# none left doubles their number, up to a maximum that can be sent well within a lease.
_FAST = 250
_MIN_AHEAD, _MAX_AHEAD = 16, 256


@dataclass(slots=True, eq=False)
class Lane:
    """An endpoint that this worker sends to."""

    endpoint_id: UUID
    # the deliveries, with the latest time to begin each
    waiting: deque[tuple[float, ClaimedDelivery]] = field(default_factory=deque)
    in_flight: int = 0
    unrecorded: int = 0  # attempts that ended and are not recorded yet
    failures: int = 0  # consecutive failures
    ahead: int = 0
    is_fast: bool = False  # whether the last response was fast
    has_more: bool = False  # whether unclaimed deliveries are due
    is_claiming: bool = False
    is_releasing: bool = False
    is_ready: bool = False  # whether the lane is in its share's `ready`

    @property
    def holds(self) -> bool:
        return bool(self.waiting or self.in_flight or self.unrecorded)


@dataclass(slots=True, eq=False)
class Share:
    """One tenant's part of the queue."""

    tenant_id: UUID
    lanes: dict[UUID, Lane] = field(default_factory=dict)
    ready: deque[Lane] = field(default_factory=deque)  # lanes with deliveries that may begin
    in_flight: int = 0
    waiting: int = 0
    is_in_line: bool = False  # whether the share is in the queue's `_turns`


@dataclass(frozen=True, slots=True)
class Ask:
    """A claim to make for a tenant. Pass its outcome to `take_in`."""

    tenant_id: UUID
    requests: Sequence[ClaimRequest]
    limit: int
    retry_limit: int


class FairQueue:
    """Allows at most `slots` attempts at a time, and `per_endpoint` for one endpoint."""

    def __init__(self, slots: int, per_endpoint: int, clock: Callable[[], float]) -> None:
        """`clock` returns seconds since any fixed time."""
        self._slots = slots
        self._limits = rules.in_flight_limits(per_endpoint)
        self._clock = clock
        self._max_retries = max(1, int(slots * (1 - _FIRST_ATTEMPTS_SHARE)))
        self._shares: dict[UUID, Share] = {}
        self._turns: deque[Share] = deque()  # shares with a ready lane
        self._in_flight = 0
        self._retries = 0
        self._unrecorded = 0

    @property
    def in_flight_limits(self) -> Sequence[int]:
        return self._limits

    @property
    def tenants(self) -> Collection[UUID]:
        """The tenants being served."""
        return self._shares.keys()

    def full(self) -> list[UUID]:
        """The tenants for which nothing may be claimed now."""
        return [share.tenant_id for share in self._shares.values() if self._room(share) <= 0]

    def hungry(self) -> dict[UUID, list[UUID]]:
        """Endpoints with known unclaimed deliveries, by tenant, as far as there is room."""
        by_tenant = {
            share.tenant_id: [lane.endpoint_id for lane in share.lanes.values() if self._is_hungry(lane)]
            for share in self._shares.values()
        }
        return {tenant_id: endpoints for tenant_id, endpoints in by_tenant.items() if endpoints}

    def ask(self, tenant_id: UUID, endpoints: Collection[UUID]) -> Ask | None:
        """Returns the claim to make for endpoints with due deliveries, or None if there is no room."""
        share = self._shares.get(tenant_id) or Share(tenant_id)
        limit = self._room(share)
        if limit <= 0:
            return None
        retries = max(0, self._max_retries - self._retries)
        if not retries:
            # The endpoints that waited longest may have only retries, which cannot be claimed now.
            endpoints = random.sample(list(endpoints), len(endpoints))
        requests, count = [], 0
        for endpoint_id in endpoints:
            lane = share.lanes.pop(endpoint_id, None) or Lane(endpoint_id)
            # moved to the end, so that the lanes left out come first next time
            share.lanes[endpoint_id] = lane
            lane.has_more = True
            if lane.is_claiming or lane.is_releasing or self._count_free_places(lane) <= 0:
                continue
            if lane.is_fast and not lane.waiting:
                lane.ahead = min(_MAX_AHEAD, max(_MIN_AHEAD, 2 * lane.ahead))
            requests.append(ClaimRequest(endpoint_id, self._count_free_places(lane), lane.holds))
            lane.is_claiming = True
            count += self._count_free_places(lane)
            limit = max(limit, self._room(share))  # the fast endpoints may claim more ahead from now on
            if count >= limit and (retries or len(requests) >= _MAX_LOOKUPS):
                break
        self._shares[tenant_id] = share
        if not requests:
            return None
        return Ask(tenant_id, requests, limit, retries)

    def give_up(self, ask: Ask) -> None:
        """Handles a claim that failed or whose outcome is unknown."""
        share = self._shares[ask.tenant_id]
        for each in ask.requests:
            share.lanes[each.endpoint_id].is_claiming = False

    def take_in(self, ask: Ask, claim: Claim, begin_until: float) -> None:
        """Takes in the outcome of a claim. Deliveries that do not begin by `begin_until` are dropped,
        because their lease may end.
        """
        share = self._shares[ask.tenant_id]
        for delivery in claim.deliveries:
            share.lanes[delivery.endpoint_id].waiting.append((begin_until, delivery))
            share.waiting += 1
            self._retries += delivery.is_retry
        for each in ask.requests:
            lane = share.lanes[each.endpoint_id]
            lane.is_claiming = False
            state = claim.states.get(each.endpoint_id)
            lane.has_more = state is not None and state.has_more
            if state and not each.holds:
                lane.failures = state.failures
            self._settle(share, lane)

    def next(self) -> ClaimedDelivery | None:
        """Returns the next delivery, whose attempt counts as in progress from now on, or None if none may
        begin.
        """
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

    def finish_attempt(self, delivery: ClaimedDelivery, sent: SendResult | None) -> None:
        """Frees the slot of an attempt. `sent` is None if it has no result to record."""
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
        """Returns endpoints that this worker no longer needs once these deliveries are recorded. It claims
        none of them until then.
        """
        counts = _count(deliveries)
        lanes = self._shares[tenant_id].lanes
        released = [lanes[id] for id, count in counts.items() if _is_last(lanes[id], count)]
        for lane in released:
            lane.is_releasing = True
        return [lane.endpoint_id for lane in released]

    def settle_recorded(self, tenant_id: UUID, deliveries: Sequence[ClaimedDelivery]) -> None:
        """Handles deliveries that were recorded or given up."""
        share = self._shares[tenant_id]
        self._unrecorded -= len(deliveries)
        for endpoint_id, count in _count(deliveries).items():
            lane = share.lanes[endpoint_id]
            lane.unrecorded -= count
            lane.is_releasing = False
            self._settle(share, lane)

    def empty(self) -> dict[UUID, list[UUID]]:
        """Removes all waiting deliveries and returns them by tenant."""
        taken: dict[UUID, list[UUID]] = {}
        for share in self._shares.values():
            for lane in share.lanes.values():
                taken.setdefault(share.tenant_id, []).extend(delivery.id for _, delivery in lane.waiting)
                lane.waiting.clear()
        return taken

    def busy(self) -> set[UUID]:
        """The endpoints with deliveries held by this worker."""
        return {id for share in self._shares.values() for id, lane in share.lanes.items() if lane.holds}

    def _limit(self, share: Share) -> int:
        """Returns how many attempts this tenant may have in progress, given those of the others."""
        left = self._slots - (self._in_flight - share.in_flight)
        return min(left, max(1, left * _PER_FREE_PLACE // (_PER_FREE_PLACE + 1)))

    def _room(self, share: Share) -> int:
        """Returns how many deliveries may be claimed: those that can begin at once, and those ahead for
        fast endpoints.
        """
        if self._unrecorded >= 8 * self._slots:
            return 0  # the database is too slow to record results
        ahead = min(self._slots, sum(lane.ahead for lane in share.lanes.values()))
        return self._limit(share) - share.in_flight - share.waiting + ahead

    def _get_limit(self, lane: Lane) -> int:
        return self._limits[min(lane.failures, len(self._limits) - 1)]

    def _count_free_places(self, lane: Lane) -> int:
        return self._get_limit(lane) + lane.ahead - lane.in_flight - len(lane.waiting)

    def _is_hungry(self, lane: Lane) -> bool:
        return (
            lane.has_more
            and not (lane.is_claiming or lane.is_releasing)
            and len(lane.waiting) <= lane.ahead // 2
            and self._count_free_places(lane) > 0
        )

    def _begin(self, share: Share, lane: Lane) -> ClaimedDelivery | None:
        while lane.waiting and lane.in_flight < self._get_limit(lane):
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
        """Moves the lane to where its state belongs: into the line, or out of the queue."""
        if lane.waiting:
            if not lane.is_ready and lane.in_flight < self._get_limit(lane):
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
