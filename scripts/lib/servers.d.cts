/// <reference types="node" />

/** A program that this process started and that ends with it. */
export interface Child {
  readonly pid: number;
  /** Distinguishes it from a later process with its pid. */
  readonly identity: string | undefined;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  isAlive(): boolean;
  /** Sends a signal to exactly this child, none after its end. SIGSTOP and SIGCONT pause and resume it. */
  signal(name: NodeJS.Signals): void;
  /** Ends it (SIGTERM, SIGKILL after a grace period) and waits for its end. May be called twice. */
  stop(): Promise<void>;
}

export interface ServerHandle extends Child {
  /** Ends it and keeps its files for a later start with the same `dir`; stop() removes those of a throw-away server. */
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
  /** The folder of its files; a throw-away folder if absent. */
  dir?: string;
  /** Kept across a restart; random if absent. */
  password?: string;
  /** Whether stop() or the end of this process removes its files; by default when no `dir` was given. */
  throwAway?: boolean;
  /** Used if free; otherwise another port. */
  port?: number;
}

export interface ChildOptions {
  command: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Its output is appended to this file; without it the output is inherited (`inherit`) or dropped. */
  logFile?: string;
  inherit?: boolean;
  /** Folders that are removed if this process ends without stopping the child. */
  removeIfOrphaned?: string[];
  graceMs?: number;
}

export function ensureServers(): Promise<{ mariadbd: string; installDb: string; natsServer: string }>;
export function startChild(options: ChildOptions): Promise<Child>;
export function startMariadb(options?: ServerOptions & { database?: string }): Promise<MariadbHandle>;
export function startNats(options?: ServerOptions): Promise<NatsHandle>;

/** The preferred port if it is free on the loopback interface, else another; given to no other process while this one lives. */
export function freePort(wished?: number): Promise<number>;
