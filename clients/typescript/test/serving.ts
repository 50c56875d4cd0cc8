// A real server of hmem, and the stand-in for a model, each in a process of its own on loopback.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as resting } from "node:timers/promises";

const PYTHON = process.env["HMEM_PYTHON"] ?? "python3";
const SECONDS = 120;

function hmem(...args: string[]): ChildProcess {
  const started = spawn(PYTHON, ["-m", "hmem", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  // A test that fails before its end must leave none behind.
  process.once("exit", () => started.kill("SIGKILL"));
  return started;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function answering(url: string, started: ChildProcess): Promise<void> {
  let told = "";
  started.stderr?.on("data", (piece: Buffer) => (told += piece.toString()));
  for (const until = Date.now() + SECONDS * 1_000; Date.now() < until; await resting(50)) {
    if (started.exitCode !== null) throw new Error(`it ended: ${told}`);
    if (await fetch(url).then((response) => response.ok, () => false)) return;
  }
  throw new Error(`${url} did not answer: ${told}`);
}

/** A server under a root of its own, which can be killed and started again at the same address. */
export class Server {
  readonly root = mkdtempSync(join(tmpdir(), "hmem-"));
  #process: ChildProcess | undefined;

  private constructor(readonly port: number) {}

  static async start(): Promise<Server> {
    const server = new Server(await freePort());
    await server.resume();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it again. */
  async resume(): Promise<void> {
    this.#process = hmem("serve", "--root", this.root, "--port", String(this.port), "--workers", "0");
    await answering(`${this.url}/readyz`, this.#process);
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const ended = this.#process;
    this.#process = undefined;
    if (!ended || ended.exitCode !== null) return;
    ended.kill(signal);
    await once(ended, "exit");
  }

  /** Makes a key, and returns it. */
  key(...rights: string[]): string {
    const made = execFileSync(PYTHON, ["-m", "hmem", "keys", "create", "--root", this.root, "--json", ...rights]);
    return JSON.parse(made.toString()).key;
  }
}

/** The stand-in for a model at an address of its own, with a script of what it does. */
export async function standIn(script: object[] = []): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const file = join(mkdtempSync(join(tmpdir(), "hmem-")), "script.json");
  writeFileSync(file, JSON.stringify(script));
  const started = hmem("standin", "--port", String(port), "--script", file);
  await answering(`http://127.0.0.1:${port}/calls`, started);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async stop() {
      started.kill();
      await once(started, "exit");
    },
  };
}
