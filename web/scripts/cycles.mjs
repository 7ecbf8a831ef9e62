// Fails if modules of the page have circular imports, of types or values.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

const files = readdirSync("src", { recursive: true })
  .map((name) => join("src", name))
  .filter((name) => /\.tsx?$/.test(name));
const importsOf = (file) =>
  ts
    .preProcessFile(readFileSync(file, "utf8"))
    .importedFiles.flatMap(({ fileName }) =>
      [".ts", ".tsx"].map((end) => join(dirname(file), fileName + end)),
    )
    .filter((name) => files.includes(name));

const done = new Set();
function visit(file, path) {
  if (path.includes(file)) {
    console.error(`circular import: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`);
    process.exitCode = 1;
  } else if (!done.has(file)) {
    for (const next of importsOf(file)) visit(next, [...path, file]);
    done.add(file);
  }
}
for (const file of files) visit(file, []);
