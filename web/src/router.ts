import { useEffect, useState } from "preact/hooks";

/** Parses the part of the address after #, which works for a served page and for a file. */
export type Place =
  | { view: "studies"; query?: string }
  | { view: "study"; name: string }
  | { view: "compare"; names: string[] }
  | { view: "new"; forkOf?: string };

export function placeOf(hash: string): Place {
  const [path = "", ...rest] = hash.replace(/^#/, "").split("?");
  const query = rest.join("?");
  const words = path.split("/").filter(Boolean).map(decoded);
  const parameters = new URLSearchParams(query);
  if (words[0] === "studies" && words[1] !== undefined) return { view: "study", name: words[1] };
  if (words[0] === "compare") return { view: "compare", names: parameters.getAll("study") };
  if (words[0] === "new") return { view: "new", forkOf: parameters.get("fork") || undefined };
  return query ? { view: "studies", query } : { view: "studies" };
}

export function addressOf(place: Place): string {
  switch (place.view) {
    case "studies":
      return place.query ? `#/?${place.query}` : "#/";
    case "study":
      return `#/studies/${encodeURIComponent(place.name)}`;
    case "compare":
      return `#/compare${place.names.map((name, i) => `${i ? "&" : "?"}study=${encodeURIComponent(name)}`).join("")}`;
    case "new":
      return place.forkOf ? `#/new?fork=${encodeURIComponent(place.forkOf)}` : "#/new";
  }
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word; // not a valid encoding
  }
}

export function goTo(place: Place) {
  location.hash = addressOf(place);
}

/** Changes the address without adding a history entry. */
export function goToInstead(place: Place) {
  try {
    history.replaceState(null, "", addressOf(place));
  } catch {
    return; // some browsers limit the rate
  }
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const changed = () => setPlace(placeOf(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return place;
}
