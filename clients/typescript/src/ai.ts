// Memory for the Vercel AI SDK: a wrapped model, and tools.
import { jsonSchema, type LanguageModelMiddleware, type Tool, tool, wrapLanguageModel } from "ai";

import { Companion, type Conversation, defined, type RecallOptions } from "./recall.js";
import { type ToolDefinition, toolDefinitions, type ToolOptions } from "./tools.js";

export type { Conversation, RecallOptions } from "./recall.js";
export type { ToolOptions } from "./tools.js";

type Model = Parameters<typeof wrapLanguageModel>[0]["model"];
type Wrapped = ReturnType<typeof wrapLanguageModel>;
type Call = Parameters<Wrapped["doGenerate"]>[0];
type Stream = Awaited<ReturnType<Wrapped["doStream"]>>["stream"];

/** A model with a memory. */
export type RememberingModel = Wrapped & {
  /** Resolves when everything that was said so far is sent, or waits for the server to come back. */
  captured(): Promise<void>;
};

/**
 * Returns a model with a memory: what is known of the user's last message is put before it, marked as data; what the
 * user and the model say is kept afterwards.
 *
 * The memory never breaks nor delays an answer by more than `patience`. A call may say whose conversation it is:
 * `providerOptions: { hmem: { session, user, agent } }`.
 */
export function withHmem(model: Model, options: RecallOptions): RememberingModel {
  const companion = new Companion(options);
  const wrapped = wrapLanguageModel({ model, middleware: middlewareOf(companion) });
  return Object.assign(wrapped, { captured: () => companion.recorder.flush() });
}

/** Returns the middleware of `withHmem`, for `wrapLanguageModel` with others. */
export function hmemMiddleware(options: RecallOptions): LanguageModelMiddleware {
  return middlewareOf(new Companion(options));
}

function middlewareOf(companion: Companion): LanguageModelMiddleware {
  return {
    specificationVersion: "v4",
    async transformParams({ params }) {
      return { ...params, prompt: await companion.recalled(params.prompt, of(params), params.abortSignal) };
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const texts = result.content.map((part) => (part.type === "text" ? part.text : ""));
      companion.capture(params.prompt, texts.join(""), of(params));
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: listened(stream, (text) => companion.capture(params.prompt, text, of(params))) };
    },
  };
}

function of(params: Call): Conversation {
  return defined(params.providerOptions?.["hmem"] ?? {});
}

/** Returns a stream that tells the text that passed when it ends, also when its reader stops early. */
function listened(stream: Stream, end: (text: string) => void): Stream {
  const reader = stream.getReader();
  let text = "";
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) {
        end(text);
        controller.close();
        return;
      }
      if (value.type === "text-delta") text += value.delta;
      controller.enqueue(value);
    },
    async cancel(reason) {
      end(text);
      await reader.cancel(reason);
    },
  });
}

/** Returns the tools `recall`, `remember`, `correct` and `forget` over a memory. */
export function hmemTools(options: ToolOptions) {
  const { recall, remember, correct, forget } = toolDefinitions(options);
  return { recall: offered(recall), remember: offered(remember), correct: offered(correct), forget: offered(forget) };
}

function offered<Args extends object>({ description, parameters, execute }: ToolDefinition<Args>): Tool<Args, string> {
  return tool({
    description,
    inputSchema: jsonSchema<Args>(parameters),
    execute: (args: Args, { abortSignal }: { abortSignal?: AbortSignal }) => execute(args, abortSignal),
  }) as Tool<Args, string>;
}
