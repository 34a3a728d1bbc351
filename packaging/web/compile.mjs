// Compiles a zip of Python sources with Pyodide's own Python: compile.mjs PYODIDE FROM TO

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, from, to] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${folder}/` });
python.unpackArchive(new Uint8Array(readFileSync(from)), "zip", { extractDir: "/program" });
python.runPython(`
import compileall, os, py_compile, zipfile
# Without the time of a source, so that the same sources give the same bytes.
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
for folder in sorted(os.scandir("/program"), key=lambda entry: entry.name):
    # Nothing here asks for a docstring, and assertions only tell the type checker something.
    if folder.is_dir() and not compileall.compile_dir(
        folder.path, quiet=1, legacy=True, optimize=2, stripdir="/program", invalidation_mode=mode
    ):
        raise SystemExit("a module can't be compiled")
with zipfile.ZipFile("/compiled.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
    for folder, _, names in sorted(os.walk("/program")):
        for name in sorted(names):
            if not name.endswith(".py"):
                path = os.path.join(folder, name)
                entry = zipfile.ZipInfo(os.path.relpath(path, "/program"))
                entry.compress_type = zipfile.ZIP_DEFLATED
                with open(path, "rb") as file:
                    made.writestr(entry, file.read())
`);
writeFileSync(to, python.FS.readFile("/compiled.zip"));
process.exit(0);
