"""The sentences of the import report, by the code of a finding: the problem, and how to fix it.

Pages translate both and fill in the finding's values.
"""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import structs

from trilha.kit import N_
from trilha.training.scorm.package import doctor, report
from trilha.training.scorm.schema import Finding, Report


class Words(NamedTuple):
    what: str
    fix: str


_EXPORT_AGAIN = N_("Export it again from the tool it was made with.")
_PACK_AGAIN = N_("Unzip the package, remove the file named here, and zip the folder again.")
_SPLIT = N_("Remove unused files, or divide the course into several packages.")
_NOTHING = N_("No action is needed.")
_TRY_AGAIN = N_("Upload it again. If it fails again, contact your server administrator.")

WORDS = {
    # The file as a whole.
    "not_a_zip": Words(N_("The file is not a ZIP file."), N_("Upload the ZIP file that the tool exports.")),
    "damaged": Words(N_("The ZIP file is damaged or incomplete."), _EXPORT_AGAIN),
    "encrypted": Words(
        N_("The ZIP file is protected by a password."), N_("Zip the folder again, without a password.")
    ),
    "compression_unknown": Words(
        N_("The ZIP file uses an unsupported compression method."),
        N_("Zip the folder again with standard compression (Deflate)."),
    ),
    "too_many_entries": Words(N_("The package has %(count)s files. The maximum is %(most)s."), _SPLIT),
    "too_large_unpacked": Words(N_("Unpacked, the package has more than %(megabytes)s MB."), _SPLIT),
    "file_too_large": Words(
        N_("A file has more than %(megabytes)s MB."),
        N_("Make the file smaller, for example by compressing its video."),
    ),
    "bomb": Words(
        N_("A file expands to more than %(ratio)s times its size, as in malicious files."),
        _EXPORT_AGAIN,
    ),
    "overlap": Words(N_("Files overlap inside the ZIP file, as in malicious files."), _EXPORT_AGAIN),
    "too_costly": Words(N_("Reading the package takes more memory or time than is allowed."), _SPLIT),
    # Names.
    "symbolic_link": Words(N_("An entry is a link to another place, not a file."), _PACK_AGAIN),
    "not_a_file": Words(N_("An entry is neither a file nor a folder."), _PACK_AGAIN),
    "name_leaves_package": Words(N_("A file name points outside the package."), _PACK_AGAIN),
    "absolute_name": Words(N_("A file has an absolute path."), _PACK_AGAIN),
    "reserved_name": Words(N_("A file has a name that operating systems reserve."), _PACK_AGAIN),
    "control_character_in_name": Words(N_("A file name has invalid characters."), _PACK_AGAIN),
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
        N_("There is neither imsmanifest.xml nor cmi5.xml, so this is no SCORM or cmi5 package."),
        N_("Choose cmi5, SCORM 2004 or SCORM 1.2 when you export the course."),
    ),
    "another_standard": Words(
        N_("This package uses another standard (xAPI without cmi5, or H5P), or its cmi5.xml is in a folder."),
        N_("Choose cmi5, SCORM 2004 or SCORM 1.2 when you export the course."),
    ),
    "zip_in_zip": Words(
        N_("There is no imsmanifest.xml, but the file contains another ZIP file."),
        N_("Upload the ZIP file inside it."),
    ),
    "several_manifests": Words(
        N_("There are several packages in this file."), N_("Upload each package as a separate file.")
    ),
    "too_many_items": Words(
        N_("The package has %(count)s parts. The maximum is %(most)s."),
        N_("Divide the content into several packages."),
    ),
    "manifest_too_large": Words(
        N_("The manifest is larger than %(megabytes)s MB, or has too many parts."), _EXPORT_AGAIN
    ),
    "manifest_has_dtd": Words(
        N_("The manifest has a document type declaration, which is not allowed for security reasons."),
        N_("Remove the line that begins with <!DOCTYPE from imsmanifest.xml."),
    ),
    "manifest_broken": Words(N_("The manifest cannot be read (%(reason)s)."), _EXPORT_AGAIN),
    "nothing_to_launch": Words(N_("The manifest has no page that can be opened."), _EXPORT_AGAIN),
    "launch_outside": Words(
        N_("A part begins at an address outside the package."),
        N_("Parts must be pages of the package. To link to a page on another server, use an article."),
    ),
    "launch_missing": Words(N_("The page that “%(item)s” begins with is not in the package."), _EXPORT_AGAIN),
    "no_organization": Words(
        N_("The manifest has no table of contents. The first page that reports progress is used."), _NOTHING
    ),
    "default_organization_missing": Words(
        N_("The manifest's default table of contents does not exist. The first one is used."),
        N_("Check that the parts below are the ones you expect."),
    ),
    "resource_missing": Words(
        N_("Some parts refer to a page that is not in the manifest. They are ignored."),
        N_("Check that the parts below are the ones you expect."),
    ),
    "identifier_not_unique": Words(N_("Some parts have the same identifier, or none."), _NOTHING),
    # A course structure of cmi5.
    "structure_invalid": Words(N_("The course structure does not follow cmi5 (%(reason)s)."), _EXPORT_AGAIN),
    "structure_id_invalid": Words(
        N_("An identifier in the course structure is not a complete IRI: %(id)s."), _EXPORT_AGAIN
    ),
    "structure_id_twice": Words(
        N_("Two elements of the course structure have the same identifier: %(id)s."), _EXPORT_AGAIN
    ),
    "structure_url_invalid": Words(N_("The address of a part is malformed."), _EXPORT_AGAIN),
    "structure_url_relative": Words(
        N_("A part has a relative address, but the course structure came without its files."),
        N_("Upload the ZIP file with cmi5.xml and its files."),
    ),
    "structure_url_parameters": Words(
        N_("The address of a part has a parameter that cmi5 reserves for the launch."), _EXPORT_AGAIN
    ),
    "units_elsewhere": Words(
        N_("Parts are on other servers: %(count)s. The first is shown here."),
        N_("Learners need access to these servers, and the servers can see their visits."),
    ),
    "units_unencrypted": Words(
        N_("Parts are at addresses without encryption (http)."),
        N_("Browsers block them in a page. Ask for addresses that begin with https."),
    ),
    "units_without_criterion": Words(
        N_("Some parts count as completed without being opened, because their moveOn is NotApplicable."),
        N_("If learners must complete them, choose another moveOn in the tool and export again."),
    ),
    # Its content.
    "no_sco": Words(
        N_("No part of the package reports progress."),
        N_("The module counts as completed when a learner opens it. To require more, add a quiz."),
    ),
    "api_not_used": Words(
        N_("No page seems to report progress, although the manifest says so."),
        N_("Open the preview, go through to the end, and check that it is marked as completed."),
    ),
    "several_parts": Words(N_("The package has %(count)s parts. Each becomes a module."), _NOTHING),
    "prerequisites": Words(
        N_("Some parts require others first. Here, the order of the modules decides."),
        N_("Turn on the fixed order of the course, if it matters."),
    ),
    "sequencing": Words(
        N_("The package has rules for the order of its parts. The player follows them."), _NOTHING
    ),
    "nested_folder": Words(N_("The package is in a folder of the ZIP file."), _NOTHING),
    "files_outside": Words(
        N_("Files outside the folder of the manifest are left out: %(count)s."),
        N_("Check whether the content needs them."),
    ),
    "launch_misnamed": Words(
        N_("A page name in the manifest differs from the file: %(wanted)s. It is matched anyway."),
        _NOTHING,
    ),
    "files_misnamed": Words(
        N_("Some file names in the manifest differ from the files: %(count)s. They are matched anyway."),
        _NOTHING,
    ),
    "files_missing": Words(
        N_("Files that the manifest names are not in the package: %(count)s. The first is shown here."),
        N_("Check that all pages are complete. Many tools list files that they do not need."),
    ),
    "flash": Words(
        N_("The package has Flash files, which browsers no longer play."),
        N_("Export it again as HTML5, if the tool can."),
    ),
    # Its behavior.
    "external_hosts": Words(
        N_("Pages load something from other servers (%(count)s), for example %(host)s."),
        N_("Learners need access to these servers, and the servers can see their visits."),
    ),
    "reaches_for_parent": Words(
        N_("The content tries to access the page that contains it. A separate address prevents this."),
        N_("Open the preview and check that the content works."),
    ),
    "service_worker": Words(
        N_("A page that is opened first installs a service worker, which could take over other pages."),
        N_("Export it again without offline support."),
    ),
    "service_worker_inside": Words(
        N_("A script can install a service worker, which is blocked here. The course will not work offline."),
        _NOTHING,
    ),
    # Failures on this server.
    "process_died": Words(N_("The package could not be unpacked (%(reason)s)."), _TRY_AGAIN),
    "archive_gone": Words(N_("The file no longer exists."), _TRY_AGAIN),
    "storage_failed": Words(N_("The files could not be stored."), _TRY_AGAIN),
    "tried_too_often": Words(N_("The import was interrupted several times."), _TRY_AGAIN),
}

_Translate = Callable[[str], str]


def what(code: str, values: dict[str, report.Value], translate: _Translate = str) -> str:
    return translate(WORDS[code].what) % values


def fix(code: str, translate: _Translate = str) -> str:
    return translate(WORDS[code].fix)


def build_report(report: doctor.Report) -> Report:
    """Builds a report with its sentences, in English."""
    findings = [
        Finding(
            severity=each.severity,
            code=each.code,
            what=what(each.code, each.values),
            where=each.where,
            fix=fix(each.code),
            values=each.values,
        )
        for each in report.findings
    ]
    return Report(**structs.asdict(report) | {"findings": findings})
