import type { Arm, Value } from "../api/types";
import { plain } from "./numbers";

export function valueText(value: Value | undefined): string {
  return typeof value === "number" ? plain(value, 5) : String(value ?? "–");
}

/** "ttl 42, policy lru" */
export function armText(arm: Arm): string {
  return Object.entries(arm)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(", ");
}
