export interface ReplicationServer {
  readonly name: string;
  readonly port: number;
  /** The URL of the administrator. */
  readonly url: string;
  isAlive(): boolean;
  /** Kills the server (SIGKILL); its data stay. */
  kill(): Promise<void>;
  /** Starts the server again with the settings of this role. */
  start(role: 'primary' | 'replica'): Promise<void>;
  /** The last lines of its log. */
  log(): Promise<string>;
}

export interface Replication {
  /** mariadb-1 and mariadb-2. Both are read-only, and neither follows the other. */
  readonly servers: [ReplicationServer, ReplicationServer];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Stops both servers and removes their files. */
  stop(): Promise<void>;
}

/** Two throw-away servers on the loopback: the first with the settings of ops/replication for the primary, the second with those for the replica. */
export function startReplication(): Promise<Replication>;
