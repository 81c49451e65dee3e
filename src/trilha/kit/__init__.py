"""The kit of every page: shells, components, styles, scripts and languages. It knows no feature."""

from trilha.kit.content_security_policy import HEADERS, policy
from trilha.kit.errors import PageErrors
from trilha.kit.flash import lead, redirect
from trilha.kit.forms import Form, build_refused_form, say
from trilha.kit.page import Flash, Locale, MenuItem, Page, State, Theme
from trilha.kit.preferences import locale_of, own_address, page_of, theme_of
from trilha.kit.rendering import render, text, translate
from trilha.kit.surfaces import SURFACES
from trilha.kit.translations import N_, NC_, NN_, choose_locale

__all__ = [
    "HEADERS",
    "NC_",
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
    "build_refused_form",
    "choose_locale",
    "lead",
    "locale_of",
    "own_address",
    "page_of",
    "policy",
    "redirect",
    "render",
    "say",
    "text",
    "theme_of",
    "translate",
]
