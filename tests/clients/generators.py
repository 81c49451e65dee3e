"""The client generators and how they are tested: in a folder with openapi.json and the files of the folder
named here, whose program then calls a server.
"""

from dataclasses import dataclass
from pathlib import Path

OPENAPI_GENERATOR = "openapi-generator-cli"
OPENAPI_GENERATE = f"{OPENAPI_GENERATOR} generate -c settings.yaml"
NEWTONSOFT = Path("/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll")
MCS = (
    "mcs -langversion:latest -nowarn:0108,0109,0114,0168,0219,0414,0472,0618,1998 "
    "-out:call.exe -recurse:*.cs "
    "-r:Newtonsoft.Json.dll -r:System.ComponentModel.DataAnnotations -r:System.Net.Http "
    "-r:System.Runtime.Serialization -r:System.Web"
)
MYPY = "mypy --config-file= --cache-dir={cache}/mypy"


@dataclass(frozen=True)
class Generator:
    """`fetch` downloads what not every machine has. If that fails, or a program or file is missing, the test
    is skipped.
    """

    folder: str
    generate: str
    compile: tuple[str, ...]
    call: str
    needs: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    fetch: str = ""
    long: bool = True


GENERATORS = {
    "openapi-python-client": Generator(
        "openapi_python_client",
        "openapi-python-client generate --path openapi.json --output-path client --meta none "
        "--config settings.yaml --fail-on-warning",
        (f"{MYPY} client call.py",),
        "python call.py",
        long=False,
    ),
    "openapi-typescript": Generator(
        "openapi_typescript",
        "openapi-typescript openapi.json --output api.ts",
        ("tsc --project .",),
        "node call.js",
        long=False,
    ),
    "oapi-codegen": Generator(
        "oapi_codegen",
        "go tool oapi-codegen -config settings.yaml openapi.json",
        ("go build -o call .",),
        "./call",
        needs=("go",),
        fetch="go mod download",
    ),
    "ogen": Generator(
        "ogen",
        "go tool ogen --config settings.yaml --target client --package client --clean openapi.json",
        ("go build -o call .",),
        "./call",
        needs=("go",),
        fetch="go mod download",
    ),
    "openapi-generator go": Generator(
        "openapi_generator_go",
        OPENAPI_GENERATE,
        ("go build -o call .",),
        "./call",
        needs=("java", "mvn", "go"),
        fetch="go mod download",
    ),
    "openapi-generator java": Generator(
        "openapi_generator_java",
        OPENAPI_GENERATE,
        ("mvn -q -B compile",),
        "java -cp target/classes:lib/* Call",
        needs=("java", "javac", "mvn"),
        fetch="mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib",
    ),
    "openapi-generator python": Generator(
        "openapi_generator_python",
        OPENAPI_GENERATE,
        ("python -m compileall -q trilha_client", f"{MYPY} --follow-imports=silent call.py"),
        "python call.py",
        needs=("java", "mvn"),
    ),
    "openapi-generator csharp": Generator(
        "openapi_generator_csharp",
        OPENAPI_GENERATE,
        (MCS,),
        "mono call.exe",
        needs=("java", "mvn", "mcs", "mono"),
        files=(NEWTONSOFT,),
    ),
    "openapi-generator typescript-axios": Generator(
        "openapi_generator_typescript",
        OPENAPI_GENERATE,
        ("tsc --project .",),
        "node call.js",
        needs=("java", "mvn"),
    ),
}
