// Values and tables as TOML, written as canopy itself writes them.

/** A string on one line. */
export function tomlString(text: string): string {
  let escaped = "";
  for (const character of text) escaped += ESCAPES[character] ?? controlEscape(character);
  return `"${escaped}"`;
}

const ESCAPES: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
};

function controlEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd"; // half of a character
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029;
  return isControl ? `\\u${code.toString(16).toUpperCase().padStart(4, "0")}` : character;
}

/** A number that TOML reads as real: 1.0, 0.001, 1e-9. */
export function tomlReal(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

export function tomlWhole(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : tomlReal(value);
}

export function tomlStrings(values: string[]): string {
  const line = `[${values.map(tomlString).join(", ")}]`;
  return line.length <= 90 ? line : `[\n${values.map((value) => `  ${tomlString(value)},\n`).join("")}]`;
}

/** A value of a file, as far as the form understands it; undefined otherwise. */
export function readValue(text: string): string | number | boolean | string[] | undefined {
  const first = text[0];
  if (first === '"' || first === "'") return readString(text);
  if (first === "[") return readStrings(text);
  if (text === "true" || text === "false") return text === "true";
  if (/^[+-]?\d(_?\d)*(\.\d(_?\d)*)?([eE][+-]?\d+)?$/.test(text)) return Number(text.replace(/_/g, ""));
  return undefined;
}

const UNESCAPES: Record<string, string> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  '"': '"',
  "\\": "\\",
};

export function readString(text: string): string | undefined {
  const quote = text[0] ?? "";
  if (text.length < 2 || text[text.length - 1] !== quote || text.startsWith(quote + quote + quote))
    return undefined;
  const inside = text.slice(1, -1);
  if (quote === "'") return inside;
  let isWrong = false;
  const read = inside.replace(/\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)/gs, (_, escape: string) => {
    const code = escape.length > 1 ? parseInt(escape.slice(1), 16) : null;
    if (code !== null && code <= 0x10ffff) return String.fromCodePoint(code);
    const plain = UNESCAPES[escape];
    if (plain === undefined) isWrong = true;
    return plain ?? "";
  });
  return isWrong ? undefined : read;
}

function readStrings(text: string): string[] | undefined {
  const values: string[] = [];
  let rest = text.slice(1, -1);
  for (;;) {
    rest = rest.replace(/^(\s|#[^\n]*(\n|$))+/, "");
    if (rest === "") return values;
    const found = /^("(?:[^"\\\n]|\\.)*"|'[^'\n]*')/.exec(rest);
    const value = found ? readString(found[0]) : undefined;
    if (!found || value === undefined) return undefined;
    values.push(value);
    rest = rest.slice(found[0].length).replace(/^(\s|#[^\n]*(\n|$))+/, "");
    if (rest.startsWith(",")) rest = rest.slice(1);
    else if (rest !== "") return undefined;
  }
}
