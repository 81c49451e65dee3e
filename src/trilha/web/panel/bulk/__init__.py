"""Actions on the selected rows of a list: the question, the work, its progress, and undoing it.

A list declares its actions as values (`actions.BulkAction`) and adds their pages with `offering.BulkList`.
"""
