"""Secret addresses under which calendar programs read the due dates and sessions of a person, and all
sessions of a company. Owns `calendar_feeds` and `company_feeds`; emits no event.
"""
