import { currentTenant } from '@batuta/logging';
import { certificateEnd } from '@batuta/network';
import { ConnectionQueue } from './connection-queue';
import {
  awayError,
  cutOff,
  databaseErrorCode,
  failWith,
  isFailedTls,
  isRefusedPassword,
  isUnfitServer,
  type ResultCallback,
  type DriverConnection,
  type DriverPool,
} from './driver';
import type { PoolState, PoolWatcher } from './pool-state';
import { withholdValues } from './withhold-values';

/** Maximum number of callers that wait for a connection: it bounds the memory that a hanging database costs. */
const MAX_WAITING_CALLERS = 1_000;

export interface PoolLimits {
  /** Maximum number of connections. */
  connections: number;
  /** A connection whose server is silent for this long during a statement is destroyed. */
  statementMs: number;
  /** The longest wait for a connection, in milliseconds. */
  waitMs: number;
  /** Maximum number of callers that wait for a connection; default: MAX_WAITING_CALLERS. */
  maxWaiting?: number;
}

/** A statement that prepares a new connection; a connection on which it fails is destroyed. */
export interface SessionStatement {
  sql: string;
  /** Whether a connection is also used if its server does not know the variable of the statement. */
  mayLackVariable?: boolean;
}

interface PooledConnectionState {
  inUse: boolean;
  /** The tenant for whom the connection is in use. */
  tenant: string | undefined;
  /** The time at which a caller took the connection, on the monotonic clock. */
  takenAt: number;
  statementMs: number;
  /** Whether the connection must be destroyed when it is released. */
  stale: boolean;
}

/** A caller that asks for a connection. */
interface ConnectionRequest {
  /** Undefined for work that serves several tenants, such as a batch. */
  tenant: string | undefined;
  done: ResultCallback<DriverConnection>;
  /** The time limit of its statements. */
  statementMs: number;
}

interface WaitingRequest extends ConnectionRequest {
  timer: NodeJS.Timeout;
  /** Milliseconds of the monotonic clock. */
  since: number;
}

/**
 * A connection pool with time limits for statements and for waits: when a server has vanished without closing its
 * connections, a statement fails after `statementMs` instead of after TCP's quarter of an hour. The idle timer of the socket measures
 * this limit, at no cost per statement. When one connection is silent, all connections are replaced, because they lead to the same
 * machine. Each tenant has a share of the connections, and tenants that wait for a connection take turns.
 */
export class BoundedPool {
  private readonly states = new Map<DriverConnection, PooledConnectionState>();
  private readonly waiting: ConnectionQueue<WaitingRequest>;
  /** Connections in use and connections that are being opened. */
  private busy = 0;
  private closed = false;
  private watcher: PoolWatcher | undefined;
  private certificateEnd: number | undefined;

  constructor(
    private readonly pool: DriverPool,
    private readonly limits: PoolLimits,
    private readonly sessionStatements: readonly SessionStatement[],
  ) {
    this.waiting = new ConnectionQueue(limits.connections, limits.maxWaiting ?? MAX_WAITING_CALLERS);
    pool.on('connection', (connection) => this.prepare(connection));
    pool.on('release', (connection) => this.onReleased(connection));
  }

  /** Sets the watcher; a watcher that was set before gets no further calls. */
  watch(watcher: PoolWatcher): void {
    this.watcher = watcher;
  }

  get state(): PoolState {
    const { busy, certificateEnd: end } = this;
    return { limit: this.limits.connections, busy, waiting: this.waiting.size, certificateEnd: end };
  }

  /** Runs one statement on a connection of its own. */
  query<Result>(sql: string, parameters: unknown[], done: ResultCallback<Result>, statementMs?: number): void {
    this.getConnection((error, connection) => {
      if (error) return failWith(done, error);
      try {
        connection.query<Result>(sql, parameters, (fault, result) => {
          this.release(connection, fault);
          done(fault, result);
        });
      } catch (fault) {
        connection.release();
        failWith(done, fault);
      }
    }, statementMs);
  }

  /** `statementMs` replaces the pool's time limit of statements until the connection is released. */
  getConnection(done: ResultCallback<DriverConnection>, statementMs = this.limits.statementMs): void {
    const request = { tenant: currentTenant(), done, statementMs };
    if (this.closed) failWith(done, awayError('POOL_CLOSED', 'Pool is closed.'));
    else if (this.hasRoom && this.waiting.mayTake(request.tenant)) this.take(request);
    else this.wait(request);
  }

  /** Releases a connection. After an error of a server that must not be used, destroys it instead and replaces all others. */
  release(connection: DriverConnection, error: unknown): void {
    if (error && isUnfitServer(error)) {
      this.discard(connection);
      this.renew();
    } else connection.release();
  }

  /** Closes a connection at once and drops its unsent bytes, so that a COMMIT that timed out cannot arrive later. */
  discard(connection: DriverConnection): void {
    const state = this.states.get(connection);
    if (!state) return;
    // Deleted first, because the failure of its statements may lead to a second call of this function.
    this.states.delete(connection);
    cutOff(connection, awayError('PROTOCOL_CONNECTION_LOST', 'The connection was discarded.'));
    connection.destroy();
    this.endUse(state);
  }

  /** Replaces every connection: idle ones now, those in use when they are released. */
  renew(): void {
    for (const [connection, state] of this.states) {
      if (state.inUse) state.stale = true;
      else this.discard(connection);
    }
  }

  /** Refuses the callers that wait, and closes the connections; those in use are cut after the time limit of a statement. */
  end(done: (error: unknown) => void): void {
    this.closed = true;
    for (const { done: refuse, timer } of this.waiting.removeAll()) {
      clearTimeout(timer);
      failWith(refuse, awayError('POOL_CLOSED', 'Pool is closed.'));
    }
    let ended = false;
    const finish = () => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      for (const { stream } of this.states.keys()) stream.destroy();
      done(undefined);
    };
    const timer = setTimeout(finish, this.limits.statementMs);
    // The driver calls back before it logs out of the server, with an error if a connection could not be opened meanwhile.
    this.pool.end(() => setImmediate(finish));
  }

  private get hasRoom(): boolean {
    return this.busy < this.limits.connections;
  }

  private take({ tenant, done, statementMs }: ConnectionRequest): void {
    this.busy += 1;
    this.waiting.recordTake(tenant);
    this.pool.getConnection((error, connection) => {
      const state = error ? undefined : this.states.get(connection);
      if (!state) {
        this.recordRelease(tenant);
        if (isRefusedPassword(error)) this.watcher?.passwordRefused(error);
        if (isFailedTls(error)) this.watcher?.tlsFailed(error);
        failWith(done, error ?? awayError('PROTOCOL_CONNECTION_LOST', 'The connection was lost.'));
        this.serveWaiting();
        return;
      }
      state.inUse = true;
      state.tenant = tenant;
      state.takenAt = performance.now();
      if (state.statementMs !== statementMs) {
        state.statementMs = statementMs;
        connection.stream.setTimeout(statementMs);
      }
      done(null, connection);
    });
  }

  private recordRelease(tenant: string | undefined): void {
    this.busy -= 1;
    this.waiting.recordRelease(tenant);
  }

  private wait(request: ConnectionRequest): void {
    const timer = setTimeout(() => this.refuseLate(waiting), this.limits.waitMs);
    const waiting: WaitingRequest = { ...request, timer, since: performance.now() };
    const refused = this.waiting.add(waiting);
    if (refused) this.refuse(refused, 'Too many wait for a connection.');
  }

  private prepare(connection: DriverConnection): void {
    const { statementMs } = this.limits;
    const state = {
      inUse: false,
      tenant: undefined,
      takenAt: performance.now(),
      statementMs,
      stale: false,
    };
    this.states.set(connection, state);
    this.certificateEnd = certificateEnd(connection.stream) ?? this.certificateEnd;
    withholdValues(connection);
    connection.on('end', () => this.onConnectionLost(connection));
    connection.on('error', () => this.onConnectionLost(connection));
    connection.stream.setTimeout(statementMs);
    connection.stream.on('timeout', () => this.checkSilence(connection, state));
    for (const { sql, mayLackVariable = false } of this.sessionStatements) {
      connection.query(sql, (error) => {
        const isTolerated = mayLackVariable && databaseErrorCode(error) === 'ER_UNKNOWN_SYSTEM_VARIABLE';
        if (error && !isTolerated) this.discard(connection);
      });
    }
  }

  private checkSilence(connection: DriverConnection, state: PooledConnectionState): void {
    const { stream } = connection;
    if (!state.inUse) return;
    // The limit applies only to a statement in progress: the server itself ends an idle transaction after ten seconds.
    const waits = Reflect.get(connection, '_command') !== undefined;
    if (!waits || performance.now() - state.takenAt < state.statementMs) {
      stream.setTimeout(state.statementMs);
      return;
    }
    const { bytesRead } = stream;
    // After a pause of this process a reply may already be in the socket's buffer; it is read before setImmediate runs.
    setImmediate(() => {
      if (!state.inUse || stream.bytesRead !== bytesRead) return;
      cutOff(
        connection,
        awayError('PROTOCOL_SEQUENCE_TIMEOUT', `The database was silent for ${state.statementMs} ms.`),
      );
      this.renew();
    });
  }

  private onReleased(connection: DriverConnection): void {
    const state = this.states.get(connection);
    if (state?.stale) this.discard(connection);
    else if (state) this.endUse(state);
  }

  private onConnectionLost(connection: DriverConnection): void {
    const state = this.states.get(connection);
    if (!state) return;
    this.states.delete(connection);
    this.endUse(state);
  }

  private endUse(state: PooledConnectionState): void {
    if (!state.inUse) return;
    state.inUse = false;
    this.recordRelease(state.tenant);
    this.serveWaiting();
  }

  private serveWaiting(): void {
    while (this.hasRoom) {
      const waiting = this.waiting.next();
      if (!waiting) return;
      clearTimeout(waiting.timer);
      this.watcher?.waited(performance.now() - waiting.since);
      this.take(waiting);
    }
  }

  private refuseLate(waiting: WaitingRequest): void {
    this.waiting.remove(waiting);
    this.refuse(waiting, 'No connection to the database became free in time.');
  }

  private refuse({ done, timer }: WaitingRequest, message: string): void {
    clearTimeout(timer);
    this.watcher?.refused();
    failWith(done, awayError('ETIMEDOUT', message));
  }
}
