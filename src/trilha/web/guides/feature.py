from trilha.feature import Feature
from trilha.web.guides import surface

FEATURE = Feature(name="guides", build_surfaces=lambda _: [surface.SURFACE])
