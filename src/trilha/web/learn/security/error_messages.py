"""The error sentences for passwords and codes, shared by every form that asks for one."""

from trilha.kit import N_

_TOO_SHORT = N_("This password is too short. See the minimum length above.")
PASSWORDS = {
    "wrong_password": N_("The current password is incorrect. Try again."),
    "same_password": N_("Choose a password that is different from your current one."),
    "too_short": _TOO_SHORT,
    "password_below_minimum": _TOO_SHORT,
    "password_common": N_("Many people use this password, so it is easy to guess. Choose another one."),
    "password_is_name": N_("Names and e-mail addresses are easy to guess. Choose another password."),
}
WRONG_CODE = N_("This code is incorrect or was already used. Wait for a new code and try again.")
