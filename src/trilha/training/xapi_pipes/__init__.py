"""Pipes: they forward the statements of a company to learning record stores elsewhere.

A pipe has a position in the order of `stored` and forwards what comes after it, in batches. The position
moves when the receiver has answered, so a worker that dies sends at most one batch again, and its statements
have the same ids. Owns `xapi_pipes` and emits `xapi_pipe.paused`.
"""
