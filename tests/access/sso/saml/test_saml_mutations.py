"""Thousands of mutated responses: each is refused, or gives exactly what the provider signed."""

import statistics
import time
from collections import Counter

import pytest

from access.sso.saml.mutations import Corpus, corpus, mutated, other_person
from access.sso.saml.provider import Facts, SigningKey, posted, signed
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.saml.assertions import ExpectedResponse, read_response
from trilha.access.sso.schema import FederatedIdentity

SHORT = 600
LONG = 20_000
SLOWEST = 0.05  # seconds of processor time for each


@pytest.fixture(scope="module")
def honest(facts: Facts, key: SigningKey, own_key: SigningKey, other_key: SigningKey) -> Corpus:
    return corpus(facts, key, own_key, other_key)


@pytest.fixture(scope="module")
def signed_identities(facts: Facts, key: SigningKey, expected: ExpectedResponse) -> list[FederatedIdentity]:
    """Returns the people for whom the provider signed anything."""
    people = (facts, other_person(facts))
    return [read_response(posted(signed(each, key)), expected).identity for each in people]


def outcome(text: str, expected: ExpectedResponse, allowed: list[FederatedIdentity]) -> str:
    """Returns the code of the refusal, or `taken`. Any other outcome fails the test."""
    try:
        found = read_response(text, expected)
    except SignInRefused as refused:
        return refused.code
    assert found.identity in allowed, text
    return "taken"


def test_mutations(
    honest: Corpus, signed_identities: list[FederatedIdentity], expected: ExpectedResponse
) -> None:
    told = Counter(outcome(mutated(honest, seed), expected, signed_identities) for seed in range(SHORT))
    assert told["taken"] > SHORT // 50  # otherwise this would only show that everything is refused
    assert len(told) > 20  # every layer is reached


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_mutations_at_length(
    honest: Corpus, signed_identities: list[FederatedIdentity], expected: ExpectedResponse
) -> None:
    told: Counter[str] = Counter()
    times = []
    for seed in range(LONG):
        text = mutated(honest, seed)
        began = time.thread_time()
        told[outcome(text, expected, signed_identities)] += 1
        times.append(time.thread_time() - began)
    slowest = max(times)
    print(f"\n{LONG} mutations of SAML responses, {told['taken']} taken, 0 as somebody else")
    print(f"milliseconds each: median {statistics.median(times) * 1e3:.1f}, slowest {slowest * 1e3:.1f}")
    print(", ".join(f"{code} {count}" for code, count in told.most_common()))
    assert slowest < SLOWEST
