"""The kit that every page is made of: shells, components, styles, scripts, languages. It knows no feature."""

from trilha.pages.errors import PageErrors
from trilha.pages.flash import lead, redirect
from trilha.pages.forms import Form, refused, say
from trilha.pages.headers import HEADERS, policy
from trilha.pages.page import Flash, Locale, MenuItem, Page, State, Theme
from trilha.pages.preferences import locale_of, own_address, page_of, theme_of
from trilha.pages.rendering import render, text, translate
from trilha.pages.surfaces import SURFACES
from trilha.pages.translations import N_, NN_, choose_locale

__all__ = [
    "HEADERS",
    "NN_",
    "N_",
    "SURFACES",
    "Flash",
    "Form",
    "Locale",
    "MenuItem",
    "Page",
    "PageErrors",
    "State",
    "Theme",
    "choose_locale",
    "lead",
    "locale_of",
    "own_address",
    "page_of",
    "policy",
    "redirect",
    "refused",
    "render",
    "say",
    "text",
    "theme_of",
    "translate",
]
