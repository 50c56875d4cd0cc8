import createClient, { type Client } from "openapi-fetch";

import { answerEvents, eventsOf } from "./events.js";
import type { paths } from "./generated/api.js";
import { InputError, MemoryExists, ServerFault } from "./generated/errors.js";
import { METHODS, type MemoryMethods, OPERATIONS } from "./generated/operations.js";
import { EVENTS, reliable } from "./transport.js";
import type { Arguments, AskEvent, CallOptions, Item, ListName, OperationName, Result, Schemas } from "./types.js";

/** A server, and how it is asked. */
export interface HmemOptions {
  /** Address of the server; `http://127.0.0.1:8765` by default. */
  url?: string | undefined;
  /** Key of the server; one on this machine without keys needs none. */
  key?: string | undefined;
  /** How often a request is tried again when the server is away or busy; 2 by default. A write is still done once. */
  retries?: number | undefined;
  /** Milliseconds until an answer must be there; 60,000 by default. */
  timeout?: number | undefined;
  /** The fetch to use instead of the global one. */
  fetch?: typeof globalThis.fetch | undefined;
}

interface Page<Each> {
  items: Each[];
  next: string | null;
}

/** A server of memories. */
export class Hmem {
  readonly url: string;
  readonly #key: string | undefined;
  readonly #fetch: typeof globalThis.fetch;
  readonly #retries: number;
  readonly #timeout: number;

  constructor({ url = "http://127.0.0.1:8765", key, retries = 2, timeout = 60_000, fetch }: HmemOptions = {}) {
    if (!/^https?:\/\/[^/]/.test(url)) {
      throw new InputError(`${JSON.stringify(url)} is no address of a server - write it as 'http://127.0.0.1:8765'`);
    }
    this.url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#retries = retries;
    this.#timeout = timeout;
    // Called without a receiver: browsers refuse another one than the window.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** Returns a client of every path of the server, typed by its OpenAPI document. It throws as the methods do. */
  http({ retries, timeout }: CallOptions = {}): Client<paths> {
    const reliability = { retries: retries ?? this.#retries, timeout: timeout ?? this.#timeout };
    const headers = this.#key === undefined ? {} : { Authorization: `Bearer ${this.#key}` };
    return createClient<paths>({ baseUrl: this.url, headers, fetch: reliable(this.#fetch, reliability) });
  }

  /** Returns a memory by its name, without a request. */
  memory(name: string): Memory {
    return new Memory(this, name);
  }

  /** Returns a memory by its name, after making it if there is none; that needs a key with the scope `admin`. */
  async open(name: string, settings: Omit<Arguments<"create_memory">, "name"> = {}, options?: CallOptions) {
    await this.createMemory({ ...settings, name }, options).catch((error: unknown) => {
      if (!(error instanceof MemoryExists)) throw error;
    });
    return this.memory(name);
  }

  /** Makes a memory. */
  createMemory(args: Arguments<"create_memory">, options?: CallOptions): Promise<Result<"create_memory">> {
    return this.call("create_memory", args, options);
  }

  /** The names of the memories that the key is for, in order, by pages. */
  listMemories(args: Arguments<"list_memories"> = {}, options?: CallOptions): Promise<Result<"list_memories">> {
    return this.call("list_memories", args, options);
  }

  /** Yields the names of the memories that the key is for, in order. */
  memories(options?: CallOptions): AsyncGenerator<string, void, undefined> {
    return everyItem("list_memories", (args) => this.listMemories(args, options), {});
  }

  /** Does an operation of the server, by its name in the OpenAPI document. */
  async call<Name extends OperationName>(
    name: Name, args: object, options: CallOptions & { memory?: string; headers?: HeadersInit } = {},
  ): Promise<Result<Name>> {
    const data = await this.#request(name, args, options, "text");
    try {
      return JSON.parse(data as string) as Result<Name>;
    } catch (cause) {
      throw new ServerFault("the server's answer is no JSON - see what stands before it", { cause });
    }
  }

  /** Yields the events of an answer as they come. */
  async *stream(memory: string, args: Arguments<"ask">, options: CallOptions = {}): AsyncGenerator<AskEvent, void, undefined> {
    const body = await this.#request("ask_stream", args, { ...options, memory, headers: { Accept: EVENTS } }, "stream");
    yield* answerEvents(this.url, body as ReadableStream<Uint8Array>, options.signal);
  }

  /** Returns all that a memory holds, as lines of JSON. */
  async export(memory: string, options: CallOptions = {}): Promise<Blob> {
    return (await this.#request("export", {}, { ...options, memory }, "blob")) as Blob;
  }

  /** Yields how far a memory is: at once, and whenever any process changed it. */
  async *live(memory: string, options: CallOptions = {}): AsyncGenerator<Schemas["MemoryProgress"], void, undefined> {
    const body = await this.#request("live", {}, { ...options, memory, headers: { Accept: EVENTS } }, "stream");
    for await (const { data } of eventsOf(this.url, body as ReadableStream<Uint8Array>, options.signal)) yield data;
  }

  async #request(
    name: OperationName,
    args: object,
    { memory, headers, idempotencyKey, signal, ...reliability }: CallOptions & { memory?: string; headers?: HeadersInit },
    parseAs: "text" | "stream" | "blob",
  ): Promise<unknown> {
    const { method, path, query } = OPERATIONS[name];
    const given = Object.entries(args).filter(([, value]) => value !== undefined);
    const told = given.filter(([field]) => query.includes(field));
    const rest = given.filter(([field]) => !query.includes(field));
    const sent = new Headers(headers);
    if (idempotencyKey !== undefined) sent.set("Idempotency-Key", idempotencyKey);
    // The table of operations is wider than the types of one path.
    const request = this.http(reliability).request as (method: string, path: string, init: object) => Promise<{ data?: unknown }>;
    const { data } = await request(method, path, {
      params: { path: { memory }, query: Object.fromEntries(told) },
      headers: sent,
      parseAs,
      ...(method !== "get" && method !== "delete" && { body: Object.fromEntries(rest) }),
      ...(signal && { signal }),
    });
    return data;
  }
}

/** A memory at a server. Its methods are the operations of the server, with the same names and fields. */
export class Memory {
  constructor(
    readonly server: Hmem,
    readonly name: string,
  ) {}

  /**
   * Yields an answer as it is said: pieces of its text, the plan, each piece of evidence, and last the whole answer.
   * Whoever leaves the loop ends the work at the server.
   */
  askStream(args: Arguments<"ask">, options?: CallOptions): AsyncGenerator<AskEvent, void, undefined> {
    return this.server.stream(this.name, args, options);
  }

  /** Returns all that the memory holds, as lines of JSON: what `hmem export` writes, and `hmem import` reads. */
  export(options?: CallOptions): Promise<Blob> {
    return this.server.export(this.name, options);
  }

  /** Yields how far the memory is: at once, and whenever any process changed it. Leaving the loop ends it. */
  live(options?: CallOptions): AsyncGenerator<Schemas["MemoryProgress"], void, undefined> {
    return this.server.live(this.name, options);
  }

  /** Yields the items of a list page by page: `for await (const note of memory.each("notes")) …`. */
  each<Name extends Exclude<ListName, "list_memories">>(
    name: Name, args: Omit<Arguments<Name>, "cursor" | "after"> = {} as Arguments<Name>, options?: CallOptions,
  ): AsyncGenerator<Item<Name>, void, undefined> {
    return everyItem(name, (page) => this.server.call(name, page, { ...options, memory: this.name }), args);
  }
}

export interface Memory extends MemoryMethods {}

for (const [method, name] of Object.entries(METHODS)) {
  Object.defineProperty(Memory.prototype, method, {
    value(this: Memory, args: object = {}, options: CallOptions = {}) {
      return this.server.call(name, args, { ...options, memory: this.name });
    },
  });
}

async function* everyItem<Name extends ListName>(
  name: Name, read: (args: object) => Promise<Result<Name>>, args: object,
): AsyncGenerator<Item<Name>, void, undefined> {
  const { next: field = "cursor" } = OPERATIONS[name];
  for (let next: string | null | undefined; next !== null; ) {
    const page = (await read(next === undefined ? args : { ...args, [field]: next })) as Page<Item<Name>>;
    yield* page.items;
    next = page.next;
  }
}
