import { connect } from 'node:net';
import { freePort } from '../../../../scripts/lib/servers.cjs';
import { waitUntil } from '../../../support/wait-until';
import { Program, type ProgramExit } from './program';

export const SERVICES = ['execution', 'router', 'schedule', 'webhook', 'console', 'gateway'] as const;
export type ServiceName = (typeof SERVICES)[number];

const READY_TIME_LIMIT_MS = 120_000;
const READY_POLL_INTERVAL_MS = 100;
const MAX_START_TRIES = 3;
/** Failed starts that an orchestrator would retry: the port was taken, or the database connection timed out. */
const RETRYABLE_START = /EADDRINUSE|ETIMEDOUT/;

/** One replica of a service; it keeps its address over kill() and startAgain(). */
export class ServiceProcess {
  private constructor(
    readonly name: ServiceName,
    private readonly port: number,
    private readonly program: Program,
  ) {}

  /** Starts a replica on a free port and waits until it is ready. */
  static async start(name: ServiceName, env: NodeJS.ProcessEnv): Promise<ServiceProcess> {
    const start = async (): Promise<[ServiceProcess]> => {
      const port = await freePort();
      const program = await Program.start(name, { ...env, PORT: String(port) });
      return [new ServiceProcess(name, port, program)];
    };
    return (await untilStarted(start))[0];
  }

  /**
   * Starts one replica of each service, all in one OS process, which starts in a third of the processor time of six. All of
   * them end when one is killed or stopped.
   */
  static startTogether(env: NodeJS.ProcessEnv): Promise<ServiceProcess[]> {
    return untilStarted(async () => {
      const ports = await Promise.all(SERVICES.map(async (name) => ({ name, port: await freePort() })));
      const portSettings = ports.map(({ name, port }) => [`${name.toUpperCase()}_PORT`, String(port)]);
      const program = await Program.start('all-in-one', { ...env, ...Object.fromEntries(portSettings) });
      return ports.map(({ name, port }) => new ServiceProcess(name, port, program));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.program.pid;
  }

  get isAlive(): boolean {
    return this.program.isAlive;
  }

  get exited(): Promise<ProgramExit> {
    return this.program.exited;
  }

  kill(): Promise<void> {
    return this.program.kill();
  }

  /** Ends the replica, which may be started again; `stop` ends it for good. */
  end(): Promise<void> {
    return this.program.end();
  }

  pause(): void {
    this.program.pause();
  }

  resume(): void {
    this.program.resume();
  }

  /** Starts the replica on its port and waits until it is ready. `env` overrides settings for this start only. */
  async startAgain(env: NodeJS.ProcessEnv = {}): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const before = (await this.log()).length;
      await this.program.startAgain(env);
      try {
        return await this.untilReady();
      } catch (error) {
        const log = (await this.log()).slice(before);
        if (attempt === MAX_START_TRIES || this.isAlive || !RETRYABLE_START.test(log)) throw error;
      }
    }
  }

  log(): Promise<string> {
    return this.program.log();
  }

  stop(): Promise<void> {
    return this.program.stop();
  }

  /** The result of the replica's readiness probe; throws when the replica is not reached or does not answer within ten seconds. */
  async isReady(): Promise<boolean> {
    const response = await fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
    return response.ok;
  }

  /** One metric of /metrics, summed over its labels; 0 when it is missing. */
  async readMetric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** Resolves when the replica is ready, or was killed by SIGKILL. Throws when it ends otherwise before, or is not ready within two minutes. */
  async untilReady(): Promise<void> {
    const ready = await waitUntil(
      `${this.name} is ready or gone`,
      async () => (this.isAlive ? (await this.isReachable()) && (await this.isReady()) && 'ready' : 'gone'),
      { timeoutMs: READY_TIME_LIMIT_MS, everyMs: READY_POLL_INTERVAL_MS },
    );
    // A replica with BATUTA_FAULT may reach its fault point before this method sees that it is ready.
    if (ready === 'ready' || (await this.exited).signal === 'SIGKILL') return;
    throw new Error(`${this.name} ended while starting:\n${(await this.log()).slice(-4_000)}`);
  }

  /** Whether the port is open. Connects without a request, because a failed fetch takes ten times the processor time. */
  private isReachable(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  }
}

/** Starts services and waits until they are ready; starts them again when another program has taken the port in the meantime. */
async function untilStarted<Services extends ServiceProcess[]>(start: () => Promise<Services>): Promise<Services> {
  for (let attempt = 1; ; attempt++) {
    const services = await start();
    try {
      for (const service of services) await service.untilReady();
      return services;
    } catch (error) {
      const [first] = services;
      const log = (await first?.log()) ?? '';
      await first?.stop();
      if (attempt === MAX_START_TRIES || !RETRYABLE_START.test(log)) throw error;
    }
  }
}
