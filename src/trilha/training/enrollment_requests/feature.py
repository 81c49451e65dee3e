from trilha.feature import Feature
from trilha.training.enrollment_requests import errors, queries
from trilha.training.enrollment_requests.api import routes
from trilha.training.enrollment_requests.personal_data_export import EXPORT

FEATURE = Feature(
    name="enrollment_requests",
    errors=[errors],
    v1=[routes],
    erasures=[queries.erase],
    export=EXPORT,
)
