"""Launch links: a portal of the company opens a module for a learner, who is signed in by the link.

Owns `launch_links`; emits nothing.
"""
