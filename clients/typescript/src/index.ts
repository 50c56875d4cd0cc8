export { Hmem, Memory, type HmemOptions } from "./client.js";
export { HmemError, type ErrorDetails, type ErrorName, type Problem } from "./error.js";
export * from "./generated/errors.js";
export { Recorder, type RecordedMessage, type RecorderOptions } from "./recorder.js";
export type { Arguments, AskEvent, CallOptions, Item, ListName, OperationName, Result, Schemas } from "./types.js";
