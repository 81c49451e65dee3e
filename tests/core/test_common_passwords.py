"""Which passwords many people choose, and which are names."""

from time import process_time

import pytest

from trilha.core.common_passwords import is_common, is_name


@pytest.mark.parametrize(
    "password",
    [
        *("12345678", "password1", "qwerty123", "iloveyou2", "1q2w3e4r", "abcdefgh", "zyxwvuts", "aaaaaaaa"),
        *("Senha123", "SENHA@2026", "2026senha", "S3nh@2026!", "p@ssw0rd", "Mudar123", "trocar@123"),
        *("Brasil2026", "flamengo10", "DeusÉFiel", "Grêmio1983", "bemvindo!1", "Trilha2026"),
    ],
)
def test_what_many_people_choose(password: str) -> None:
    assert is_common(password)


@pytest.mark.parametrize(
    "password",
    [
        *("correct horse", "a better one", "um cavalo correto", "senha muito secreta", "hT7mQx4VbN9cKw2R"),
        *("fifteen letters", "secret words", "x" * 60 + "yz", "\ud800 lone surrogate"),
    ],
)
def test_what_few_people_choose(password: str) -> None:
    assert not is_common(password)


NAMES = ("Ana Conceição Lima", "ana.lima@metalurgica.com.br", "Metalúrgica Ápice", "apice-sp")


@pytest.mark.parametrize(
    "password",
    [
        *(
            "conceicao",
            "Conceição1",
            "lima2026",
            "AnaConceicaoLima",
            "ana.lima@metalurgica.com.br",
            "analima99",
        ),
        *("Metalurgica@1", "apice2026", "apicesp1", "!!Ápice!!1"),
    ],
)
def test_names_with_digits_around(password: str) -> None:
    assert is_name(password, NAMES)


@pytest.mark.parametrize(
    "password", ["ana12345", "correct horse", "limao e sal", "apice do monte", "20262026"]
)
def test_what_is_more_than_a_name(password: str) -> None:
    assert not is_name(password, NAMES)


@pytest.mark.parametrize("text", ["\ufdfa" * 128, "a" + "1" * 126 + "a", "1" * 127 + "a", "(" * 128, ""])
def test_digits_and_signs_around_are_found_in_little_time(text: str) -> None:
    """A call with a hundred passwords checks each of them in the event loop."""
    began = process_time()
    for _ in range(300):
        is_common(text)
        is_name(text, [text, "a" + "1" * 198 + "a", "\ufdfa" * 200])
    assert process_time() - began < 2
