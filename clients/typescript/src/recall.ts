// What the Vercel AI SDK and Mastra share: recalled context in a prompt, and what of a prompt is kept.
import type { Memory } from "./client.js";
import { FRAME } from "./generated/frame.js";
import { type RecordedMessage, Recorder, type RecorderOptions } from "./recorder.js";

const LONGEST_QUESTION = 20_000;

/** Whose conversation it is. */
export interface Conversation {
  /** Id of the conversation. */
  session?: string | undefined;
  /** Id of the user whom the memory is about, where one memory serves several. */
  user?: string | undefined;
  /** Id of the agent. */
  agent?: string | undefined;
}

export interface RecallOptions extends Conversation, RecorderOptions {
  memory: Memory;
  /** Name of the person who speaks to the model; `user` by default. */
  speaker?: string | undefined;
  /** Name under which the model speaks; `assistant` by default. */
  assistant?: string | undefined;
  /** False recalls nothing. */
  recall?: boolean | undefined;
  /** False captures nothing. */
  capture?: boolean | undefined;
  /** Tokens that recalled context may take; 600 by default. */
  tokens?: number | undefined;
  /** Milliseconds after which the model is called without context; 2,000 by default. */
  patience?: number | undefined;
}

interface Part {
  type: string;
}

/** Message of a prompt, as the providers of the AI SDK take it. */
export interface PromptMessage {
  role: string;
  content: string | readonly Part[];
}

/** Recall and capture for the calls of a model. Neither throws: a model must answer though the memory is away. */
export class Companion {
  readonly recorder: Recorder;
  readonly #options: RecallOptions;

  constructor(options: RecallOptions) {
    this.#options = options;
    this.recorder = new Recorder(options.memory, options);
  }

  /** Returns a prompt with what the memory knows of the user's last message before it, marked as data. */
  async recalled<Message extends PromptMessage>(
    prompt: readonly Message[], conversation: Conversation, signal?: AbortSignal,
  ): Promise<Message[]> {
    const { memory, recall = true, tokens = 600, patience = 2_000, onError } = this.#options;
    const place = prompt.findLastIndex(({ role }) => role === "user");
    const asked = prompt[place];
    const question = asked ? textOf(asked.content).slice(-LONGEST_QUESTION) : "";
    if (!recall || !asked || !question) return [...prompt];
    try {
      const { user = this.#options.user } = conversation;
      const args = { question, tokens, ...(user !== undefined && { user }) };
      const { text } = await memory.context(args, { signal, timeout: patience, retries: 0 });
      if (!text) return [...prompt];
      const said: readonly Part[] = typeof asked.content === "string" ? [textPart(asked.content)] : asked.content;
      return prompt.with(place, { ...asked, content: [textPart(`${text}\n\n`), ...said] });
    } catch (error) {
      if (!signal?.aborted) onError?.(error);
      return [...prompt];
    }
  }

  /** Keeps the user's message, if the prompt ends with one, and what the model answered. */
  capture(prompt: readonly PromptMessage[], answer: string, conversation: Conversation): void {
    const { capture = true, speaker = "user", assistant = "assistant", session, user, agent } = this.#options;
    if (!capture) return;
    const last = prompt.at(-1);
    const place = { session, user, agent, ...defined(conversation) };
    const said: RecordedMessage[] = [
      // After a call of a tool the prompt ends with its result, and the user's message is kept already.
      { ...place, role: "user", speaker, text: last?.role === "user" ? textOf(last.content) : "" },
      { ...place, role: "assistant", speaker: assistant, text: withoutFrames(answer) },
    ];
    this.recorder.record(said.filter(({ text }) => text));
  }
}

/** Returns the text of a message's content, without recalled context. */
export function textOf(content: string | readonly Part[]): string {
  if (typeof content === "string") return withoutFrames(content);
  const texts = content.filter((part): part is Part & { text: string } => part.type === "text" && "text" in part);
  return withoutFrames(texts.map(({ text }) => text).join("\n"));
}

/** Returns a text without the contexts in it: what was recalled must not be kept as said. */
export function withoutFrames(text: string): string {
  let rest = text;
  for (let start = rest.indexOf(FRAME.open); start >= 0; start = rest.indexOf(FRAME.open)) {
    const end = rest.indexOf(FRAME.close, start);
    rest = rest.slice(0, start) + (end < 0 ? "" : rest.slice(end + FRAME.close.length));
  }
  return rest.trim();
}

function textPart(text: string): Part & { text: string } {
  return { type: "text", text };
}

/** Returns the fields of a conversation that are texts; others may come from a caller's JSON. */
export function defined(conversation: object): Conversation {
  const names = ["session", "user", "agent"];
  return Object.fromEntries(
    Object.entries(conversation).filter(([name, value]) => names.includes(name) && typeof value === "string"),
  );
}
