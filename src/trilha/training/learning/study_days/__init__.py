"""The days in a row on which a person studies."""
