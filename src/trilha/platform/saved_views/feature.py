from trilha.feature import Feature
from trilha.platform.saved_views import queries

FEATURE = Feature(name="saved_views", erasures=[queries.erase], export=queries.EXPORT)
