"""The choice of a language, and where the switches may redirect to."""

import pytest

from trilha.kit import choose_locale, own_address


@pytest.mark.parametrize(
    ("wishes", "accepted", "expected"),
    [
        (("en", "pt-BR"), "pt-BR", "en"),
        ((None, "en"), "pt-BR", "en"),
        ((None, None), "en-GB,en;q=0.9,pt;q=0.8", "en"),
        ((None, None), "fr, pt-PT;q=0.4, en;q=0.3", "pt-BR"),
        ((None, None), "en;q=0, pt-BR;q=0.1", "pt-BR"),
        ((None, None), "de", "pt-BR"),
        ((None, None), "en;q=x", "pt-BR"),
        ((None, None), None, "pt-BR"),
        (("xx",), "en", "en"),
    ],
)
def test_a_language(wishes: tuple[str | None, ...], accepted: str | None, expected: str) -> None:
    assert choose_locale(*wishes, accepted=accepted) == expected


@pytest.mark.parametrize("address", ["/admin", "/admin?q=a&b=c", "/"])
def test_ones_own_address(address: str) -> None:
    assert own_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        *("//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)", "admin", ""),
        *("/a\r\nset-cookie: x=y", "/\t/evil.example", "\\\\evil.example", "/ã"),
    ],
)
def test_any_other_leads_to_the_first_page(address: str) -> None:
    assert own_address(address) == "/"
