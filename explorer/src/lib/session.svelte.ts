// The server of this page, and the key for it. The key is in no storage of the browser.
import { Hmem, type Memory } from "hmem";

let key = $state.raw<string>();
const hmem = $derived(new Hmem({ url: location.origin, key, retries: 1 }));

export const session = {
  get hmem(): Hmem {
    return hmem;
  },
  memory(name: string): Memory {
    return hmem.memory(name);
  },
  use(given: string): void {
    key = given;
  },
};
