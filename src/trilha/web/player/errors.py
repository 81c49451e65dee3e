"""The error codes of the content origin."""

from trilha.core.errors import codes, register

register(
    "player",
    codes("not_found", 404, file_not_found="The package has no such file."),
    codes("authorization_error", 403, service_worker_refused="Content may not register service workers."),
    codes(
        "conflict",
        409,
        launch_over="This launch has ended. Open the module again.",
        session_over="The session that opened the module has ended. Sign in again.",
    ),
)
