"""The two built-in certificate designs, as Typst sources, and their fonts.

Text is set in Libertinus Serif, which Typst includes, or in Inter; other scripts and emoji fall back to Noto.
A character that no font has is shown as a box, so that no name prevents a certificate. The fonts come from
packages, all under the SIL Open Font License.
"""

from importlib.resources import files
from pathlib import Path

FOLDER = Path(__file__).parent
SOURCES = (
    "certificate.typ",
    "common.typ",
    "fonts.typ",
    "classic.typ",
    "modern.typ",
    "document.typ",
    "glyphs.typ",
)
_PACKAGES = FOLDER / "node_modules"
_FROM_PACKAGES = (
    "@embedpdf/fonts-arabic/fonts",
    "@expo-google-fonts/inter/400Regular",
    "@expo-google-fonts/inter/600SemiBold",
    "@expo-google-fonts/inter/700Bold",
    "@expo-google-fonts/noto-emoji/400Regular",
)


def font_folders() -> list[Path]:
    """Returns the folders of fonts that Typst does not include."""
    return [*(_PACKAGES / each for each in _FROM_PACKAGES), Path(str(files("noto_cjk_sans_otc")))]
