"""Why passwords and codes are refused: the same words wherever one is typed."""

from trilha.pages import N_

_TOO_SHORT = N_("This password is too short. Use as many characters as the hint says.")
PASSWORDS = {
    "wrong_password": N_("This is not your current password."),
    "same_password": N_("Choose a password other than the current one."),
    "too_short": _TOO_SHORT,
    "password_below_minimum": _TOO_SHORT,
}
WRONG_CODE = N_("This code is not right or was used. Wait for the next one.")
