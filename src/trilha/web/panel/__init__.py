"""/admin: pages for administrators, managers and instructors. Each noun has a folder, over the API's own
actions.
"""
