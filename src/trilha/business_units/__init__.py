"""The parts of a company, as a tree. Owns `business_units` and `business_unit_managers`; emits no event."""

from trilha.business_units import errors as errors
