import { Task } from "./task.svelte.js";

interface Page<Item> {
  items: Item[];
  next: string | null;
}

/** A list that is read page by page, as somebody looks at it. */
export class Pages<Item> extends Task<Page<Item>> {
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

  /** Reads the list anew from its first page. */
  anew(): Promise<void> {
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
