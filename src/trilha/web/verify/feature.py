from trilha.feature import Feature
from trilha.web.verify import surface

FEATURE = Feature(name="verify", build_surfaces=lambda settings: [surface.surface(settings.limit_verify)])
