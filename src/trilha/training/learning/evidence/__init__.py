"""The tamper-evident log of an enrollment, and its verification."""
