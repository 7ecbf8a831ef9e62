const LONGEST = 200; // bytes

/** Why a text cannot name a study; null: it can. */
export function nameMistake(name: string): string | null {
  if (name.includes("/")) return "A name has no slash.";
  if (/[\u0000-\u001f\u007f]/.test(name)) return "A name is printable text.";
  const length = new TextEncoder().encode(name).length;
  return length > LONGEST ? `A name has at most ${LONGEST} bytes; this one has ${length}.` : null;
}
