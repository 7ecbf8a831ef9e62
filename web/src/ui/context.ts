import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Source } from "../api/source";
import type { Me, Role } from "../api/types";

export interface Page {
  source: Source;
  me: Me;
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  return useContext(PageContext)!;
}

/** Whether the user's token includes this role. */
export function useMay(role: Role): boolean {
  const { source, me } = usePage();
  return !source.frozen && me.roles.includes(role);
}
