from trilha.feature import Feature
from trilha.platform.tenants import errors, surface

FEATURE = Feature(name="tenants", errors=[errors], build_surfaces=lambda _: [surface.SURFACE])
