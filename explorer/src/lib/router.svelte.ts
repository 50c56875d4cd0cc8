// Addresses of views: `#/MEMORY/VIEW?name=value`. Each view and item has one, so back, forward and links work.

export interface Place {
  memory: string | undefined;
  view: string;
  query: URLSearchParams;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Somebody typed the address by hand.
    return part;
  }
}

function placeOf(hash: string): Place {
  const [path = ""] = hash.replace(/^#\/?/, "").split("?", 1);
  const query = hash.slice(hash.indexOf("?") + 1 || hash.length);
  const [memory, view = "overview"] = path.split("/").map(decoded);
  return { memory: memory || undefined, view, query: new URLSearchParams(query) };
}

let place = $state.raw(placeOf(location.hash));
addEventListener("hashchange", () => (place = placeOf(location.hash)));

/** The place that the address names. */
export const router = {
  get place(): Place {
    return place;
  },
};

/** Returns the address of a place; values that are empty are left out. */
export function addressOf(memory: string, view: string, query: Record<string, string | number | undefined> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const told = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${encodeURIComponent(memory)}/${view}${told && `?${told}`}`;
}
