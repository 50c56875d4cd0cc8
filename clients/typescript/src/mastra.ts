// Memory for agents of Mastra: a processor of their input and output, and tools.
import type { Processor, ProcessLLMRequestArgs, ProcessLLMRequestResult, ProcessOutputResultArgs } from "@mastra/core/processors";
import type { RequestContext } from "@mastra/core/request-context";
import { createTool } from "@mastra/core/tools";

import { Companion, type Conversation, type PromptMessage, type RecallOptions } from "./recall.js";
import { type ToolDefinition, toolDefinitions, type ToolOptions } from "./tools.js";

export type { Conversation, RecallOptions } from "./recall.js";
export type { ToolOptions } from "./tools.js";

/**
 * Processor that gives an agent a memory. Put the same one into `inputProcessors`, where it recalls, and into
 * `outputProcessors`, where it captures.
 *
 * With a memory of Mastra's own its thread is the session and its resource the user, unless the options say otherwise.
 */
export class HmemProcessor implements Processor<"hmem"> {
  readonly id = "hmem";
  readonly name = "hmem";
  readonly #companion: Companion;
  readonly #options: RecallOptions;

  constructor(options: RecallOptions) {
    this.#options = options;
    this.#companion = new Companion(options);
  }

  /** Puts what the memory knows before the user's last message, for this call of the model only. */
  async processLLMRequest({ prompt, requestContext, abortSignal }: ProcessLLMRequestArgs): Promise<ProcessLLMRequestResult> {
    return { prompt: await this.#companion.recalled(prompt, this.#whose(requestContext), abortSignal) };
  }

  /** Keeps what the user and the agent said. */
  processOutputResult({ messageList, result, requestContext }: ProcessOutputResultArgs) {
    const asked: PromptMessage[] = messageList.get.input.aiV5.model().map(({ role, content }) => ({ role, content }));
    this.#companion.capture(asked.filter(({ role }) => role === "user"), result.text, this.#whose(requestContext));
    return messageList;
  }

  /** Resolves when everything that was said so far is sent, or waits for the server to come back. */
  captured(): Promise<void> {
    return this.#companion.recorder.flush();
  }

  #whose(context: RequestContext | undefined): Conversation {
    const memory = context?.get("MastraMemory") as { thread?: { id?: string }; resourceId?: string } | undefined;
    return {
      session: this.#options.session ?? memory?.thread?.id,
      user: this.#options.user ?? memory?.resourceId,
    };
  }
}

/** Returns the tools `recall`, `remember`, `correct` and `forget` over a memory. */
export function hmemTools(options: ToolOptions) {
  const { recall, remember, correct, forget } = toolDefinitions(options);
  return {
    recall: offered("recall", recall),
    remember: offered("remember", remember),
    correct: offered("correct", correct),
    forget: offered("forget", forget),
  };
}

function offered<Args extends object>(id: string, { description, parameters, execute }: ToolDefinition<Args>) {
  return createTool({
    id,
    description,
    inputSchema: parameters,
    execute: (args: unknown, context?: { abortSignal?: AbortSignal | undefined }) => execute(args as Args, context?.abortSignal),
  });
}
