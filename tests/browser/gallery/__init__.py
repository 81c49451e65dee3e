"""Shows every component with full, empty, wrong and very long content, in its own server.

PYTHONPATH=tests:. .venv/bin/python -m browser.gallery 8100
"""
