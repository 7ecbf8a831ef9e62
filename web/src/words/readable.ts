import type { Arm } from "../api/types";
import { armText } from "../format/arms";

/** Makes texts of the server readable: settings without braces and quotes, and a single kind of minus sign. */
export function readable(text: string): string {
  return text.replace(/\{"[^{}]*\}/g, settingText).replace(/(^|[\s([])-(?=\d)/g, "$1\u2212");
}

function settingText(json: string): string {
  try {
    return armText(JSON.parse(json) as Arm);
  } catch {
    return json; // not a setting
  }
}
