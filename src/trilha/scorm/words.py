"""What the import doctor says, by the code of a finding: what it found, and what can be done about it.

Pages translate both and put the finding's values in.
"""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import structs

from trilha.pages import N_
from trilha.scorm.package import doctor, report
from trilha.scorm.schema import Finding, Report


class Words(NamedTuple):
    what: str
    fix: str


_EXPORT_AGAIN = N_("Export it again from the tool it was made with.")
_PACK_AGAIN = N_("Unpack it, remove what is named here, and zip the folder again.")
_SPLIT = N_("Leave out what the course does not use, or divide it into several packages.")
_NOTHING = N_("Nothing has to be done.")
_TRY_AGAIN = N_("Upload it again. If that fails too, tell whoever runs this server.")

WORDS = {
    # The file as a whole.
    "not_a_zip": Words(N_("The file is not a ZIP file."), N_("Upload the ZIP file that the tool exports.")),
    "damaged": Words(N_("The ZIP file is damaged or incomplete."), _EXPORT_AGAIN),
    "encrypted": Words(
        N_("The ZIP file is protected by a password."), N_("Zip the folder again, without a password.")
    ),
    "compression_unknown": Words(
        N_("The ZIP file is compressed in a way that is not read."),
        N_("Zip the folder again with the usual compression (Deflate)."),
    ),
    "too_many_entries": Words(
        N_("The package has %(count)s files; %(most)s are the most that are taken."), _SPLIT
    ),
    "too_large_unpacked": Words(N_("Unpacked, the package has more than %(megabytes)s MB."), _SPLIT),
    "file_too_large": Words(
        N_("A file has more than %(megabytes)s MB."),
        N_("Make the file smaller, for example by compressing its video."),
    ),
    "bomb": Words(
        N_("A file would unpack to more than %(ratio)s times its size, as files made to do harm do."),
        _EXPORT_AGAIN,
    ),
    "overlap": Words(N_("Files overlap inside the ZIP file, as in files made to do harm."), _EXPORT_AGAIN),
    "too_costly": Words(N_("Reading the package takes more memory or time than is allowed."), _SPLIT),
    # Names.
    "symbolic_link": Words(N_("An entry is a link to another place, not a file."), _PACK_AGAIN),
    "not_a_file": Words(N_("An entry is neither a file nor a folder."), _PACK_AGAIN),
    "name_leaves_package": Words(N_("The name of a file leads out of the package."), _PACK_AGAIN),
    "absolute_name": Words(N_("The name of a file begins at the root of a disk."), _PACK_AGAIN),
    "reserved_name": Words(N_("The name of a file is one that systems keep for themselves."), _PACK_AGAIN),
    "control_character_in_name": Words(
        N_("The name of a file has characters that cannot be shown."), _PACK_AGAIN
    ),
    "too_deep": Words(N_("Folders are nested too deeply."), _PACK_AGAIN),
    "name_too_long": Words(N_("The name of a file is too long."), _PACK_AGAIN),
    "duplicate_name": Words(N_("Two files have the same name."), _PACK_AGAIN),
    "names_differ_in_case": Words(
        N_("The names of two files differ only in upper and lower case: %(other)s."), _PACK_AGAIN
    ),
    "file_and_folder": Words(N_("A file and a folder have the same name."), _PACK_AGAIN),
    "name_unreadable": Words(
        N_("The name of a file is in an unknown encoding; the content may not find it."),
        N_("Name files with letters, digits and hyphens, and export it again."),
    ),
    # The manifest.
    "no_manifest": Words(
        N_("There is no imsmanifest.xml: this is no SCORM package."),
        N_("Choose SCORM 1.2 or SCORM 2004 when you export the course."),
    ),
    "another_standard": Words(
        N_("This is a package of another standard (xAPI, cmi5 or H5P), which is not played yet."),
        N_("Choose SCORM 1.2 or SCORM 2004 when you export the course."),
    ),
    "zip_in_zip": Words(
        N_("There is no imsmanifest.xml, but another ZIP file inside."), N_("Upload the ZIP file inside it.")
    ),
    "several_manifests": Words(
        N_("There are several packages in this file."), N_("Upload each package as a file of its own.")
    ),
    "too_many_items": Words(
        N_("The package has %(count)s parts; %(most)s are the most that are taken."),
        N_("Divide the content into several packages."),
    ),
    "manifest_too_large": Words(
        N_("The manifest is larger than %(megabytes)s MB, or has too many parts."), _EXPORT_AGAIN
    ),
    "manifest_has_dtd": Words(
        N_("The manifest has a document type declaration, which can be used to do harm."),
        N_("Remove the line that begins with <!DOCTYPE from imsmanifest.xml."),
    ),
    "manifest_broken": Words(N_("The manifest cannot be read (%(reason)s)."), _EXPORT_AGAIN),
    "nothing_to_launch": Words(N_("The manifest names no page that could be opened."), _EXPORT_AGAIN),
    "launch_outside": Words(
        N_("A part begins at an address outside the package."),
        N_("Parts must be pages of the package. A page of another server can be linked to in an article."),
    ),
    "launch_missing": Words(N_("The page that “%(item)s” begins with is not in the package."), _EXPORT_AGAIN),
    "no_organization": Words(
        N_("The manifest has no table of contents; the first page that reports progress is taken."), _NOTHING
    ),
    "default_organization_missing": Words(
        N_("The manifest’s default table of contents does not exist; the first one is taken."),
        N_("Look at whether the parts below are those that you expect."),
    ),
    "resource_missing": Words(
        N_("Some parts name a page that the manifest does not know; they are left out."),
        N_("Look at whether the parts below are those that you expect."),
    ),
    "identifier_not_unique": Words(N_("Some parts have the same identifier, or none."), _NOTHING),
    # What is in it.
    "no_sco": Words(
        N_("No part of it reports progress: this is plain content."),
        N_("It counts as completed when it was opened. Add a quiz where more is needed."),
    ),
    "api_not_used": Words(
        N_("No page seems to report progress, although the manifest says so."),
        N_("Play it to its end as a preview, and look at whether it is completed."),
    ),
    "several_parts": Words(N_("It has %(count)s parts; each becomes a module."), _NOTHING),
    "prerequisites": Words(
        N_("Parts ask for others to be done before. The order of the modules decides that here."),
        N_("Turn on the fixed order of the course, if it matters."),
    ),
    "sequencing": Words(N_("It has rules for the order of its parts, which are followed."), _NOTHING),
    "nested_folder": Words(N_("The package is in a folder of the ZIP file."), _NOTHING),
    "files_outside": Words(
        N_("Files outside the folder of the manifest are left out: %(count)s."),
        N_("Look at whether the content needs them."),
    ),
    "launch_misnamed": Words(
        N_("The manifest writes the name of a page in another way: %(wanted)s. It is found all the same."),
        _NOTHING,
    ),
    "files_misnamed": Words(
        N_("The manifest writes names of files in another way: %(count)s. They are found all the same."),
        _NOTHING,
    ),
    "files_missing": Words(
        N_("Files that the manifest names are not in the package: %(count)s. The first is shown here."),
        N_("Look at whether all pages are complete. Many tools name files that they do not need."),
    ),
    "flash": Words(
        N_("It has Flash files, which browsers do not play any more."),
        N_("Export it again as HTML5, if the tool can."),
    ),
    # What it does.
    "external_hosts": Words(
        N_("Pages load something from other servers (%(count)s), for example %(host)s."),
        N_("Learners need a way to these servers, and the servers learn of their visits."),
    ),
    "reaches_for_parent": Words(
        N_("It reaches for the page around it. It is played on an address of its own, where it cannot."),
        N_("Play it as a preview, and look at whether it works nevertheless."),
    ),
    "service_worker": Words(
        N_("A page that is opened first installs a service worker, which could take over other pages."),
        N_("Export it again without offline support."),
    ),
    "service_worker_inside": Words(
        N_("A script can install a service worker. It is not let: the course does not work offline."),
        _NOTHING,
    ),
    # What happened here.
    "process_died": Words(N_("The package could not be unpacked (%(reason)s)."), _TRY_AGAIN),
    "archive_gone": Words(N_("The file is not there any more."), _TRY_AGAIN),
    "storage_failed": Words(N_("The files could not be stored."), _TRY_AGAIN),
    "tried_too_often": Words(N_("The import broke off several times."), _TRY_AGAIN),
}

_Translate = Callable[[str], str]


def what(code: str, values: dict[str, report.Value], translate: _Translate = str) -> str:
    return translate(WORDS[code].what) % values


def fix(code: str, translate: _Translate = str) -> str:
    return translate(WORDS[code].fix)


def told(found: doctor.Report) -> Report:
    """A report with its sentences, in English."""
    findings = [
        Finding(
            severity=each.severity,
            code=each.code,
            what=what(each.code, each.values),
            where=each.where,
            fix=fix(each.code),
            values=each.values,
        )
        for each in found.findings
    ]
    return Report(**structs.asdict(found) | {"findings": findings})
