import { readString } from "./toml";

/** One key and its value in a text, by their places. */
export interface Pair {
  path: string[];
  start: number;
  end: number; // after the line
  valueStart: number;
  valueEnd: number;
}

/** A header and what follows it; the first one is what stands before all headers. */
export interface Table {
  path: string[];
  /** [[of many]] */
  isList: boolean;
  start: number;
  headerEnd: number;
  pairs: Pair[];
}

export class NotToml extends Error {
  constructor(readonly line: number) {
    super(`line ${line} is not TOML`);
  }
}

/**
 * Where tables and keys of a TOML text stand. It reads just enough to find them, so that one value can be replaced and
 * all else stays as somebody wrote it. Throws NotToml.
 */
export function outline(text: string): Table[] {
  const tables: Table[] = [{ path: [], isList: false, start: 0, headerEnd: 0, pairs: [] }];
  let at = 0;
  while (at < text.length) {
    const start = at;
    at = skipBlanks(text, at);
    const first = text[at];
    if (first === undefined) break;
    if (first === "[") {
      const isList = text[at + 1] === "[";
      const [path, after] = readKey(text, at + (isList ? 2 : 1));
      const close = isList ? "]]" : "]";
      if (!text.startsWith(close, after)) throw notToml(text, at);
      at = endOfLine(text, after + close.length);
      tables.push({ path, isList, start, headerEnd: at, pairs: [] });
    } else if (first === "\n" || first === "\r" || first === "#") {
      at = endOfLine(text, at);
    } else {
      const [path, after] = readKey(text, at);
      if (text[after] !== "=") throw notToml(text, at);
      const valueStart = skipBlanks(text, after + 1);
      const valueEnd = endOfValue(text, valueStart);
      if (valueEnd === valueStart) throw notToml(text, at);
      at = endOfLine(text, valueEnd);
      tables[tables.length - 1]?.pairs.push({ path, start, end: at, valueStart, valueEnd });
    }
  }
  return tables;
}

/** Counted from 1. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

function notToml(text: string, at: number): NotToml {
  return new NotToml(lineOf(text, at));
}

function skipBlanks(text: string, at: number): number {
  while (text[at] === " " || text[at] === "\t") ++at;
  return at;
}

/** After the end of the line, on which nothing but a comment may follow. */
function endOfLine(text: string, at: number): number {
  const from = skipBlanks(text, at);
  const found = text.indexOf("\n", from);
  const end = found < 0 ? text.length : found;
  const rest = text.slice(from, end).replace(/\r$/, "");
  if (rest !== "" && !rest.startsWith("#")) throw notToml(text, at);
  return found < 0 ? end : end + 1;
}

const KEY = /[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;

/** A key such as a."b c".d, and what comes after it. */
function readKey(text: string, at: number): [string[], number] {
  const path: string[] = [];
  for (;;) {
    at = skipBlanks(text, at);
    KEY.lastIndex = at;
    const part = KEY.exec(text)?.[0];
    const name = part && /^["']/.test(part) ? readString(part) : part;
    if (part === undefined || name === undefined) throw notToml(text, at);
    path.push(name);
    at = skipBlanks(text, at + part.length);
    if (text[at] !== ".") return [path, at];
    ++at;
  }
}

function endOfValue(text: string, start: number): number {
  const open: string[] = [];
  let at = start;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === '"' || character === "'") {
      at = endOfString(text, at);
      continue;
    }
    if (open.length === 0 && (character === "\n" || character === "#")) break;
    if (character === "#") {
      const end = text.indexOf("\n", at);
      if (end < 0) break;
      at = end;
    }
    if (character === "[" || character === "{") open.push(character === "[" ? "]" : "}");
    if ((character === "]" || character === "}") && open.pop() !== character) throw notToml(text, at);
    ++at;
  }
  if (open.length > 0) throw notToml(text, start);
  return start + text.slice(start, at).trimEnd().length;
}

function endOfString(text: string, start: number): number {
  const quote = text[start] ?? "";
  const isLong = text.startsWith(quote.repeat(3), start);
  const close = isLong ? quote.repeat(3) : quote;
  for (let at = start + close.length; at < text.length; ++at) {
    if (quote === '"' && text[at] === "\\") ++at;
    else if (!isLong && text[at] === "\n") break;
    else if (text.startsWith(close, at)) {
      let end = at + close.length;
      while (isLong && text[end] === quote && end < at + 5) ++end; // quotes may stand before the closing ones
      return end;
    }
  }
  throw notToml(text, start);
}
