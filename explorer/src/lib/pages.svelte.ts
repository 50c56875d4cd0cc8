import { Task } from "./task.svelte.js";

interface Page<Item> {
  items: Item[];
  next: string | null;
}

/** A list that is read page by page, as somebody looks at it. */
export class Pages<Item> extends Task<Page<Item>> {
  /** False when what is known begins at the beginning. */
  hasEarlier = $state(true);
  readonly #read: (next: string | undefined, signal: AbortSignal) => Promise<Page<Item>>;

  constructor(read: (next: string | undefined, signal: AbortSignal) => Promise<Page<Item>>) {
    super();
    this.#read = read;
  }

  get items(): Item[] {
    return this.value?.items ?? [];
  }

  /** Reads the next page, or the first. */
  more(): Promise<void> {
    const known = this.value;
    if (known?.next === null) return Promise.resolve();
    return this.run(async (signal) => {
      const { items, next } = await this.#read(known?.next ?? undefined, signal);
      return { items: [...(known?.items ?? []), ...items], next };
    });
  }

  /** Puts a page before what is known. */
  earlier(read: (first: Item, signal: AbortSignal) => Promise<Page<Item>>): Promise<void> {
    const known = this.value;
    const first = known?.items[0];
    if (!known || !first) return Promise.resolve();
    return this.run(async (signal) => {
      const { items, next } = await read(first, signal);
      this.hasEarlier = next !== null;
      return { items: [...items, ...known.items], next: known.next };
    });
  }

  /** Reads the list anew from its first page. */
  anew(): Promise<void> {
    this.hasEarlier = true;
    this.value = undefined;
    return this.more();
  }

  /** Reads as much as is known anew, and a page of what is new; what is shown stays until then. */
  refresh(): Promise<void> {
    const known = this.items.length;
    return this.run(async (signal) => {
      const items: Item[] = [];
      for (let after: string | undefined; ; ) {
        const { items: more, next } = await this.#read(after, signal);
        items.push(...more);
        if (next === null || items.length > known) return { items, next };
        after = next;
      }
    });
  }
}
