/** A MariaDB that is a node of a Galera cluster. */
export interface GaleraNode {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  isAlive(): boolean;
  /** Sends a signal to the node; SIGSTOP and SIGCONT pause and resume it. */
  signal(name: NodeJS.Signals): void;
  /** Kills the node (SIGKILL); its data stay. */
  kill(): Promise<void>;
  /** Stops the node, which leaves the cluster first. */
  end(): Promise<void>;
  /** Deletes the data of a node that is stopped, so that its next start copies another node. */
  loseDisk(): Promise<void>;
  /** Starts the node again; it joins the cluster. */
  start(): Promise<void>;
  /** Whether the node is a synchronized part of a cluster of at least `size` nodes. */
  isSynced(size?: number): Promise<boolean>;
  /** Cuts the node off from the other nodes but not from its clients; or connects it again. */
  isolate(isCutOff: boolean): Promise<void>;
  /** Resolves when `isSynced(size)` is true; rejects when the node ends, and after two minutes. */
  untilSynced(size: number): Promise<void>;
}

export interface GaleraCluster {
  readonly nodes: GaleraNode[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Stops all nodes and removes their files. */
  stop(): Promise<void>;
}

/**
 * Starts a throw-away cluster of three nodes, or `nodes`, on the loopback, and resolves when all are synchronized. With `certificate` (PEM)
 * the nodes offer TLS.
 */
export function startGalera(options?: {
  nodes?: number;
  certificate?: { key: string; cert: string };
}): Promise<GaleraCluster>;
