"""The list of a session on paper, with space to sign: typeset by Typst in a process of its own."""
