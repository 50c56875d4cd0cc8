// Writes src/generated from what scripts/describe.py prints: `python scripts/describe.py | node scripts/generate.mjs`.
import { mkdir, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

import openapiTS, { astToString } from "openapi-typescript";

const HEAD = "// Made by scripts/generate.mjs. Do not edit.\n\n";
// Methods of a server rather than of a memory, methods written by hand, and a second path to the same.
const APART = new Set(["list_memories", "create_memory", "ask_stream", "export", "live", "list_keys", "rights", "stats_of", "healthz", "readyz", "metrics"]);

const { openapi, errors, frame } = JSON.parse(await text(process.stdin));
const folder = new URL("../src/generated/", import.meta.url);
await mkdir(folder, { recursive: true });
const types = astToString(await openapiTS(openapi, { emptyObjectsUnknown: true, defaultNonNullable: false }));
await write("api.ts", types);
await write("errors.ts", errorClasses());
await write("operations.ts", operations());
await write("frame.ts", `export const FRAME = ${JSON.stringify(frame)};\n`);

async function write(name, source) {
  await writeFile(new URL(name, folder), `${HEAD}${source}`);
}

/** A constant of a type, with a line for each entry. */
function constant(name, type, entries) {
  const lines = entries.map(([key, value]) => `  ${key}: ${JSON.stringify(value)},\n`);
  return `export const ${name}: ${type} = {\n${lines.join("")}};\n`;
}

/** The classes of the errors that a server names, with their bases. */
function errorClasses() {
  const own = errors.filter(({ name }) => name !== "HmemError");
  const classes = own.map(
    ({ name, base, about }) =>
      `/** ${about} */\nexport class ${name} extends ${base} {\n  override readonly name: string = "${name}";\n}\n`,
  );
  const table = ["HmemError", ...own.map(({ name }) => name)].map((name) => `  ${name},\n`).join("");
  return [
    'import { HmemError, type ErrorName } from "../error.js";\n',
    ...classes,
    `/** All classes of errors by name. */\nexport const ERRORS: Record<ErrorName, typeof HmemError> = {\n${table}};\n`,
  ].join("\n");
}

/** The table of the operations, and the interface of those on a memory. */
function operations() {
  const rows = [];
  for (const [path, methods] of Object.entries(openapi.paths)) {
    for (const [method, told] of Object.entries(methods)) {
      const parameters = (told.parameters ?? []).filter((each) => each.in === "query");
      const query = parameters.map((each) => each.name);
      const listed = JSON.stringify(told.responses).includes("/Page_");
      const body = told.requestBody?.content["application/json"].schema.$ref.split("/").at(-1);
      const required = [
        ...parameters.filter((each) => each.required),
        ...(body ? (openapi.components.schemas[body].required ?? []) : []),
      ];
      rows.push({
        name: told.operationId,
        summary: told.summary,
        optional: required.length === 0,
        empty: query.length === 0 && !body,
        row: { method, path, query, ...(listed && { next: query.includes("cursor") ? "cursor" : "after" }) },
      });
    }
  }
  const methods = rows.filter(({ name }) => !APART.has(name)).map(method);
  return [
    'import type { Arguments, CallOptions, OperationName, Result, Row } from "../types.js";\n',
    constant("OPERATIONS", "Record<OperationName, Row>", rows.map(({ name, row }) => [name, row])),
    constant("METHODS", "Record<keyof MemoryMethods, OperationName>", methods.map(({ name, camel }) => [camel, name])),
    `/** What can be done with a memory. */\nexport interface MemoryMethods {\n${methods.map(({ source }) => source).join("\n")}}\n`,
  ].join("\n");
}

function method({ name, summary, optional, empty }) {
  const camel = name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  const given = empty ? "args?: Record<string, never>" : `args${optional ? "?" : ""}: Arguments<"${name}">`;
  const source = `  /** ${summary} */\n  ${camel}(${given}, options?: CallOptions): Promise<Result<"${name}">>;\n`;
  return { name, camel, source };
}
