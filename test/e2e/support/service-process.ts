import { freePort } from '../../../scripts/lib/servers.cjs';
import { waitUntil } from '../../support/wait-until';
import { Program, type Exit } from './program';

export const SERVICES = ['execution', 'router', 'schedule', 'webhook', 'console', 'gateway'] as const;
export type ServiceName = (typeof SERVICES)[number];

const READY_MS = 120_000;
/** Each look at a closed port costs jest a millisecond or more, which the starting program lacks. */
const READY_POLL_MS = 50;
const START_TRIES = 3;
/** Failed starts that an orchestrator would retry: the port was taken, or the database connection timed out. */
const RETRYABLE_START = /EADDRINUSE|ETIMEDOUT/;

/** One replica of a service; it keeps its address over kill() and startAgain(). */
export class ServiceProcess {
  private constructor(
    readonly name: ServiceName,
    readonly url: string,
    private readonly program: Program,
  ) {}

  /** Starts it on a free port and waits until it is ready. */
  static async start(name: ServiceName, env: NodeJS.ProcessEnv): Promise<ServiceProcess> {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const program = await Program.start(name, { ...env, PORT: String(port) });
      const service = new ServiceProcess(name, `http://127.0.0.1:${port}`, program);
      try {
        await service.untilReady();
        return service;
      } catch (error) {
        const log = await program.log();
        await program.stop();
        if (attempt === START_TRIES || !RETRYABLE_START.test(log)) throw error;
      }
    }
  }

  get pid(): number | undefined {
    return this.program.pid;
  }

  get isAlive(): boolean {
    return this.program.isAlive;
  }

  get exited(): Promise<Exit> {
    return this.program.exited;
  }

  kill(): Promise<void> {
    return this.program.kill();
  }

  end(): Promise<void> {
    return this.program.end();
  }

  pause(): void {
    this.program.pause();
  }

  resume(): void {
    this.program.resume();
  }

  async startAgain(env: NodeJS.ProcessEnv = {}): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const before = (await this.log()).length;
      await this.program.startAgain(env);
      try {
        return await this.untilReady();
      } catch (error) {
        const log = (await this.log()).slice(before);
        if (attempt === START_TRIES || this.isAlive || !RETRYABLE_START.test(log)) throw error;
      }
    }
  }

  log(): Promise<string> {
    return this.program.log();
  }

  stop(): Promise<void> {
    return this.program.stop();
  }

  async isReady(): Promise<boolean> {
    const response = await fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
    return response.ok;
  }

  /** One metric of /metrics, summed over its labels; 0 when it is missing. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  private async untilReady(): Promise<void> {
    const ready = await waitUntil(
      `${this.name} is ready or gone`,
      async () => (this.isAlive ? (await this.isReady()) && 'ready' : 'gone'),
      { timeoutMs: READY_MS, everyMs: READY_POLL_MS },
    );
    // A replica with BATUTA_FAULT may reach its fault point before this sees that it is ready.
    if (ready === 'ready' || (await this.exited).signal === 'SIGKILL') return;
    throw new Error(`${this.name} ended while starting:\n${(await this.log()).slice(-4_000)}`);
  }
}
