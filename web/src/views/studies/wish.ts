/** Search, filter and order of the list of studies, as kept in the address. */
export interface Wish {
  search: string;
  state: State | null;
  sort: Column;
  /** Descending order. */
  down: boolean;
  /** The number of rows. */
  most: number;
}

export const COLUMNS = ["name", "state", "pulls", "best", "uplift", "last"] as const;
export type Column = (typeof COLUMNS)[number];

export const STATES = ["running", "silent", "waiting", "finished", "failed"] as const;
export type State = (typeof STATES)[number];

export const ROWS = 50;
export const FIRST_WISH: Wish = { search: "", state: null, sort: "last", down: true, most: ROWS };

function among<T extends string>(words: readonly T[], word: string | null): T | null {
  return words.find((each) => each === word) ?? null;
}

/** Reads `q=cache&state=running&sort=-pulls&rows=100`; invalid values are ignored. */
export function wishOf(query: string): Wish {
  const parameters = new URLSearchParams(query);
  const sort = parameters.get("sort") ?? "";
  const column = among(COLUMNS, sort.replace(/^-/, ""));
  const rows = Number(parameters.get("rows"));
  return {
    search: parameters.get("q") ?? "",
    state: among(STATES, parameters.get("state")),
    sort: column ?? FIRST_WISH.sort,
    down: column ? sort.startsWith("-") : FIRST_WISH.down,
    most: Number.isInteger(rows) && rows > ROWS ? rows : ROWS,
  };
}

export function queryOf(wish: Wish): string {
  const parameters = new URLSearchParams();
  if (wish.search) parameters.set("q", wish.search);
  if (wish.state) parameters.set("state", wish.state);
  if (wish.sort !== FIRST_WISH.sort || wish.down !== FIRST_WISH.down)
    parameters.set("sort", (wish.down ? "-" : "") + wish.sort);
  if (wish.most !== ROWS) parameters.set("rows", String(wish.most));
  return parameters.toString();
}

/** The default is ascending for names, and descending for numbers. */
export function sortedBy(wish: Wish, column: Column): Wish {
  const down = wish.sort === column ? !wish.down : column !== "name" && column !== "state";
  return { ...wish, sort: column, down };
}
