"""Every component, with full, empty, wrong and very long content, in a server of its own.

PYTHONPATH=tests:. .venv/bin/python -m browser.gallery 8100
"""
