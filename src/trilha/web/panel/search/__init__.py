"""Search of everything in the panel: people, courses, paths, groups, pages and actions.

/admin/search is a page, and the palette that scripts open over any page.
"""
