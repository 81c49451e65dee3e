"""The permissions of each role, and the viewer whom they apply to. Owns no table."""
