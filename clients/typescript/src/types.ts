import type { components, operations } from "./generated/api.js";

/** Name of an operation of the server, such as `search`. */
export type OperationName = keyof operations;

/** Values that go to a server and come from it, by their names in its OpenAPI document. */
export type Schemas = components["schemas"];

type Query<Operation> = Operation extends { parameters: { query?: infer Told } }
  ? [Told] extends [undefined]
    ? unknown
    : NonNullable<Told>
  : unknown;
type Body<Operation> = Operation extends { requestBody: { content: { "application/json": infer Told } } }
  ? Told
  : unknown;
type Answers<Operation> = Operation extends { responses: infer Told } ? Told : never;
type Success<Told> = Told extends { 200: infer Answer } | { 201: infer Answer } ? Answer : never;

/** Arguments of an operation, of its query and its body alike. */
export type Arguments<Name extends OperationName> = Query<operations[Name]> & Body<operations[Name]>;

/** What an operation answers. */
export type Result<Name extends OperationName> =
  Success<Answers<operations[Name]>> extends { content: { "application/json": infer Told } } ? Told : never;

/** Name of an operation whose answer is a page of a list. */
export type ListName = {
  [Name in OperationName]: Result<Name> extends { items: unknown[]; next: string | null } ? Name : never;
}[OperationName];

/** Item of a list. */
export type Item<Name extends ListName> = Result<Name> extends { items: (infer Told)[] } ? Told : never;

/** Where an operation is found, and which of its arguments go into the query. */
export interface Row {
  method: string;
  path: string;
  query: readonly string[];
  /** Argument that takes the `next` of a page, where the answer is one. */
  next?: "cursor" | "after";
}

/** How a call is made, beside its arguments. */
export interface CallOptions {
  /** Ends the call when it is aborted. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for each try, instead of the client's. */
  timeout?: number | undefined;
  /** How often it is tried again, instead of the client's. */
  retries?: number | undefined;
  /** Key under which a write is done once in 24 hours; one is made by default. */
  idempotencyKey?: string | undefined;
}

/** Event of an answer that comes in pieces. The last one has the whole answer. */
export type AskEvent =
  | { event: "piece"; data: string }
  | { event: "plan"; data: Schemas["Plan"] }
  | { event: "evidence"; data: Schemas["Evidence"] }
  | { event: "answer"; data: Schemas["Answer"] };
