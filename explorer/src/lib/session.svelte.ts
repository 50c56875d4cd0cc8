// The server of this page, the key for it, and what that key may do. The key is in no storage of the browser.
import { Hmem, HmemError, KeyRefused, type Memory, type Schemas } from "hmem";

export type Scope = Schemas["Rights"]["scopes"][number];

let key = $state.raw<string>();
let refused = $state(false);
let rights = $state.raw<{ memory: string | undefined; told: Schemas["Rights"] }>();
const hmem = $derived(new Hmem({ url: location.origin, key, retries: 1 }));

export const session = {
  get hmem(): Hmem {
    return hmem;
  },
  memory(name: string): Memory {
    return hmem.memory(name);
  },
  use(given: string): void {
    refused = false;
    key = given;
  },
  /** Whether the server asks for a key, or for another one. */
  get refused(): boolean {
    return refused;
  },
  /** Whether there is one that it refuses. */
  get hasKey(): boolean {
    return key !== undefined;
  },
  /** Notes an error that a key would mend. */
  note(error: unknown): void {
    if (error instanceof KeyRefused) refused = true;
  },
  /** Tells if the key may do something with a memory; false until that is known. */
  may(memory: string, scope: Scope): boolean {
    return rights?.memory === memory && rights.told.scopes.includes(scope);
  },
  /** What the key is and may do, once that is known. */
  get rights(): Schemas["Rights"] | undefined {
    return rights?.told;
  },
  /** Asks the server what the key may do with a memory. An error is left to what the view itself asks for. */
  async learn(memory: string | undefined, signal: AbortSignal): Promise<void> {
    const told = await hmem.call("rights", memory === undefined ? {} : { memory }, { signal }).catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof HmemError)) throw error;
      session.note(error);
    });
    if (told && !signal.aborted) rights = { memory, told };
  },
};

/**
 * Takes the key of a local page: with the token of its first link, which holds once, or by its cookie.
 *
 * Returns the address to go to, if the server names one.
 */
export async function enter(): Promise<string | undefined> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  // A page of many memories has neither, and needs no session.
  if (!token && !document.querySelector('meta[name="hmem-local"]')) return undefined;
  if (token) history.replaceState(null, "", location.pathname);
  const answer = await fetch("/explore/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(token ? { token } : {}),
  });
  if (!answer.ok) throw new KeyRefused("the link is used up");
  const { key: given, memory } = (await answer.json()) as { key: string; memory: string };
  key = given;
  return token ? `#/${encodeURIComponent(memory)}/overview` : undefined;
}
