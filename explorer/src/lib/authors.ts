import { TEXTS } from "./texts.js";

/** Returns who made a change, in words; behind a slash stands which rules, or which model. */
export const authorOf = (by: string): string => TEXTS.authors[by.split("/")[0] ?? ""] ?? by;
