import type { components } from "./generated/api.js";

export type Problem = components["schemas"]["ProblemShape"];
export type ErrorName = Problem["name"];

/** What is known of an error beside its message. */
export interface ErrorDetails {
  /** The problem as the server told it. */
  problem?: Problem | undefined;
  /** Seconds after which the server asks to try again. */
  retryAfter?: number | undefined;
  /** The request's id, by which the server's log tells more. */
  requestId?: string | undefined;
  cause?: unknown;
}

/** Base of all errors of hmem. */
export class HmemError extends Error {
  override readonly name: string = "HmemError";
  readonly problem: Problem | undefined;
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, { problem, retryAfter, requestId, cause }: ErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.problem = problem;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }

  /** Status of the answer; undefined if there was none. */
  get status(): number | undefined {
    return this.problem?.status;
  }
}
