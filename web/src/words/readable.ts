import type { Arm } from "../api/types";
import { armText } from "../format/arms";

/** What the server says, as people read it: settings without braces and quotes, and one kind of minus. */
export function readable(text: string): string {
  return text.replace(/\{"[^{}]*\}/g, settingText).replace(/(^|[\s([])-(?=\d)/g, "$1\u2212");
}

function settingText(json: string): string {
  try {
    return armText(JSON.parse(json) as Arm);
  } catch {
    return json; // something else that has braces
  }
}
