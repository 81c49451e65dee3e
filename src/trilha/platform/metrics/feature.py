from trilha.feature import Feature
from trilha.platform.metrics.api import build_surfaces
from trilha.platform.metrics.worker_port import serve

FEATURE = Feature(name="metrics", build_surfaces=build_surfaces, loops=[serve])
