"""Tables, where nobody watches the terminal's width."""

from click.testing import CliRunner

from trilha.app import all_routes
from trilha.cli import main


def test_a_table_in_a_pipe_cuts_nothing() -> None:
    output = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["routes"]).output
    assert all(f"/v1{route.path} " in output for route in all_routes())
