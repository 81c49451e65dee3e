"""Actions on many rows of a list: which rows, how far they are, and what is needed to undo them.

Owns `bulk_actions` and `bulk_action_items`. What an action does is declared by the pages that offer it
(`web.panel.bulk`).
"""
