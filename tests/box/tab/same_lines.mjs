// Plays scenarios in Pyodide and prints every effect as a line: same_lines.mjs PYODIDE BOX.zip SCENARIOS...

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, program, ...scenarios] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${folder}/` });
python.unpackArchive(new Uint8Array(readFileSync(program)), "zip", { extractDir: "/program" });
python.unpackArchive(new Uint8Array(readFileSync(scenarios[0])), "zip", { extractDir: "/scenarios" });
try {
  python.runPython("import sys; sys.path.insert(0, '/program')");
  python.runPython(readFileSync(new URL("../../support/same_lines.py", import.meta.url), "utf8"));
  python.runPython("from pathlib import Path; print('\\n'.join(lines_of(Path('/scenarios'))))");
} catch (error) {
  console.log(error.message);
  process.exit(1);
}
process.exit(0);
