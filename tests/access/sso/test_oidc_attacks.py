"""Hostile providers, and misuse of an honest provider's answers: each is refused for its own reason."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID, uuid4

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey

from access.sso.federation import (
    CLIENT,
    SECRET,
    Company,
    Double,
    connect,
    exchange,
    request_of,
    sessions,
    ticket_in,
)
from conftest import World
from trilha.access.sso import actions as connections
from trilha.access.sso import flows, queries
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.oidc import keys, tokens
from trilha.access.sso.oidc.identity import GOOGLE, identity_of
from trilha.people.users import actions as users


def encoded(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def with_header(**members: Any) -> Callable[[str], str]:
    """Returns the token with another header and its old signature."""

    def change(token: str) -> str:
        head, payload, signature = token.split(".")
        said = json.loads(base64.urlsafe_b64decode(head + "=="))
        return f"{encoded(said | members)}.{payload}.{signature}"

    return change


def unsigned(algorithm: str) -> Callable[[str], str]:
    def change(token: str) -> str:
        return f"{encoded({'alg': algorithm, 'kid': 'one'})}.{token.split('.')[1]}."

    return change


def keyed_with(secret: Callable[[Double], bytes]) -> Callable[[Double], None]:
    """Signs with HS256 and a key that an attacker knows."""

    def arm(double: Double) -> None:
        def change(token: str) -> str:
            signed = f"{encoded({'alg': 'HS256', 'kid': 'one'})}.{token.split('.')[1]}"
            return f"{signed}.{encoded(hmac.digest(secret(double), signed.encode(), 'sha256'))}"

        double.token = change

    return arm


def public_pem(double: Double) -> bytes:
    return bytes(double.keys["one"].as_pem(private=False))


def signed_by_another(double: Double) -> None:
    double.signing = ("one", ECKey.generate_key("P-256", private=True))


def with_own_key_in_header(double: Double) -> None:
    key = ECKey.generate_key("P-256", private=True)
    double.signing = ("one", key)
    double.header = {"jwk": key.as_dict(private=False)}


def claiming(**claims: Any) -> Callable[[Double], None]:
    def arm(double: Double) -> None:
        double.claims |= {name: made(double) if callable(made) else made for name, made in claims.items()}

    return arm


def without(*names: str) -> Callable[[Double], None]:
    def arm(double: Double) -> None:
        double.left_out |= set(names)

    return arm


def becoming(change: Callable[[str], str]) -> Callable[[Double], None]:
    def arm(double: Double) -> None:
        double.token = change

    return arm


def at(seconds: int) -> Callable[[Double], int]:
    return lambda double: int(double.clock().timestamp()) + seconds


def duplicate_member(double: Double) -> None:
    def change(token: str) -> str:
        payload = base64.urlsafe_b64decode(token.split(".")[1] + "==")
        doubled = payload[:-1] + b',"sub":"s-2"}'
        header = {"alg": "ES256", "kid": "one"}
        return jws.serialize_compact(header, doubled, double.keys["one"], algorithms=["ES256"])

    double.token = change


def critical(double: Double) -> None:
    double.token = with_header(crit=["exp"], exp=1)


def small_key(double: Double) -> None:
    key = RSAKey.generate_key(1024, private=True)
    double.keys["one"] = key  # type: ignore[assignment]
    double.signing, double.algorithm = ("one", key), "RS256"


HASH = encoded(hashlib.sha256(b"access").digest()[:16])
ATTACKS: dict[str, tuple[Callable[[Double], None], str]] = {
    "alg none": (becoming(unsigned("none")), "algorithm_not_allowed"),
    "alg nOnE": (becoming(unsigned("nOnE")), "algorithm_not_allowed"),
    "alg empty": (becoming(unsigned("")), "algorithm_not_allowed"),
    "HS256 with the public key": (keyed_with(public_pem), "algorithm_not_allowed"),
    "HS256 with the client's secret": (keyed_with(lambda _: SECRET.encode()), "algorithm_not_allowed"),
    "another key of the same kid": (signed_by_another, "signature_invalid"),
    "a key in the header": (with_own_key_in_header, "signature_invalid"),
    "jku": (becoming(with_header(jku="https://evil.test/jwks")), "signature_invalid"),
    "x5u": (becoming(with_header(x5u="https://evil.test/x")), "signature_invalid"),
    "a kid that is a path": (becoming(with_header(kid="../../../dev/null")), "key_unknown"),
    "a kid that is SQL": (becoming(with_header(kid="' OR 1=1 --")), "key_unknown"),
    "a kid that is no text": (becoming(with_header(kid=[1])), "token_unreadable"),
    "a kid that nobody knows": (becoming(with_header(kid="two")), "key_unknown"),
    "another algorithm for the key": (becoming(with_header(alg="RS256")), "key_unknown"),
    "crit": (critical, "token_unreadable"),
    "b64": (becoming(with_header(b64=False)), "token_unreadable"),
    "an access token in its place": (becoming(with_header(typ="at+jwt")), "token_unreadable"),
    "a logout token in its place": (becoming(with_header(typ="logout+jwt")), "token_unreadable"),
    "a signature that is cut": (becoming(lambda token: token[:-8]), "signature_invalid"),
    "no signature": (becoming(lambda token: token.rpartition(".")[0] + "."), "signature_invalid"),
    "five parts": (becoming(lambda token: token + ".a.b"), "token_unreadable"),
    "no token at all": (becoming(lambda _: "token"), "token_unreadable"),
    "a long token": (becoming(lambda token: token + "a" * 100_000), "token_unreadable"),
    "a member twice": (duplicate_member, "token_unreadable"),
    "iss with a slash": (claiming(iss=lambda double: f"{double.issuer}/"), "token_issuer"),
    "iss of another": (claiming(iss="https://evil.test"), "token_issuer"),
    "iss that is a list": (claiming(iss=lambda double: [double.issuer]), "token_issuer"),
    "no iss": (without("iss"), "token_issuer"),
    "aud of another client": (claiming(aud="another"), "token_audience"),
    "aud that begins alike": (claiming(aud=f"{CLIENT}2"), "token_audience"),
    "aud that is an object": (claiming(aud={CLIENT: 1}), "token_audience"),
    "no aud": (without("aud"), "token_audience"),
    "several aud without azp": (claiming(aud=[CLIENT, "another"]), "token_party"),
    "several aud and another azp": (claiming(aud=[CLIENT, "another"], azp="another"), "token_party"),
    "azp of another": (claiming(azp="another"), "token_party"),
    "azp null": (claiming(azp=None), "token_party"),
    "no nonce": (without("nonce"), "nonce_mismatch"),
    "another nonce": (claiming(nonce="another"), "nonce_mismatch"),
    "a nonce that is no text": (claiming(nonce=[1]), "nonce_mismatch"),
    "expired": (claiming(exp=at(-61)), "token_expired"),
    "no exp": (without("exp"), "token_time"),
    "exp that is text": (claiming(exp="2099"), "token_time"),
    "exp that is true": (claiming(exp=True), "token_time"),
    "exp that is huge": (claiming(exp=10**300), "token_time"),
    "no iat": (without("iat"), "token_time"),
    "iat in the future": (claiming(iat=at(62)), "token_in_future"),
    "nbf in the future": (claiming(nbf=at(62)), "token_in_future"),
    "iat long ago": (claiming(iat=at(-662)), "token_too_old"),
    "at_hash of another token": (claiming(at_hash=encoded(b"0" * 16)), "access_token_mismatch"),
    "at_hash that is no text": (claiming(at_hash=1), "access_token_mismatch"),
    "at_hash of the whole hash": (
        claiming(at_hash=encoded(hashlib.sha256(b"access").digest())),
        "access_token_mismatch",
    ),
    "no sub": (without("sub"), "subject_unreadable"),
    "an empty sub": (claiming(sub=""), "subject_unreadable"),
    "a sub that is a number": (claiming(sub=1), "subject_unreadable"),
    "a long sub": (claiming(sub="s" * 256), "subject_unreadable"),
    "a sub beyond ASCII": (claiming(sub="sé"), "subject_unreadable"),
    "a sub with NUL": (claiming(sub="s\x00"), "subject_unreadable"),
    "an RSA key of 1024 bits": (small_key, "key_unknown"),
    "email_verified false": (claiming(email_verified=False), "email_not_verified"),
    "email_verified in letters": (claiming(email_verified="false"), "email_not_verified"),
    "email_verified neither": (claiming(email_verified="yes"), "email_not_verified"),
    "no e-mail": (without("email"), "email_missing"),
    "e-mail of nobody's domain": (claiming(email="ana@other.test"), "domain_not_of_connection"),
    "e-mail of a domain below": (
        claiming(email=lambda double: double.claims["email"].replace("@", "@sub.")),
        "domain_not_of_connection",
    ),
    "an e-mail and another behind it": (
        claiming(email=lambda double: f"ana@evil.test,{double.claims['email']}"),
        "email_unreadable",
    ),
    "an e-mail with a line's end": (
        claiming(email=lambda double: double.claims["email"] + "\n@evil.test"),
        "email_unreadable",
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
async def test_a_hostile_token_is_refused(company: Company, double: Double, name: str) -> None:
    arm, code = ATTACKS[name]
    arm(double)
    assert await company.refused() == code


FINE: dict[str, Callable[[Double], None]] = {
    "aud alone in a list": claiming(aud=[CLIENT]),
    "several aud and our azp": claiming(aud=[CLIENT, "another"], azp=CLIENT),
    "at_hash": claiming(at_hash=HASH),
    "just expired, within the skew": claiming(exp=at(-59)),
    "a little in the future": claiming(iat=at(59), nbf=at(59)),
    "email_verified true": claiming(email_verified=True),
    "email_verified in letters": claiming(email_verified="true"),
    "a certificate in the header": lambda double: double.header.update(x5c=["A" * 1800]),
    "an own member of the header": lambda double: double.header.update({"pi.atm": "1"}),
    "capitals in the e-mail": claiming(email=lambda double: double.claims["email"].upper()),
    "no kid": lambda double: setattr(double, "signing", (None, double.keys["one"])),
}


@pytest.mark.parametrize("name", FINE)
async def test_what_is_unusual_and_right_is_taken(company: Company, double: Double, name: str) -> None:
    FINE[name](double)
    await company.sign_in(company.browser())


@pytest.mark.parametrize("algorithm", ["RS256", "PS384", "ES384", "ES512", "EdDSA"])
async def test_every_algorithm_that_is_allowed(world: World, double: Double, algorithm: str) -> None:
    kinds: dict[str, Callable[[], Any]] = {
        "RS256": lambda: RSAKey.generate_key(2048, private=True),
        "PS384": lambda: RSAKey.generate_key(2048, private=True),
        "ES384": lambda: ECKey.generate_key("P-384", private=True),
        "ES512": lambda: ECKey.generate_key("P-521", private=True),
        "EdDSA": lambda: OKPKey.generate_key("Ed25519", private=True),
    }
    double.keys = {"one": kinds[algorithm]()}
    double.signing, double.algorithm = ("one", double.keys["one"]), algorithm
    company = await connect(world, double)
    await company.sign_in(company.browser())
    # And not by a connection that does not allow it.
    narrow = await connect(world, double, algorithms=["ES256"])
    entry = await company.refusal(await narrow.arrive(narrow.browser(), connection=str(narrow.id)))
    assert (entry["code"], entry["expected"], entry["received"]) == (
        "algorithm_not_allowed",
        "ES256",
        algorithm,
    )


async def test_a_letter_that_becomes_another_in_small_is_another_person(
    world: World, company: Company, double: Double
) -> None:
    await world.user(email=f"kate@{company.domain}")
    double.claims["email"] = f"\u212aate@{company.domain}"  # the Kelvin sign
    assert await company.refused() == "email_unreadable"
    double.claims["email"] = f"kate@{company.domain.replace('a', chr(0xFF41), 1)}"  # a full-width letter
    assert await company.refused() == "email_unreadable"


async def test_a_provider_makes_no_administrator(world: World, double: Double) -> None:
    company = await connect(world, double, attributes={"department": "role"})
    double.claims |= {"role": "admin", "roles": ["admin"], "groups": ["administrators"], "is_admin": True}
    assert (await company.sign_in(company.browser()))["user"]["role"] == "learner"


@pytest.mark.parametrize(("status", "code"), [("SUSPENDED", "suspended"), ("INACTIVE", "inactive")])
async def test_who_is_out_stays_out(world: World, company: Company, status: str, code: str) -> None:
    signed = await company.sign_in(company.browser())
    async with world.tx() as tx:
        leave = users.suspend if status == "SUSPENDED" else users.deactivate
        await leave(tx, UUID(signed["user"]["id"]))
        await tx.execute("DELETE FROM sessions WHERE tenant_id = :tenant")
    assert await company.refused() == f"account_{code}"
    # Nor by the e-mail address, when the connection has no linked people yet.
    company.double.claims["sub"] = "s-2"
    assert await company.refused() == f"account_{code}"


async def test_userinfo_of_somebody_else(world: World, double: Double) -> None:
    double.userinfo = {"sub": "s-2", "email": "", "dept": "Fleet"}
    company = await connect(world, double, attributes={"department": "dept"})
    assert await company.refused() == "userinfo_subject"


async def test_userinfo_cannot_verify_another_address(world: World, double: Double) -> None:
    double.userinfo = {"sub": "s-1", "email_verified": False}
    company = await connect(world, double)
    double.userinfo["email"] = double.claims.pop("email")
    assert await company.refused() == "email_not_verified"


# The state, the browser, and the parameters beside the code.


async def test_a_state_is_good_once(company: Company) -> None:
    browser = company.browser()
    answer = company.double.code_for(await company.leave(browser))
    ticket_in(await company.come_back(browser, **answer))
    location = await company.come_back(browser, **answer)
    assert location.startswith("/login/sso?reference=")
    assert company.double.asked["/token"] == 1  # the code is not tried again


@pytest.mark.parametrize("state", ["", "x", "A" * 43, "é" * 43, "A" * 5000])
async def test_a_state_that_nobody_began(company: Company, state: str) -> None:
    location = await company.come_back(company.browser(), code="c", state=state)
    assert location.startswith("/login/sso?reference=")
    assert "/token" not in company.double.asked


async def test_no_state_at_all(company: Company) -> None:
    assert (await company.come_back(company.browser())).startswith("/login/sso?reference=")


async def test_a_state_is_over_after_ten_minutes(world: World, company: Company) -> None:
    for minutes, code in ((9.9, None), (10.1, "flow_expired")):
        browser = company.browser()
        answer = company.double.code_for(await company.leave(browser))
        world.clock.move(minutes=minutes)
        location = await company.come_back(browser, **answer)
        assert (await company.refusal(location))["code"] == code if code else ticket_in(location)


async def test_a_state_of_another_browser(company: Company) -> None:
    answer = company.double.code_for(await company.leave(company.browser()))
    other = company.browser()
    await company.leave(other)  # it has its own cookie
    for browser in (other, company.browser()):
        location = await company.come_back(browser, **answer)
        assert location.startswith("/login/sso?reference=")
    assert "/token" not in company.double.asked


async def test_a_session_cookie_of_a_stranger_is_no_browser(company: Company) -> None:
    browser = company.browser()
    browser.cookies.set("__Host-sso_b", "short", domain="trilha.test", path="/")
    await company.leave(browser)
    assert len(browser.cookies["__Host-sso_b"]) == 43


async def test_the_answer_names_who_it_is_from(world: World, double: Double) -> None:
    double.document["authorization_response_iss_parameter_supported"] = True
    company = await connect(world, double)
    for iss, code in ((None, "iss_missing"), (f"{double.issuer}/", "iss_mismatch"), ("x", "iss_mismatch")):
        browser = company.browser()
        answer = double.code_for(await company.leave(browser)) | ({"iss": iss} if iss else {})
        assert (await company.refusal(await company.come_back(browser, **answer)))["code"] == code
    assert "/token" not in double.asked
    browser = company.browser()
    answer = double.code_for(await company.leave(browser)) | {"iss": double.issuer}
    ticket_in(await company.come_back(browser, **answer))


async def test_an_answer_of_another_provider_is_refused_unasked(company: Company) -> None:
    """This includes providers that do not announce that they name themselves (mix-up, RFC 9207)."""
    browser = company.browser()
    answer = company.double.code_for(await company.leave(browser)) | {"iss": "https://evil.test"}
    entry = await company.refusal(await company.come_back(browser, **answer))
    assert (entry["code"], entry["expected"], entry["received"]) == (
        "iss_mismatch",
        company.double.issuer,
        "https://evil.test",
    )
    assert "/token" not in company.double.asked


async def test_a_state_of_another_kind_of_sign_in(world: World, company: Company) -> None:
    browser = company.browser()
    async with world.tx() as tx:
        other = await queries.insert(tx, {"kind": "SAML", "name": "Other", "enabled": True}, [])
        state = await flows.begin(tx, other, request_of(browser))
    entry = await company.refusal(await company.come_back(browser, state=state, code="c"))
    assert (entry["code"], entry["received"]) == ("flow_of_other_connection", "SAML")


async def test_an_error_of_the_provider_is_not_repeated(company: Company) -> None:
    for error, told in (("access_denied", "access_denied"), ("<b>Dr. Evil</b>", "another error")):
        browser = company.browser()
        state = company.double.code_for(await company.leave(browser))["state"]
        location = await company.come_back(
            browser, state=state, error=error, error_description="Evil", error_uri="https://evil.test"
        )
        assert "vil" not in location
        entry = await company.refusal(location)
        assert (entry["code"], entry["received"]) == ("provider_error", told)


@pytest.mark.parametrize("code", ["", "c" * 5000])
async def test_a_code_that_is_none(company: Company, code: str) -> None:
    browser = company.browser()
    answer = company.double.code_for(await company.leave(browser)) | {"code": code}
    assert (await company.refusal(await company.come_back(browser, **answer)))["code"] == "code_missing"
    assert "/token" not in company.double.asked


async def test_a_code_of_another_sign_in_lacks_its_verifier(company: Company) -> None:
    """PKCE: a stolen code cannot be used in another sign-in."""
    victim = company.double.code_for(await company.leave(company.browser()))
    attacker = company.browser()
    own = company.double.code_for(await company.leave(attacker))
    location = await company.come_back(attacker, state=own["state"], code=victim["code"])
    entry = await company.refusal(location)
    assert (entry["code"], entry["received"]) == ("token_refused", "status 400: invalid_grant")


async def test_parameters_that_come_twice(company: Company) -> None:
    browser = company.browser()
    answer = company.double.code_for(await company.leave(browser))
    twice = f"{urlencode(answer)}&code=x"
    told = await browser.get(f"/api/sso/oidc/callback?{twice}")
    assert (told.status_code, told.json()["error"]["code"]) == (400, "duplicate_parameter")


async def test_the_providers_own_parameters_stay(world: World, double: Double) -> None:
    double.document["authorization_endpoint"] = f"{double.issuer}/authorize?p=policy&state=mine&prompt=none"
    company = await connect(world, double)
    pairs = parse_qsl(urlsplit(await company.leave(company.browser())).query)
    assert dict(pairs)["p"] == "policy"
    assert [name for name, _ in pairs].count("state") == 1
    assert dict(pairs)["state"] != "mine"


# The answers for one tenant do not work in another one with the same issuer and client.


async def test_what_is_of_one_tenant_opens_nothing_in_another(
    world: World, stranger: World, company: Company, double: Double
) -> None:
    theirs = await connect(stranger, double)
    double.claims["email"] = f"ana@{company.domain}"
    browser = company.browser()
    # In a browser with both sign-ins in progress, a state and a code of the other tenant sign in only there.
    mine = double.code_for(await company.leave(browser))
    other = double.code_for(await theirs.leave(browser))
    location = await company.come_back(browser, state=other["state"], code=mine["code"])
    assert (await theirs.refusal(location))["code"] == "token_refused"  # PKCE: of another sign-in
    location = await company.come_back(browser, **double.code_for(await theirs.leave(browser)))
    entry = await theirs.refusal(location)  # a domain that is verified here, and not in the other tenant
    assert entry["code"] == "domain_not_of_connection"
    async with stranger.tx() as tx:
        await connections.change(
            tx, theirs.id, connections.ConnectionPatch(domains=[company.domain, theirs.domain])
        )
    location = await company.come_back(browser, **double.code_for(await theirs.leave(browser)))
    assert (await theirs.refusal(location))["code"] == "domain_not_verified"
    assert (await sessions(world), await sessions(stranger)) == (0, 0)


async def test_a_connection_of_another_tenant_is_not_there(
    world: World, stranger: World, company: Company, double: Double
) -> None:
    theirs = await connect(stranger, double)
    location = await company.leave(company.browser(), connection=str(theirs.id))
    assert (await company.refusal(location))["code"] == "connection_missing"
    location = await company.leave(company.browser(), connection=str(uuid4()))
    assert (await company.refusal(location))["code"] == "connection_missing"


async def test_a_link_of_one_tenant_is_none_of_another(
    stranger: World, company: Company, double: Double
) -> None:
    """The same issuer, client and subject are two people in two tenants."""
    mine = await company.sign_in(company.browser())
    theirs = await connect(stranger, double)
    double.claims["email"] = f"ana@{theirs.domain}"
    signed = await theirs.sign_in(theirs.browser())
    assert signed["user"]["id"] != mine["user"]["id"]


async def test_a_suspended_tenant(world: World, company: Company, owner: Any) -> None:
    ticket = await company.ticket(browser := company.browser())
    on_the_way = company.double.code_for(await company.leave(browser))
    async with owner() as each:
        await each.set_status(world.tenant.slug, "SUSPENDED")
    assert (await exchange(browser, ticket)).status_code == 401
    for location in (await company.come_back(browser, **on_the_way), await company.leave(browser)):
        assert location.startswith("/login/sso?reference=")
    async with owner() as each:
        await each.set_status(world.tenant.slug, "ACTIVE")


# Which details are shown to whom.


async def test_the_log_holds_no_secret_and_no_whole_address(
    world: World, company: Company, double: Double, caplog: Any, capsys: Any
) -> None:
    double.claims["email"] = "ana.very.secret@other.test"
    browser = company.browser()
    answer = double.code_for(await company.leave(browser))
    location = await company.come_back(browser, **answer)
    entry = await company.refusal(location)
    assert (entry["expected"], entry["received"]) == (company.domain, "other.test")
    told = capsys.readouterr()
    async with world.tx() as tx:
        rows = await tx.rows("SELECT t::text AS line FROM sso_sign_ins t WHERE tenant_id = :tenant")
    for text in (told.out, told.err, location, *[row["line"] for row in rows]):
        for secret in ("ana.very.secret", answer["state"], answer["code"], "access", SECRET):
            assert secret not in text


def test_the_unknown_reason_is_none() -> None:
    with pytest.raises(TypeError):
        SignInRefused("no_such_reason")


def test_a_reason_is_shown_on_one_line() -> None:
    refused = SignInRefused("failed", "a\nb\x00c\u202e", "x" * 1000)
    assert refused.expected == "a\ufffdb\ufffdc\ufffd"
    assert refused.received is not None
    assert len(refused.received) == 301


# Key sets.


def test_a_set_is_read_key_by_key() -> None:
    good = ECKey.generate_key("P-256", private=True)
    public = good.as_dict(private=False)
    broken = [
        None,
        "key",
        {},
        {"kty": "RSA"},
        {"kty": "RSA", "n": 1, "e": []},
        {"kty": "EC", "crv": "P-256", "x": "!", "y": "!"},
        {"kty": "oct", "k": "c2VjcmV0"},
        {"kty": "OKP", "crv": "X25519", "x": "A" * 43},
        {**public, "use": "enc"},
        {**public, "key_ops": ["encrypt"]},
        {**public, "key_ops": "verify"},
        {**public, "kid": ""},
        {**public, "kid": 1},
        {**public, "kid": "a\x00"},
        {**public, "alg": "HS256"},
        {**public, "crv": "secp256k1"},
        {**public, "x": public["y"]},
        RSAKey.generate_key(1024, private=True).as_dict(private=False),
    ]
    found = keys.read_set(
        json.dumps({"keys": [*broken, {**good.as_dict(private=True), "kid": "one"}]}).encode()
    )
    assert found == [{name: public[name] for name in ("kty", "crv", "x", "y")} | {"kid": "one"}]
    assert keys.read_set(json.dumps({"keys": [public] * 1000}).encode())[100:] == []


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b'{"keys":{}}', b'{"keys":[],"keys":[]}', b"[" * 100_000, b"\xff", b'{"a":NaN}'],
)
def test_what_is_no_set_has_no_keys(body: bytes) -> None:
    assert keys.read_set(body) == []


KEY = ECKey.generate_key("P-256", private=True)
PUBLIC = [{**KEY.as_dict(private=False), "kid": "one"}]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    header=st.one_of(
        st.binary(max_size=200),
        st.dictionaries(
            st.sampled_from(["alg", "kid", "typ", "crit", "b64", "jwk"]),
            st.one_of(st.none(), st.text(max_size=20), st.integers(), st.lists(st.text(max_size=5))),
        ),
    ),
    payload=st.one_of(
        st.binary(max_size=200),
        st.dictionaries(
            st.sampled_from(["iss", "aud", "exp", "iat", "nonce", "sub", "azp", "at_hash"]),
            st.one_of(st.none(), st.text(max_size=20), st.integers(), st.floats(), st.lists(st.text())),
        ),
    ),
    sign=st.booleans(),
)
def test_any_token_is_refused_in_words(world: World, header: Any, payload: Any, sign: bool) -> None:
    """Whatever it contains, and whether or not the right key signed it."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    if sign:
        token = jws.serialize_compact({"alg": "ES256", "kid": "one"}, body, KEY, algorithms=["ES256"])
    else:
        token = f"{encoded(header)}.{encoded(body)}.{encoded(b'0' * 64)}"
    expected = tokens.ExpectedToken("https://idp.test", CLIENT, lambda _: True, "access")
    with pytest.raises(SignInRefused):
        read(token, expected, world.clock.now)


def read(token: str, expected: tokens.ExpectedToken, now: Any) -> Any:
    head = tokens.read_header(token, ["ES256"])
    return tokens.verify(token, head, keys.candidates(PUBLIC, head.kid, "ES256"), expected, now)


async def test_a_cookie_of_the_browser_is_none_of_the_page(company: Company) -> None:
    """Without TLS, as in development, it has no prefix. With TLS, a cookie without the prefix is ignored."""
    browser: httpx2.AsyncClient = company.browser()
    browser.cookies.set("sso_b", "A" * 43, domain="trilha.test", path="/")
    location = await company.leave(browser)
    browser.cookies.delete("__Host-sso_b")
    answer = company.double.code_for(location)
    entry = await company.refusal(await company.come_back(browser, **answer))
    assert entry["code"] == "other_browser"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", "required"),
        ("tenant_slug=", "invalid_value"),
        ("tenant_slug=Not%20one", "invalid_value"),
        ("tenant_slug=a&connection=x", "invalid_uuid"),
        ("tenant_slug=a&tenant_slug=b", "duplicate_parameter"),
        ("tenant_slug=a&ticket=b", "unknown_parameter"),
        ("tenant_slug=a%00", "invalid_text"),
    ],
)
async def test_a_start_that_cannot_be_read(company: Company, query: str, code: str) -> None:
    answer = await company.browser().get(f"/api/sso/oidc/start?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


async def test_a_company_that_nobody_knows(company: Company) -> None:
    answer = await company.browser().get("/api/sso/oidc/start?tenant_slug=nobody")
    assert answer.status_code == 302
    assert answer.headers["location"].startswith("/login/sso?reference=")


async def test_an_account_of_another_company_with_our_address_stays_out(world: World, double: Double) -> None:
    """A person with an account at a multi-company provider chooses its address, but not its `hd`."""
    company = await connect(world, double)
    for hosted, opens in ((company.domain, True), ("evil.test", False), (["x"], False)):
        double.claims["hd"] = hosted
        location = await company.arrive(company.browser())
        assert ("ticket=" in location) is opens, hosted


def test_google_has_to_name_the_company() -> None:
    claims = {"sub": "1", "email": "ana@acme.test", "email_verified": True}
    with pytest.raises(SignInRefused, match="hosted_domain_missing"):
        identity_of(claims, GOOGLE)
    assert identity_of(claims | {"hd": "ACME.test"}, GOOGLE).hosted_domain == "acme.test"
    assert identity_of(claims, "https://login.acme.test").hosted_domain is None
