// Server-sent events: of an answer that comes in pieces, and of what happens to a memory.
import { EventSourceParserStream } from "eventsource-parser/stream";

import { ServerFault } from "./generated/errors.js";
import { named, unreachable } from "./transport.js";
import type { AskEvent, Schemas } from "./types.js";

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the server's own events
type Data = any;

interface Told {
  event: string | undefined;
  data: Data;
}

/**
 * Yields the events of a streamed answer; the last has the whole answer. Whoever leaves the loop ends the connection.
 *
 * @throws the error that a problem names, or that the connection was lost.
 */
export async function* answerEvents(
  url: string, body: ReadableStream<Uint8Array>, signal?: AbortSignal,
): AsyncGenerator<AskEvent, void, undefined> {
  const evidence: Schemas["Evidence"][] = [];
  for await (const { event, data } of eventsOf(url, body, signal)) {
    if (event === "evidence") evidence.push(data);
    if (event === "answer") {
      yield { event, data: { ...data, evidence } };
      return;
    }
    yield { event, data } as AskEvent;
  }
  throw new ServerFault("the answer ended early - see what stands before the server");
}

/**
 * Yields events as they come, until the server ends them.
 *
 * @throws the error that a problem names, or that the connection was lost.
 */
export async function* eventsOf(
  url: string, body: ReadableStream<Uint8Array>, signal?: AbortSignal,
): AsyncGenerator<Told, void, undefined> {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  const reader = body.pipeThrough(decoder).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        signal?.throwIfAborted();
        throw unreachable(url, error);
      });
      if (done) return;
      const data = parsed(value.data);
      if (value.event === "problem") throw named(data);
      yield { event: value.event, data };
    }
  } finally {
    // What the reader thinks of its end concerns nobody any more.
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(data: string): Data {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new ServerFault("an event is no JSON - see what stands before the server", { cause });
  }
}
