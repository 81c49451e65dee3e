"""The days in a row of a learner, as a part of other pages."""
