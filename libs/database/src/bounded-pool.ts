import { TLSSocket } from 'node:tls';
import { asError, isUnfitServer, type Callback, type Connection, type DriverPool } from './driver';

/** Longest wait for a connection, and maximum number of waiting callers, so that a hanging database costs little memory. */
const WAIT_MS = 3_000;
const MAX_WAITING = 1_000;

export interface PoolLimits {
  /** Maximum number of connections. */
  connections: number;
  /** A connection in use whose server is silent for this long is destroyed. */
  statementMs: number;
  waitMs?: number;
  maxWaiting?: number;
}

interface ConnectionState {
  inUse: boolean;
  /** The time at which a caller took it, on the monotonic clock. */
  takenAt: number;
  statementMs: number;
  /** True when it is to be destroyed at its release. */
  stale: boolean;
  discarded: boolean;
}

interface WaitingRequest {
  done: Callback<Connection>;
  statementMs: number;
  timer: NodeJS.Timeout;
}

/**
 * A pool whose statements and waits end: a server that vanished without closing its connections fails a statement after
 * `statementMs` instead of after TCP's quarter of an hour. The limit is the idle timer of the socket, which costs nothing per
 * statement. One silent connection renews all others, because they lead to the same machine.
 */
export class BoundedPool {
  private readonly states = new Map<Connection, ConnectionState>();
  /** Waiting callers in the order of arrival. */
  private readonly waiting = new Set<WaitingRequest>();
  /** Connections in use and connections that are being opened. */
  private busy = 0;
  private closed = false;

  constructor(
    private readonly pool: DriverPool,
    private readonly limits: PoolLimits,
    private readonly sessionStatements: readonly string[],
  ) {
    pool.on('connection', (connection) => this.prepare(connection));
    pool.on('release', (connection) => this.released(connection));
  }

  /** Runs one statement on a connection of its own. */
  query<Result>(sql: string, parameters: unknown[], done: Callback<Result>, statementMs?: number): void {
    this.getConnection((error, connection) => {
      if (error) return failWith(done, error);
      try {
        connection.query<Result>(sql, parameters, (fault, result) => {
          this.giveBack(connection, fault);
          done(fault, result);
        });
      } catch (fault) {
        connection.release();
        failWith(done, fault);
      }
    }, statementMs);
  }

  /** `statementMs` replaces the pool's time limit of statements until the connection is released. */
  getConnection(done: Callback<Connection>, statementMs = this.limits.statementMs): void {
    const { waitMs = WAIT_MS, maxWaiting = MAX_WAITING } = this.limits;
    if (this.closed) failWith(done, awayError('POOL_CLOSED', 'Pool is closed.'));
    else if (this.hasRoom) this.take(done, statementMs);
    else if (this.waiting.size >= maxWaiting) failWith(done, awayError('ETIMEDOUT', 'Too many wait for a connection.'));
    else {
      const waiting: WaitingRequest = { done, statementMs, timer: setTimeout(() => this.expire(waiting), waitMs) };
      this.waiting.add(waiting);
    }
  }

  /** Releases a connection, or destroys it after an error of a server that must not be used. */
  giveBack(connection: Connection, error: unknown): void {
    if (error && isUnfitServer(error)) {
      this.discard(connection);
      this.renew();
    } else connection.release();
  }

  /** Closes a connection at once. What it has not sent is never sent, so that a COMMIT that timed out cannot arrive later. */
  discard(connection: Connection): void {
    const state = this.states.get(connection);
    // Failing the statements may call this function again.
    if (!state || state.discarded) return;
    state.discarded = true;
    cutOff(connection, awayError('PROTOCOL_CONNECTION_LOST', 'The connection was discarded.'));
    connection.destroy();
    this.lost(connection);
  }

  /** Replaces every connection: idle ones now, those in use when they are released. */
  renew(): void {
    for (const [connection, state] of this.states) {
      if (state.inUse) state.stale = true;
      else this.discard(connection);
    }
  }

  end(done: (error: unknown) => void): void {
    this.closed = true;
    for (const { done: refuse, timer } of this.waiting) {
      clearTimeout(timer);
      failWith(refuse, awayError('POOL_CLOSED', 'Pool is closed.'));
    }
    this.waiting.clear();
    let ended = false;
    const finish = () => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      for (const { stream } of this.states.keys()) stream.destroy();
      done(undefined);
    };
    const timer = setTimeout(finish, this.limits.statementMs);
    // The driver calls back before it says goodbye to the server, with an error if a connection could not be opened meanwhile.
    this.pool.end(() => setImmediate(finish));
  }

  private get hasRoom(): boolean {
    return this.busy < this.limits.connections;
  }

  private take(done: Callback<Connection>, statementMs: number): void {
    this.busy += 1;
    this.pool.getConnection((error, connection) => {
      const state = error ? undefined : this.states.get(connection);
      if (!state) {
        this.busy -= 1;
        failWith(done, error ?? awayError('PROTOCOL_CONNECTION_LOST', 'The connection was lost.'));
        this.serve();
        return;
      }
      state.inUse = true;
      state.takenAt = performance.now();
      if (state.statementMs !== statementMs) {
        state.statementMs = statementMs;
        connection.stream.setTimeout(statementMs);
      }
      done(null, connection);
    });
  }

  private prepare(connection: Connection): void {
    const { statementMs } = this.limits;
    const state = { inUse: false, takenAt: performance.now(), statementMs, stale: false, discarded: false };
    this.states.set(connection, state);
    connection.on('end', () => this.lost(connection));
    connection.on('error', () => this.lost(connection));
    connection.stream.setTimeout(statementMs);
    connection.stream.on('timeout', () => this.checkSilence(connection, state));
    for (const statement of this.sessionStatements) {
      connection.query(statement, (error) => {
        if (error) this.discard(connection);
      });
    }
  }

  private checkSilence(connection: Connection, state: ConnectionState): void {
    const { stream } = connection;
    if (!state.inUse) return;
    // Without a statement in progress there is no limit here: the server ends an idle transaction after ten seconds.
    const waits = Reflect.get(connection, '_command') !== undefined;
    if (!waits || performance.now() - state.takenAt < state.statementMs) {
      stream.setTimeout(state.statementMs);
      return;
    }
    const { bytesRead } = stream;
    // After a pause of this process the reply may be in the socket's buffer; it is read before setImmediate runs.
    setImmediate(() => {
      if (!state.inUse || stream.bytesRead !== bytesRead) return;
      cutOff(
        connection,
        awayError('PROTOCOL_SEQUENCE_TIMEOUT', `The database was silent for ${state.statementMs} ms.`),
      );
      this.renew();
    });
  }

  private released(connection: Connection): void {
    const state = this.states.get(connection);
    if (!state?.inUse) return;
    state.inUse = false;
    this.busy -= 1;
    if (state.stale) this.discard(connection);
    this.serve();
  }

  private lost(connection: Connection): void {
    const state = this.states.get(connection);
    if (!state) return;
    this.states.delete(connection);
    if (!state.inUse) return;
    state.inUse = false;
    this.busy -= 1;
    this.serve();
  }

  private serve(): void {
    for (const waiting of this.waiting) {
      if (!this.hasRoom) return;
      this.waiting.delete(waiting);
      clearTimeout(waiting.timer);
      this.take(waiting.done, waiting.statementMs);
    }
  }

  private expire(waiting: WaitingRequest): void {
    this.waiting.delete(waiting);
    failWith(waiting.done, awayError('ETIMEDOUT', 'No connection to the database became free in time.'));
  }
}

/** Calls back with an error; the driver's callbacks read a result only without one. */
function failWith<Result>(done: Callback<Result>, error: unknown): void {
  Reflect.apply(done, undefined, [asError(error)]);
}

/** Fails the connection's statements with the error, and sends a reset instead of what is still unsent. */
function cutOff({ stream }: Connection, error: Error): void {
  if (stream.destroyed) return;
  // The reset comes before the error: on the error the driver ends the socket, an ended socket is not reset, and the operating
  // system would still send its unsent bytes once packets arrive again.
  if (stream instanceof TLSSocket) stream.destroy();
  else stream.resetAndDestroy();
  stream.emit('error', error);
}

function awayError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, fatal: true });
}
