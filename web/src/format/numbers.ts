// Formats numbers with their significant digits only.

const MINUS = "\u2212";
const NARROW = "\u202f";

/** A whole number in groups of three: 12 345. */
export function whole(value: number): string {
  const text = Math.abs(Math.round(value)).toString();
  const grouped = text.length > 4 ? text.replace(/\B(?=(\d{3})+$)/g, NARROW) : text;
  return (value < 0 ? MINUS : "") + grouped;
}

/** The number of decimals that gives `value` the number of significant digits. */
export function decimalsFor(value: number, digits: number): number {
  if (value === 0 || !Number.isFinite(value)) return 0;
  return Math.max(0, Math.min(12, digits - 1 - Math.floor(Math.log10(Math.abs(value)))));
}

/** A number with a fixed number of decimals; very large and very small ones as powers of ten. */
export function fixed(value: number, decimals: number): string {
  const size = Math.abs(value);
  if (size >= 1e7 || (size > 0 && size < 1e-6)) return power(value, 3);
  if (decimals === 0) return whole(value);
  const [before = "0", after = ""] = size.toFixed(decimals).split(".");
  const text = before.length > 4 ? whole(Number(before)) : before;
  const isZero = Number(before) === 0 && Number(after) === 0;
  return (value < 0 && !isZero ? MINUS : "") + text + (after && `.${after}`);
}

function power(value: number, digits: number): string {
  const [mantissa = "0", exponent = "0"] = Math.abs(value)
    .toExponential(digits - 1)
    .split("e");
  const raised = [...String(Number(exponent))]
    .map((digit) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(digit)])
    .join("");
  return `${value < 0 ? MINUS : ""}${mantissa}×10${raised}`;
}

/** A single number: four significant digits, no trailing zeros. */
export function plain(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  const text = fixed(value, decimalsFor(value, digits));
  return text.includes(".") && !text.includes("×") ? text.replace(/\.?0+$/, "") : text;
}

/** A mean and its interval, with decimals that suit the width of the interval. */
export function measured(
  mean: number,
  low: number | null,
  high: number | null,
): { mean: string; range: string } {
  if (low === null || high === null || !Number.isFinite(high - low)) return { mean: plain(mean), range: "" };
  const decimals = decimalsFor((high - low) / 2 || mean, 2);
  return { mean: fixed(mean, decimals), range: `${fixed(low, decimals)} to ${fixed(high, decimals)}` };
}

/** A number with a sign, for differences. */
export function signed(value: number, decimals: number): string {
  return (value > 0 ? "+" : "") + fixed(value, decimals);
}

/** A share as per cent. */
export function percent(share: number): string {
  const value = 100 * share;
  return `${fixed(value, Math.abs(value) < 10 && value !== 0 ? 1 : 0)}${NARROW}%`;
}

/** A short form for axes and tables: 1.2k, 3.4M. */
export function short(value: number): string {
  const size = Math.abs(value);
  for (const [unit, letter] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    if (size >= unit * (unit === 1e3 ? 10 : 1)) return `${plain(value / unit, 3)}${letter}`;
  }
  return plain(value, 4);
}
