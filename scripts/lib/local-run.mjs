import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from './child.cjs';
import { COMPILE_CACHE_FOLDER, ROOT } from './find-servers.cjs';
import { LOCAL_FOLDER, readLocal, writeLocal } from './local-files.mjs';
import { freePort } from './ports.cjs';
import { endProcess } from './process-identity.cjs';

const STOP_GRACE_MS = 15_000;
const READY_TIME_LIMIT_MS = 90_000;
const MAX_PORT_TRIES = 3;

/** The programs of one `npm start`, oldest first; they are stopped newest first. */
export class LocalRun {
  #programs = [];
  #stopping;
  /** This timer keeps the process running; its child processes do not. */
  #awake = setInterval(() => {}, 60_000);

  /** Ends programs of an earlier run that was killed. */
  static async endLeftOvers() {
    const left = (await readLocal('running.json')) ?? [];
    for (const { pid, identity } of left.toReversed()) await endProcess(pid, identity, STOP_GRACE_MS);
  }

  get isStopping() {
    return this.#stopping !== undefined;
  }

  /** Adds a started program, which `running.json` then names. Stops the program and throws when the run has begun to stop. */
  async add(name, program) {
    this.#programs.push({ name, program });
    await writeLocal(
      'running.json',
      this.#programs
        .filter(({ program: { pid } }) => pid)
        .map(({ name: of, program: { pid, identity } }) => ({ name: of, pid, identity })),
    );
    if (!this.isStopping) return program;
    // The run began to stop before this program was added, so the program is stopped here.
    await program.stop();
    throw new Error('stopped while starting');
  }

  /** Runs a program to its end; throws with the end of its log when it fails. */
  async runToEnd(name, file, env) {
    const child = await this.add(name, await startScript(name, file, env));
    const { code } = await child.exited;
    this.#programs = this.#programs.filter(({ program }) => program !== child);
    await child.stop();
    if (code !== 0) throw new Error(`${name} failed:\n${await lastLines(`${name}.log`)}`);
  }

  /** Resolves with the name of the first program that ends, also when `stop` ends it. */
  firstToEnd() {
    const ends = this.#programs.flatMap(({ name, program }) =>
      program.exited ? [program.exited.then(() => name)] : [],
    );
    return Promise.race(ends);
  }

  stop() {
    return (this.#stopping ??= this.#stopAll());
  }

  async #stopAll() {
    for (const { program } of this.#programs.toReversed()) await program.stop();
    clearInterval(this.#awake);
  }
}

/** Starts a file of dist with its output in `.local/<name>.log`. */
export function startScript(name, file, env) {
  return startChild({
    command: process.execPath,
    args: [join(ROOT, 'dist', file)],
    cwd: ROOT,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE_FOLDER, ...process.env, ...env },
    logFile: join(LOCAL_FOLDER, `${name}.log`),
    graceMs: STOP_GRACE_MS,
  });
}

/**
 * Starts all services in one process, on the ports of the last run if they are free, and returns their ports by name. Retries with other ports
 * when a port was taken in the meantime or a busy machine's database did not answer in time.
 */
export async function startAllInOne({ run, names, ports, env }) {
  for (let attempt = 1; ; attempt++) {
    const chosen = await choosePorts(names, attempt === 1 ? ports : {});
    const portSettings = names.map((name) => [`${name.toUpperCase()}_PORT`, String(chosen[name])]);
    const child = await startScript('services', 'apps/all-in-one/main.js', {
      ...env,
      ...Object.fromEntries(portSettings),
    });
    if (await becomesReady(child, Object.values(chosen), run)) {
      await run.add('services', child);
      return chosen;
    }
    await child.stop();
    const log = await lastLines('services.log');
    if (run.isStopping || attempt === MAX_PORT_TRIES || !/EADDRINUSE|ETIMEDOUT/.test(log)) {
      throw new Error(`the services did not become ready, the end of .local/services.log:\n${log}`);
    }
  }
}

async function choosePorts(names, wished) {
  const chosen = {};
  for (const name of names) {
    const taken = new Set(Object.values(chosen));
    chosen[name] = await freePort(wished[name]);
    while (taken.has(chosen[name])) chosen[name] = await freePort();
  }
  return chosen;
}

/** Resolves with true once the program is ready, with false when it has ended, the run stops, or the time limit passes. */
async function becomesReady(child, ports, run) {
  const deadline = Date.now() + READY_TIME_LIMIT_MS;
  while (child.isAlive() && !run.isStopping && Date.now() < deadline) {
    const answers = await Promise.all(ports.map((port) => isReady(port)));
    if (answers.every(Boolean)) return child.isAlive();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

async function isReady(port) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(3_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** The last twelve lines of a file of LOCAL_FOLDER; empty when there is no such file. */
export async function lastLines(name) {
  const text = await readFile(join(LOCAL_FOLDER, name), 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-12).join('\n');
}
