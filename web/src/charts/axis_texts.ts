import { decimalsFor, fixed, plain } from "../format/numbers";

const pad = (value: number) => String(value).padStart(2, "0");

/** 6 as ⁶ */
export function raised(exponent: number): string {
  return [...String(exponent)].map((digit) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(digit)]).join("");
}

export interface AxisTexts {
  texts: string[];
  /** The common factor of all numbers, shown once on the axis: "×10⁹", or nothing. */
  power: string;
}

/** The least number of decimals that distinguishes adjacent ticks. */
function decimalsOf(step: number): number {
  for (let decimals = 0; decimals < 12; ++decimals) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * Math.max(1, scaled) && Math.round(scaled) > 0)
      return decimals;
  }
  return 12;
}

/** Formats the numbers of an axis consistently. */
export function axisTexts(ticks: number[]): AxisTexts {
  const largest = Math.max(0, ...ticks.map(Math.abs));
  const steps = ticks.slice(1).map((tick, i) => Math.abs(tick - (ticks[i] ?? 0)));
  const step = Math.min(...steps.filter((size) => size > 0));
  if (!Number.isFinite(step)) return { texts: ticks.map((tick) => plain(tick)), power: "" };
  const isUsual = largest === 0 || (largest < 1e6 && largest >= 1e-3);
  const exponent = isUsual ? 0 : 3 * Math.floor((Math.log10(largest) + 1e-9) / 3);
  const unit = 10 ** exponent;
  const decimals = decimalsOf(Number((step / unit).toPrecision(6)));
  return {
    texts: ticks.map((tick) => fixed(Number((tick / unit).toPrecision(12)), decimals)),
    power: exponent === 0 ? "" : `×10${raised(exponent)}`,
  };
}

/** Formats numbers with just enough digits to tell them apart. */
export function alike(values: number[]): (value: number) => string {
  const largest = Math.max(...values.map(Math.abs));
  const spread = Math.max(...values) - Math.min(...values);
  const isUsual = largest < 1e7 && (largest >= 1e-6 || largest === 0);
  const exponent = isUsual ? 0 : Math.floor(Math.log10(largest));
  const unit = 10 ** exponent;
  const decimals = decimalsFor((spread || largest) / unit, 2);
  const power = isUsual ? "" : `×10${raised(exponent)}`;
  return (value) => fixed(value / unit, decimals) + power;
}

/** A number on a logarithmic axis: 0.01, 100, 10⁶. */
export function logText(value: number): string {
  const exponent = Math.round(Math.log10(value));
  if (exponent >= -3 && exponent <= 4) return plain(value, 3);
  const mantissa = Number((value / 10 ** exponent).toPrecision(3));
  return mantissa === 1 ? `10${raised(exponent)}` : plain(value, 3);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/**
 * Times along an axis, in local time: hours and minutes, and below them the day if it differs from that of the
 * previous tick.
 */
export function timeTexts(ticks: number[], step: number): string[] {
  let lastDay = "";
  let lastYear = 0;
  return ticks.map((tick) => {
    const date = new Date(tick * 1000);
    const year = date.getFullYear();
    const day = `${date.getDate()} ${MONTHS[date.getMonth()]}`;
    const isNewDay = day !== lastDay;
    const isNewYear = year !== lastYear;
    lastDay = day;
    lastYear = year;
    if (step >= 86_400) return isNewYear ? `${day}\n${year}` : day;
    const time = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
    const seconds = step < 60 ? `:${pad(date.getSeconds())}` : "";
    return time + seconds + (isNewDay ? `\n${day}` : "");
  });
}
