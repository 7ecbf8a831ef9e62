// Prepares the page for embedding in C++: the self-contained page of a report, a compressed copy of each file, and a
// source file that includes them all. Runs after vite build.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const dist = process.env.CANOPY_PAGE_OUT ?? "dist";
const page = join(dist, "page");
const read = (name) => readFileSync(join(page, name), "utf8");

// A report is one file. Text that could end a script or a style early is escaped.
const font = (style) =>
  style.replace(/url\(\.?\/?([\w.-]+\.woff2)\)/g, (_, name) => {
    const bytes = readFileSync(join(page, name)).toString("base64");
    return `url(data:font/woff2;base64,${bytes})`;
  });
const script = read("page.js")
  .replace(/<\/script/gi, "<\\/script")
  .replace(/<!--/g, "<\\!--");
const style = font(read(readdirSync(page).find((name) => name.endsWith(".css"))));
const policy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; font-src data:; img-src data:";
writeFileSync(
  join(dist, "report.html"),
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>@TITLE@</title>
<style>${style}</style>
</head>
<body data-study="@STUDY@">
<div id="page"></div>
<script id="answers" type="application/json">@ANSWERS@</script>
<script type="module">${script}</script>
</body>
</html>
`,
);

// Large string literals compile slowly; the assembler includes files directly.
const files = ["index.html", "report.html", ...readdirSync(page).map((name) => `page/${name}`)]
  .filter((name) => !name.endsWith(".gz"))
  .sort()
  .map((name, i) => {
    const plain = readFileSync(join(dist, name));
    const packed = name !== "report.html" && !name.endsWith(".woff2") && gzipSync(plain, { level: 9 });
    if (packed) writeFileSync(join(dist, `${name}.gz`), packed);
    const tag = createHash("sha256").update(plain).digest("hex").slice(0, 16);
    return { name, i, tag, packed, size: plain.length };
  });
const symbols = files.flatMap(({ name, i, packed }) => [
  [`canopy_page_${i}`, name],
  ...(packed ? [[`canopy_page_${i}_gz`, `${name}.gz`]] : []),
]);
const text = (symbol) => `{${symbol}, static_cast<std::size_t>(${symbol}_end - ${symbol})}`;
writeFileSync(
  join(dist, "page_files.cpp"),
  `#include "service/page_files.hpp"

${symbols
  .map(
    ([symbol, name]) => `asm(R"(
    .pushsection .rodata
    .global ${symbol}, ${symbol}_end
    ${symbol}: .incbin "${resolve(dist, name)}"
    ${symbol}_end:
    .popsection)");
extern "C" const char ${symbol}[];
extern "C" const char ${symbol}_end[];
`,
  )
  .join("\n")}
namespace canopy::service {

std::span<const PageFile> page_files() {
  static const std::array files{
${files
  .map(
    ({ name, i, tag, packed }) =>
      `      PageFile{"${name}", "${tag}", ${text(`canopy_page_${i}`)}, ${packed ? text(`canopy_page_${i}_gz`) : "{}"}},\n`,
  )
  .join("")}  };
  return files;
}

}  // namespace canopy::service
`,
);
for (const { name, size, packed } of files)
  console.log(`${name}: ${size} bytes, ${packed ? packed.length : size} sent`);
