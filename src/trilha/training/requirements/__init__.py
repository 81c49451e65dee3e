"""Requirements: rules that say who must hold which course or learning path. The worker enrolls people by them
and renews their training.

Tables: requirements, requirement_people, requirement_history, requirement_totals, requirement_excuses,
requirement_engines, requirement_checks, requirement_sweeps. Events: requirement.assigned,
requirement.satisfied, requirement.overdue, requirement.released.
"""
