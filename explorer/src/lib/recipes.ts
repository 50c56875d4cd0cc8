import type { Arguments } from "hmem";

export type Recipe = NonNullable<Arguments<"search">["recipe"]>;

/** The recipes by which a memory can be asked, besides its own. */
export const RECIPES: readonly Recipe[] = [
  "fusion", "evolving", "dual-tree", "layered", "notes-episodes", "orchestrated", "flat", "bm25", "vector",
];
