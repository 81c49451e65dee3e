"""The structural gate: the forms that a response, an assertion and a signature may have, and no others.

A signature says which part of a document it is over. Every known way to have another part read is a form
that no provider sends: a second assertion, a signature elsewhere, two references, ids that are there twice.
"""

import re
from collections.abc import Collection, Iterator

from lxml import etree
from msgspec import Struct

from trilha.access.sso.saml.documents import Element, require_child
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.names import ENVELOPED_TRANSFORM, EXC_C14N, ds, saml, samlp

_ASSERTIONS = (saml("Assertion"), saml("EncryptedAssertion"))
_RESPONSE = {saml("Issuer"), ds("Signature"), samlp("Extensions"), samlp("Status"), *_ASSERTIONS}
_ASSERTION = {
    ds("Signature"),
    *(saml(name) for name in ("Issuer", "Subject", "Conditions", "Advice", "AuthnStatement")),
    *(saml(name) for name in ("AttributeStatement", "AuthzDecisionStatement")),
}
_STATEMENTS = {saml(name) for name in ("AuthnStatement", "AttributeStatement", "AuthzDecisionStatement")}
# An xs:ID in ASCII. Some providers begin with a digit, which is none.
_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}")
_SIGNATURE = [ds("SignedInfo"), ds("SignatureValue")]
_SIGNED_INFO = [ds("CanonicalizationMethod"), ds("SignatureMethod"), ds("Reference")]
_REFERENCE = [ds("Transforms"), ds("DigestMethod"), ds("DigestValue")]
_PREFIXES = [f"{{{EXC_C14N}}}InclusiveNamespaces"]


class ResponseShape(Struct, frozen=True):
    """`assertion` is an Assertion or an EncryptedAssertion."""

    assertion: Element
    signed: bool
    assertion_signed: bool

    @property
    def is_encrypted(self) -> bool:
        return self.assertion.tag == saml("EncryptedAssertion")


def check_response(root: Element) -> ResponseShape:
    """Raises SignInRefused."""
    if root.tag != samlp("Response"):
        raise build_refusal("saml_message_kind", "Response", _name(root))
    check_message(root)
    _check_children(root, _RESPONSE, repeated=())
    assertion = _only_assertion(root)
    encrypted = assertion.tag == saml("EncryptedAssertion")
    if not encrypted:
        _check_assertion(assertion)
    signed, assertion_signed = _check_signatures(root, () if encrypted else (assertion,))
    if not (signed or assertion_signed or encrypted):
        raise build_refusal("saml_signature_missing", "a signed Response or Assertion", "no signature")
    return ResponseShape(assertion, signed, assertion_signed)


def check_decrypted(root: Element) -> bool:
    """Of a document that was in an EncryptedAssertion: whether it is signed. Raises SignInRefused."""
    if root.tag != saml("Assertion"):
        raise build_refusal("saml_message_kind", "Assertion", _name(root))
    if len(list(root.iter(*_ASSERTIONS))) != 1:
        raise build_refusal("saml_assertion_count", "one assertion", "an assertion inside another")
    _check_document(root)
    _check_assertion(root)
    return _check_signatures(root)[0]


def check_message(root: Element) -> None:
    """What holds for every message of the protocol. Raises SignInRefused."""
    if root.get("Version") != "2.0":
        raise build_refusal("saml_version_unknown", "2.0", root.get("Version"))
    _check_document(root)


def check_signed_message(root: Element) -> bool:
    """Of a message that holds no assertion: whether it is signed. Raises SignInRefused."""
    check_message(root)
    if next(root.iter(*_ASSERTIONS), None) is not None:
        raise build_refusal("saml_assertion_count", "no assertion", "an assertion")
    return _check_signatures(root)[0]


def _check_document(root: Element) -> None:
    if root.get("ID") is None or not _ID.fullmatch(root.get("ID", "")):
        raise build_refusal("saml_id_malformed", "an XML id", root.get("ID"))
    if next(root.iter(ds("Object")), None) is not None:
        raise build_refusal("saml_signature_shape", "no Object in a signature", "Object")
    seen: set[str] = set()
    for identifier in _identifiers(root):
        if identifier in seen:
            raise build_refusal("saml_id_repeated", "every id once", identifier)
        seen.add(identifier)


def _identifiers(root: Element) -> Iterator[str]:
    """Every attribute that some reader may take for an id: ID, Id, id, xml:id, in any namespace."""
    for element in root.iter():
        for name, value in element.attrib.items():
            if etree.QName(name).localname.lower() == "id":
                yield str(value)


def _only_assertion(root: Element) -> Element:
    found = list(root.iter(*_ASSERTIONS))
    if len(found) != 1:
        raise build_refusal("saml_assertion_count", "one assertion", f"{len(found)}")
    if found[0].getparent() is not root:
        raise build_refusal(
            "saml_assertion_misplaced", "an assertion directly in the Response", _path(found[0])
        )
    return found[0]


def _check_assertion(assertion: Element) -> None:
    if assertion.get("Version") != "2.0":
        raise build_refusal("saml_version_unknown", "2.0", assertion.get("Version"))
    if not _ID.fullmatch(assertion.get("ID", "")):
        raise build_refusal("saml_id_malformed", "an XML id", assertion.get("ID"))
    _check_children(assertion, _ASSERTION, repeated=_STATEMENTS)


def _check_children(parent: Element, known: Collection[str], repeated: Collection[str]) -> None:
    seen: set[str] = set()
    for child in parent:
        if child.tag not in known:
            raise build_refusal("saml_element_unexpected", _name(parent), _path(child))
        if child.tag in seen and child.tag not in repeated:
            raise build_refusal("saml_element_repeated", "one", _path(child))
        seen.add(child.tag)


def _check_signatures(root: Element, others: Collection[Element] = ()) -> tuple[bool, bool]:
    """Whether the root is signed, and whether another element is that may be."""
    signed = {}
    for signature in root.iter(ds("Signature")):
        parent = signature.getparent()
        if parent is None or not any(parent is each for each in (root, *others)):
            raise build_refusal(
                "saml_signature_misplaced", "a signature of Response or Assertion", _path(signature)
            )
        if parent in signed:
            raise build_refusal("saml_signature_shape", "one signature", "several in one element")
        signed[parent] = True
        _check_signature(signature, parent.get("ID", ""))
    return root in signed, any(each in signed for each in others)


def _check_signature(signature: Element, parent_id: str) -> None:
    children = [child.tag for child in signature]
    if children not in (_SIGNATURE, [*_SIGNATURE, ds("KeyInfo")]):
        raise build_refusal("saml_signature_shape", "SignedInfo, SignatureValue, KeyInfo", _names(signature))
    info = require_child(signature, ds("SignedInfo"))
    _check_exactly(info, _SIGNED_INFO)
    method, _, reference = info
    if method.get("Algorithm") != EXC_C14N:
        raise build_refusal("saml_canonicalization_unknown", EXC_C14N, method.get("Algorithm"))
    _check_canonicalization(method)
    # SAML core 5.4.2: the element that holds the signature, and by its id.
    if reference.get("URI") != f"#{parent_id}":
        raise build_refusal("saml_reference_mismatch", f"#{parent_id}", reference.get("URI"))
    _check_exactly(reference, _REFERENCE)
    _check_transforms(reference[0])
    for leaf in (info[1], reference[1], reference[2], signature[1]):
        _check_exactly(leaf, [])


def _check_transforms(transforms: Element) -> None:
    """SAML core 5.4.4, and both of them: what other transforms do is never done."""
    if [each.tag for each in transforms] != [ds("Transform")] * 2:
        raise build_refusal("saml_transforms_unknown", "enveloped-signature, exc-c14n", _names(transforms))
    algorithms = [each.get("Algorithm") for each in transforms]
    if algorithms != [ENVELOPED_TRANSFORM, EXC_C14N]:
        raise build_refusal(
            "saml_transforms_unknown", f"{ENVELOPED_TRANSFORM}, {EXC_C14N}", map(str, algorithms)
        )
    _check_exactly(transforms[0], [])
    _check_canonicalization(transforms[1])


def _check_canonicalization(method: Element) -> None:
    if [child.tag for child in method] not in ([], _PREFIXES):
        raise build_refusal("saml_signature_shape", "InclusiveNamespaces", _names(method))
    for child in method:
        _check_exactly(child, [])


def _check_exactly(parent: Element, tags: list[str]) -> None:
    if [child.tag for child in parent] != tags:
        expected = ", ".join(etree.QName(tag).localname for tag in tags) or "no element"
        raise build_refusal("saml_signature_shape", f"in {_name(parent)}: {expected}", _names(parent))


def _name(element: Element) -> str:
    return etree.QName(element).localname


def _names(parent: Element) -> str:
    return ", ".join(map(_name, parent)) or "nothing"


def _path(element: Element) -> str:
    above = [_name(each) for each in element.iterancestors()]
    return "/".join([*reversed(above), _name(element)])
