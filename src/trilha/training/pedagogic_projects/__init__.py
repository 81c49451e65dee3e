"""The pedagogic project of a course: the document that says how a training is planned, in versions.

Tables: pedagogic_projects (what authors edit), pedagogic_project_versions (what was published, for ever).
"""
