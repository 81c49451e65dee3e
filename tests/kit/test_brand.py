"""Text on a tenant's color is readable in the light and the dark theme, whatever the color."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from trilha.kit import brand
from trilha.kit.brand import WHITE, derive, neutrals
from trilha.kit.colours import contrast, hex_of, oklch_of, rgb_of, srgb

HEXES = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@settings(deadline=None)  # may be slow beside other tests
@given(HEXES)
@example("#000000")
@example("#ffffff")
@example("#ffff00")
@example("#0000ff")
@example("#777777")
def test_every_brand_can_be_read(hex: str) -> None:
    made = derive(hex)
    assert contrast(made.on_brand, made.brand) >= 4.5
    assert contrast(made.on_brand, made.hover) >= 4.5
    for side in (0, 1):
        behind = [neutrals()[name][side] for name in ("bg", "surface", "sunken")] + [made.tint[side]]
        assert min(contrast(made.ink[side], each) for each in behind) >= 4.5
        assert contrast(made.edge[side], neutrals()["surface"][side]) >= 3
        # Text on the tint, as in a selected row.
        assert contrast(neutrals()["ink"][side], made.tint[side]) >= 7


@given(HEXES)
def test_a_colour_survives_the_way_to_oklch_and_back(hex: str) -> None:
    assert hex_of(srgb(oklch_of(rgb_of(hex)))) == hex


def test_the_greys_and_states_can_be_read() -> None:
    found = neutrals()
    for side in (0, 1):
        for name in ("bg", "surface", "sunken"):
            behind = found[name][side]
            assert contrast(found["ink"][side], behind) >= 12
            assert contrast(found["muted"][side], behind) >= 5.5
            assert contrast(found["edge"][side], behind) >= 3
    tokens = brand.TOKENS.read_text()
    states = re.findall(r"--(\w+)-ink: light-dark\(", tokens)
    assert states == ["ok", "warn", "bad", "info"]


def test_white_is_written_on_a_dark_colour_and_black_on_a_light_one() -> None:
    assert derive("#0b6677").on_brand == WHITE
    assert hex_of(derive("#ffd400").on_brand) == "#000000"


def test_an_address_is_of_one_style_sheet() -> None:
    name = brand.address("#0b6677").removeprefix("/brand/")
    assert brand.find_stylesheet(name) == brand.stylesheet("#0b6677")
    for wrong in ("0b6677.css", "0b6677-00000000.css", name.upper(), f"x{name}", "", "zzzzzz-1.css"):
        assert brand.find_stylesheet(wrong) is None
