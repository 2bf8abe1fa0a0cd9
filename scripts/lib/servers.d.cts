/// <reference types="node" />

/** A program that this process started and that ends with it. */
export interface Child {
  readonly pid: number;
  /** Tells it from a later process with the same number. */
  readonly identity: string | undefined;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  isAlive(): boolean;
  /** Sends a signal to exactly this child, nothing once it is gone. SIGSTOP and SIGCONT pause and resume it. */
  signal(name: NodeJS.Signals): void;
  /** Ends it (SIGTERM, after a grace SIGKILL), waits until it is gone. May be called twice. */
  stop(): Promise<void>;
}

export interface ServerHandle extends Child {
  /** Ends it and leaves its files, for a later start with the same `dir`; stop() removes those of a throw-away server. */
  end(): Promise<void>;
  readonly dir: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

export interface MariadbHandle extends ServerHandle {
  /** `mysql://user:password@host:port/<database>` */
  databaseUrl(database: string): string;
}

export interface NatsHandle extends ServerHandle {
  /** `nats://user:password@host:port` */
  readonly url: string;
}

export interface ServerOptions {
  /** Where its files stay; without it a throw-away folder. */
  dir?: string;
  /** Kept over a restart; without it a random one. */
  password?: string;
  /** Whether stop() or the end of this process removes its files; by default when no `dir` was given. */
  throwAway?: boolean;
  /** Taken when free, else another one. */
  port?: number;
}

export interface ChildOptions {
  command: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Its output is added to this file; else it joins ours (`inherit`) or is dropped. */
  logFile?: string;
  inherit?: boolean;
  /** Folders that go with it when this process ends without stopping it. */
  removeIfOrphaned?: string[];
  graceMs?: number;
}

export function ensureServers(): Promise<{ mariadbd: string; installDb: string; natsServer: string }>;
export function startChild(options: ChildOptions): Promise<Child>;
export function startMariadb(options?: ServerOptions & { database?: string }): Promise<MariadbHandle>;
export function startNats(options?: ServerOptions): Promise<NatsHandle>;

/** The wished port when it is free on the loopback, else another one; nobody else gets it from here while we live. */
export function freePort(wished?: number): Promise<number>;
