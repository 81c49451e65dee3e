"""What scripts of the content origin say, by the name they ask for it with."""

from collections.abc import Mapping

from trilha.pages import N_

OF_SCRIPTS: Mapping[str, str] = {
    "superseded": N_("This module was opened somewhere else. Go on there, or open it here again."),
    "expired": N_("Nothing was heard of this page for too long. Open the module again to go on."),
    "content_failed": N_("The content could not be loaded. Check the connection and open the module again."),
}
