"""Recognizes the authoring tool of a package by the files it leaves."""

import re
from collections.abc import Iterable

# The first match counts. `^` is the package's root, in lower case.
_MARKS = (
    ("Articulate Rise", r"^scormcontent/(lib/rise/|index\.html$)"),
    ("Articulate Storyline", r"(^|/)(story_content/|story(_html5)?\.html$)"),
    ("Adobe Captivate", r"(^|/)(index_scorm\.html$|assets/js/cpm\.js$|assets/cpm\.js$|cpmain)"),
    ("iSpring", r"(^|/)(ispring|res/(data/)?ispring|.*\.ispring)"),
    ("Adapt", r"^adapt/js/adapt(\.min)?\.js$"),
    ("eXeLearning", r"^(contentv\d\.xml|content\.xsd|exe_jquery\.js|libs/exe_|common_i18n\.js)"),
    ("3DVista", r"(^|/)(tdvplayer|tdvremote|script_general\.js$|lib/tdv)"),
    ("Lectora", r"(^|/)trivantis"),
    ("Xerte", r"(^|/)(xenith\.js$|rloobject\.htm$)"),
    ("H5P", r"(^|/)h5p\.json$"),
    ("Camtasia", r"(^|/)techsmith"),
    ("Elucidat", r"(^|/)elucidat"),
    ("Genially", r"(^|/)genially"),
    ("Easygenerator", r"(^|/)(easygenerator|publishsettings\.js)"),
    ("Unity", r"(^|/)(unityloader\.js|.*\.unityweb|build/.*\.(framework|loader)\.js(\.\w+)?)$"),
    ("Rustici SCORM driver", r"(^|/)scormdriver(\.js|/)"),
)
_PATTERNS = [(name, re.compile(pattern)) for name, pattern in _MARKS]


def tool_of(paths: Iterable[str], generator: str) -> str:
    """Returns the tool that the package names, else the one that its files show, else an empty text."""
    lowered = [path.lower() for path in paths]
    return generator or next(
        (name for name, pattern in _PATTERNS if any(pattern.search(path) for path in lowered)), ""
    )
