/// <reference types="node" />

/** A program that this process started and that ends with it. */
export interface Child {
  readonly pid: number;
  /** Distinguishes the program from a later process with the same pid. */
  readonly identity: string | undefined;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  isAlive(): boolean;
  /** Sends a signal to this child unless it has ended. SIGSTOP and SIGCONT pause and resume it. */
  signal(name: NodeJS.Signals): void;
  /** Ends the program (SIGTERM, after a grace period SIGKILL) and waits for its end. May be called twice. */
  stop(): Promise<void>;
}

export interface ServerHandle extends Child {
  /** Ends the server but keeps its files for a later start with the same `dir`; stop() removes the files of a throw-away server. */
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
  /** With `keepTemplate`: a copy of the new data folder. */
  readonly template?: string;
}

export interface PostgresHandle extends ServerHandle {
  /** `postgres://user:password@host:port/postgres` */
  readonly url: string;
}

export interface NatsHandle extends ServerHandle {
  /** `nats://user:password@host:port` */
  readonly url: string;
  /** With `monitor`: the address of its monitoring, for example of `/varz`. */
  readonly monitorUrl?: string;
}

export interface ServerOptions {
  /** Folder of its files; without it a throw-away folder. */
  dir?: string;
  /** Password of the account; without it a random one. */
  password?: string;
  /** Whether stop() or the end of this process removes its files; by default when no `dir` was given. */
  throwAway?: boolean;
  /** Used if it is free, else another port. */
  port?: number;
}

export interface ChildOptions {
  command: string;
  args?: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Output is appended to this file, or goes to this process's output with `inherit`, or is dropped. */
  logFile?: string;
  inherit?: boolean;
  /** Folders to remove when this process ends without stopping the child. */
  removeIfOrphaned?: string[];
  /** Time from SIGTERM to SIGKILL; 15 s unless given. */
  graceMs?: number;
  /** The account that it runs as, if this process may choose. */
  account?: { uid?: number; gid?: number };
}

/** The paths of the programs of MariaDB and NATS; missing ones are installed. */
export function ensureServers(): Promise<{ mariadbd: string; installDb: string; natsServer: string }>;
/** Starts a program; rejects when it cannot be started. */
export function startChild(options: ChildOptions): Promise<Child>;
/** Starts a private MariaDB; resolves when its account can log in. */
export function startMariadb(
  options?: ServerOptions & {
    /** Created if it is missing. */
    database?: string;
    /** Copies the new data folder; `template` of the handle names the copy. */
    keepTemplate?: boolean;
    /** PEM; with it the server offers TLS. */
    certificate?: { key: string; cert: string };
    binaryLog?: boolean;
  },
): Promise<MariadbHandle>;
/** A throw-away PostgreSQL; the first call on a machine without it installs it. */
export function startPostgres(options?: { certificate?: { key: string; cert: string } }): Promise<PostgresHandle>;
/** The path of a Chromium; the first call on a machine without one installs it. */
export function ensureBrowser(options?: {
  find?: () => string | undefined;
  say?: (text: string) => void;
}): Promise<string>;
/** The path of Chromium's headless shell; undefined where Chromium was installed without it. */
export function findHeadlessShell(): string | undefined;
/** Starts a private NATS. `separateUsers` = number n of additional users `batuta1` to `batuta<n>`, each of which receives only its own messages. */
export function startNats(options?: ServerOptions & { separateUsers?: number; monitor?: boolean }): Promise<NatsHandle>;

/** `wished` if it is free on the loopback, else another free port. On Linux freePort gives the port to no other process while this process runs. */
export function freePort(wished?: number): Promise<number>;
