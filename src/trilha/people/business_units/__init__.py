"""The company's organization chart. Owns `business_units` and `business_unit_managers`; emits no event."""

from trilha.people.business_units import errors as errors
