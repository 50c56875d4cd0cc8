// Requests that survive a short failure of the server or of the network. Needs nothing but fetch.
import type { HmemError, Problem } from "./error.js";
import { ERRORS, ServerFault, ServerUnavailable } from "./generated/errors.js";

const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 30_000;
const TRY_AGAIN = new Set([429, 502, 503, 504]);
export const EVENTS = "text/event-stream";

export interface Reliability {
  /** How often a request is tried again. */
  retries: number;
  /** Milliseconds until the answer must be there. */
  timeout: number;
}

/**
 * Returns a fetch that tries again what failed in passing, and throws the error that a problem names.
 *
 * Whatever is no GET carries an Idempotency-Key, the same in each try: so the server does it once.
 */
export function reliable(fetch: typeof globalThis.fetch, { retries, timeout }: Reliability) {
  return async (request: Request): Promise<Response> => {
    const body = request.method === "GET" ? null : (await request.text()) || null;
    const headers = new Headers(request.headers);
    if (request.method !== "GET" && !headers.has("Idempotency-Key")) headers.set("Idempotency-Key", randomId());
    const init = { method: request.method, headers, body };
    for (let attempt = 0; ; attempt += 1) {
      const response = await answered(fetch, request, init, timeout).catch((error: unknown) => {
        request.signal.throwIfAborted();
        if (attempt >= retries) throw unreachable(request.url, error);
      });
      if (response?.ok) return response;
      const error = response && (await errorOf(response));
      const pause = Math.max(FIRST_PAUSE * 2 ** attempt, 1_000 * (error?.retryAfter ?? 0));
      const lasting = response !== undefined && !TRY_AGAIN.has(response.status);
      if (error && (lasting || attempt >= retries || pause > LONGEST_PAUSE)) throw error;
      await resting(pause, request.signal);
    }
  };
}

/** Returns an answer with its whole body; of a stream, as soon as it begins. */
async function answered(
  fetch: typeof globalThis.fetch, request: Request, init: RequestInit, timeout: number,
): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException(`no answer in ${timeout} ms`, "TimeoutError")), timeout);
  try {
    const signal = AbortSignal.any([request.signal, late.signal]);
    const response = await fetch(request.url, { ...init, signal });
    if (response.headers.get("Content-Type")?.startsWith(EVENTS)) return response;
    const { status, statusText, headers } = response;
    return new Response(await response.arrayBuffer(), { status, statusText, headers });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the error that an answer names. */
async function errorOf(response: Response): Promise<HmemError> {
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const details = {
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    requestId: response.headers.get("X-Request-Id") ?? undefined,
  };
  const problem = await response.json().catch(() => undefined);
  if (isProblem(problem)) return named(problem, details);
  // A proxy before the server may say that it is away.
  const kind = TRY_AGAIN.has(response.status) ? ServerUnavailable : ServerFault;
  return new kind(`the server answered ${response.status} without a reason - see what stands before it`, details);
}

function isProblem(said: unknown): said is Problem {
  return typeof said === "object" && said !== null && "name" in said && "detail" in said;
}

/** Returns the error of a problem; a `ServerFault` if its name is unknown. */
export function named(problem: Problem, details: { retryAfter?: number | undefined; requestId?: string | undefined } = {}) {
  const kind = Object.hasOwn(ERRORS, problem.name) ? ERRORS[problem.name] : ServerFault;
  return new kind(problem.detail, { ...details, problem });
}

/** Returns the error of a server that gave no answer. */
export function unreachable(url: string, cause: unknown): ServerUnavailable {
  const { origin } = new URL(url);
  return new ServerUnavailable(`${origin} does not answer - see whether \`hmem serve\` runs there`, { cause });
}

/** Returns 128 random bits. Not `randomUUID`, which pages without TLS lack. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function resting(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
