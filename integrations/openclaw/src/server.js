// @ts-check
/** The server of the memories: the configured one, the one that already runs for this folder, or a new `hmem serve`. */

import { execFile, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

/** @typedef {import("./config.js").Config} Config */
/** @typedef {{url: string, key: string | undefined, pid?: number}} Address */

/** A server that cannot be reached or started. The text says what to do. */
export class Unreachable extends Error {}

const START_MS = 60_000;
const PROBE_MS = 2_000;
// After a failed start the next one waits, so that each prompt does not try in vain.
const REST_MS = 30_000;

/** Finds the server, starts it where none is configured, and stops what was started. */
export class Server {
  /** @type {Promise<Address> | undefined} */
  #found;
  /** @type {{error: Error, until: number} | undefined} */
  #failed;
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #child;
  #config;

  /** @param {Config} config */
  constructor(config) {
    this.#config = config;
  }

  /** The file that tells other processes where the started server of this folder is. */
  get #file() {
    return join(this.#config.root, ".openclaw-server.json");
  }

  /**
   * Return the address of the server, and start it if need be.
   * @returns {Promise<Address>}
   */
  find() {
    const { baseUrl, apiKey } = this.#config;
    if (baseUrl) return Promise.resolve({ url: baseUrl, key: apiKey });
    if (this.#failed && Date.now() < this.#failed.until) return Promise.reject(this.#failed.error);
    this.#found ??= this.#locate().catch((error) => {
      this.#found = undefined;
      this.#failed = { error, until: Date.now() + REST_MS };
      throw error;
    });
    return this.#found;
  }

  /** Forget the address: nobody answers there any more. Returns whether another one may be found. */
  lost() {
    this.#found = undefined;
    return !this.#config.baseUrl;
  }

  /** Stop the server that was started for this folder, by whatever process. */
  async stop() {
    const recorded = this.#recorded();
    // Its number may be another program's by now, unless the server still answers to its key.
    const alive = recorded?.pid !== undefined && (await answers(recorded));
    this.end();
    if (alive && recorded?.pid) kill(recorded.pid);
    if (alive) rmSync(this.#file, { force: true });
    this.#found = undefined;
  }

  /** Stop the server that this process started, at once. */
  end() {
    if (this.#child?.pid) kill(this.#child.pid);
    this.#child = undefined;
  }

  async #locate() {
    const recorded = this.#recorded();
    if (recorded && (await answers(recorded))) return recorded;
    for (const folder of [this.#config.folder, this.#config.root]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    return this.#start(await this.#key());
  }

  /** @returns {Address | undefined} */
  #recorded() {
    const held = readJson(this.#file);
    return typeof held?.url === "string" ? held : undefined;
  }

  /** Return the key of the folder's server, made once: without one, every user of this machine could ask it. */
  async #key() {
    const file = join(this.#config.root, ".openclaw-key.json");
    const held = readJson(file)?.key;
    if (typeof held === "string") return held;
    const make = ["keys", "create", "--root", this.#config.root, "--name", "openclaw", "--memory", "*", "--scope", "admin"];
    const { stdout } = await promisify(execFile)(this.#config.command, [...make, "--json"], {
      timeout: START_MS,
    }).catch((error) => {
      throw this.#unstartable(error);
    });
    const key = parsed(stdout)?.key;
    if (typeof key !== "string") throw new Unreachable(`${this.#config.command} keys create told no key - is it hmem's?`);
    writePrivate(file, { key });
    return key;
  }

  /**
   * @param {string} key
   * @returns {Promise<Address>}
   */
  #start(key) {
    const log = openSync(join(this.#config.folder, "server.log"), "a", 0o600);
    const serve = ["serve", "--root", this.#config.root, "--port", "0", "--workers", "0", "--json"];
    const child = spawn(this.#config.command, serve, { stdio: ["ignore", "pipe", log] });
    closeSync(log);
    const output = /** @type {import("node:stream").Readable} */ (child.stdout);
    this.#child = child;
    process.once("exit", () => this.end());
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.end();
        reject(new Unreachable(`hmem serve was not ready within ${START_MS / 1000} s - see ${this.#config.folder}/server.log`));
      }, START_MS);
      late.unref();
      child.on("error", (error) => reject(this.#unstartable(error)));
      child.once("exit", (code) => {
        this.#found = undefined;
        reject(new Unreachable(`hmem serve ended with code ${code} - see ${this.#config.folder}/server.log`));
      });
      createInterface(output).on("line", (line) => {
        const told = parsed(line);
        // Whatever else is printed before it, such as a notice of the shell, is not for us.
        if (typeof told?.address !== "string") return;
        clearTimeout(late);
        const address = { url: told.address, key, pid: child.pid ?? 0 };
        writePrivate(this.#file, address);
        // Nothing of it may keep this process alive.
        output.destroy();
        child.unref();
        resolve(address);
      });
    });
  }

  /** @param {NodeJS.ErrnoException & {stderr?: string}} error */
  #unstartable(error) {
    const program = this.#config.command;
    if (error.code === "ENOENT") {
      return new Unreachable(`there is no program ${program} - pip install 'hmem[server]', or set \`command\` or \`baseUrl\``);
    }
    return new Unreachable(`${program} cannot be started: ${(error.stderr || error.message).trim().split("\n").pop()}`);
  }
}

/**
 * Tell if a server answers to its key: nobody else's server has it.
 * @param {Address} address
 */
async function answers(address) {
  try {
    const response = await fetch(`${address.url}/v1/memories?limit=1`, {
      headers: { Authorization: `Bearer ${address.key}` },
      signal: AbortSignal.timeout(PROBE_MS),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // It has ended already.
  }
}

/**
 * Return the JSON of a file; undefined if there is none.
 * @param {string} file
 */
export function readJson(file) {
  try {
    return parsed(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Return the JSON of a text; undefined for another text.
 * @param {string} text
 * @returns {any}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Replace a file by JSON that only its owner can read.
 * @param {string} file
 * @param {unknown} value
 */
export function writePrivate(file, value) {
  const draft = `${file}.${process.pid}.part`;
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
  renameSync(draft, file);
}
