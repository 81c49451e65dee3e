"""What a learner reads at the end of a module: what was done, what it earned, and what comes next."""
