// Server-sent events of an answer that comes in pieces.
import { EventSourceParserStream } from "eventsource-parser/stream";

import { ServerFault } from "./generated/errors.js";
import { named, unreachable } from "./transport.js";
import type { AskEvent, Schemas } from "./types.js";

/**
 * Yields the events of a streamed answer; the last has the whole answer. Whoever leaves the loop ends the connection.
 *
 * @throws the error that a problem names, or that the connection was lost.
 */
export async function* eventsOf(
  url: string, body: ReadableStream<Uint8Array>, signal?: AbortSignal,
): AsyncGenerator<AskEvent, void, undefined> {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  const reader = body.pipeThrough(decoder).pipeThrough(new EventSourceParserStream()).getReader();
  const evidence: Schemas["Evidence"][] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        signal?.throwIfAborted();
        throw unreachable(url, error);
      });
      if (done) throw new ServerFault("the answer ended early - see what stands before the server");
      const data = parsed(value.data);
      if (value.event === "problem") throw named(data);
      if (value.event === "evidence") evidence.push(data);
      if (value.event === "answer") {
        yield { event: "answer", data: { ...data, evidence } };
        return;
      }
      yield { event: value.event, data } as AskEvent;
    }
  } finally {
    // What the reader thinks of its end concerns nobody any more.
    await reader.cancel().catch(() => undefined);
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the server's own events
function parsed(data: string): any {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new ServerFault("an event of the answer is no JSON - see what stands before the server", { cause });
  }
}
