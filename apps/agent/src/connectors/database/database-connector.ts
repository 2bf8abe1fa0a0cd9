import { withTimeout } from '@batuta/async';
import { factsOf, renderText, type StepOf } from '@batuta/flow';
import { StepError, StoppedError } from '../../step-error';
import type { Connector, StepContext } from '../connector';
import { faultOf } from '../fault';
import { readConnection, type ConnectionTarget } from './connection-url';
import type { DatabaseSession, HostAndPort } from './driver';
import { loadDriver } from './load-driver';
import { prepareStatement, type AuthorStatement } from './prepare-statement';
import { RowCollector, type Cell } from './row-collector';
import { statementVerb } from './statement-verb';
import { StepLimits, StepTimeError } from './step-limits';

const DEFAULT_TIMEOUT_SECONDS = 30;
const DEFAULT_MAX_ROWS = 10_000;
/** The SQLSTATEs of a COMMIT that the server has refused: of a constraint, a conflict of transactions or a trigger. 40003 = it does not know. */
const REFUSED_COMMIT = /^(?!40003)(?:23|40|P0)\w{3}$/;
/** Time for the server to confirm that it cancelled a statement, or that it rolled back and logged out. */
const CLEAN_UP_TIME_LIMIT_MS = 5_000;

/** What the statements of a step have done so far; it becomes the automatic variables. */
interface DatabaseResult {
  rows: Record<string, Cell>[][];
  affectedRows: number;
  insertId: Cell;
}

/** Runs the SQL of a step on a connection of its own. */
export const databaseConnector: Connector<'database'> = {
  async run(step, execution) {
    const { scope, journal, effects } = execution;
    const target = readConnection(renderText(step.connection, scope.fieldView(), 'machine'));
    scope.hide(target.password);
    const connect = ({ host, port }: HostAndPort = target) => effects.hostAccess.openSocket(host, port);
    const begunAt = effects.monotonicNow();
    const limits = new StepLimits(connect, effects.control.signal, step.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS);
    try {
      const { rows, affectedRows } = await runStep(step, target, limits, execution);
      const took = effects.monotonicNow() - begunAt;
      const count = rows.reduce((sum, list) => sum + list.length, 0);
      await journal.info(
        `${target.dialect}: ${rows.length} statements gave ${count} rows and changed ${affectedRows}, in ${took} ms`,
      );
    } finally {
      limits.end();
    }
  },
};

async function runStep(
  step: StepOf<'database'>,
  target: ConnectionTarget,
  limits: StepLimits,
  execution: StepContext,
): Promise<DatabaseResult> {
  const driver = await loadDriver(target.dialect);
  const opened = limits.bound(driver.openSession(target, limits.openSocket));
  const session = await opened.catch((error: unknown) => {
    throw connectError(error, `cannot connect to the database at ${target.host}:${target.port}`);
  });
  let current: Promise<unknown> = Promise.resolve();
  const bound = <T>(work: Promise<T>): Promise<T> => {
    current = work;
    return limits.bound(work);
  };
  let mayBeCommitted = false;
  try {
    if (step.transaction) await bound(session.begin());
    const result = await runStatements(step, target, session, { bound, limits, execution });
    if (step.transaction) {
      await limits.bound(execution.effects.control.untilMayAct());
      mayBeCommitted = true;
      await bound(session.commit()).catch((error: unknown) => {
        mayBeCommitted = !isRefusal(error);
        return commitFailed(error);
      });
    }
    await cleanUp(session.end()).catch(() => undefined);
    return result;
  } catch (error) {
    if (limits.isOver) {
      // Waits for the end of the statement: later steps must not meet its locks.
      const cancelled = cleanUp(Promise.all([session.cancel(), current.catch(() => undefined)]));
      await cancelled.catch(() =>
        execution.journal.warning('the database did not confirm that it ended the statement'),
      );
      // Once a limit is reached, only the statement is worth a wait.
      void cleanUp(session.end()).catch(() => undefined);
    } else {
      await cleanUp(step.transaction ? rollBackAndEnd(session) : session.end()).catch(() => undefined);
    }
    // Without a COMMIT the statements changed nothing: `onError` must read no id of a row that does not exist.
    if (step.transaction && !mayBeCommitted) clearVariables(step, execution);
    throw toStepError(error, 'the database');
  }
}

/**
 * Runs the statements in order. After each one the result variables are set, so that the next statement can read them. A statement of a
 * suspended execution waits, as does its COMMIT, within the time of the step: an open transaction must not keep its locks for longer.
 */
async function runStatements(
  step: StepOf<'database'>,
  { dialect }: ConnectionTarget,
  session: DatabaseSession,
  use: { bound: <T>(work: Promise<T>) => Promise<T>; limits: StepLimits; execution: StepContext },
): Promise<DatabaseResult> {
  const { scope } = use.execution;
  const collector = new RowCollector(step.maxRows ?? DEFAULT_MAX_ROWS, (reason) => use.limits.abort(reason));
  const result: DatabaseResult = { rows: [], affectedRows: 0, insertId: null };
  for (const [index, statement] of statementsOf(step).entries()) {
    await use.limits.bound(use.execution.effects.control.untilMayAct());
    try {
      const prepared = prepareStatement(statement, dialect, scope.fieldView());
      const { affectedRows, insertId } = await use.bound(session.run(prepared, collector));
      const rows = collector.takeRows();
      result.rows.push(rows);
      result.affectedRows += affectedRows;
      if (insertId !== null) result.insertId = insertId;
      else if (statementVerb(statement.sql, dialect) === 'insert') result.insertId = firstCell(rows);
    } catch (error) {
      throw step.statements ? toStepError(error, `statement ${index + 1}`) : error;
    }
    setVariables(step, result, use.execution);
  }
  return result;
}

function statementsOf({ sql = '', params, statements }: StepOf<'database'>): readonly AuthorStatement[] {
  return statements ?? [{ sql, params }];
}

/** The first column of the first row: the id that an INSERT returns with RETURNING or OUTPUT. */
function firstCell([first = {}]: Record<string, Cell>[]): Cell {
  return Object.values(first)[0] ?? null;
}

function setVariables({ as, statements }: StepOf<'database'>, result: DatabaseResult, { scope }: StepContext): void {
  const [rows = []] = result.rows;
  if (as !== undefined) scope.setAutomatic(as, statements ? [...result.rows] : rows, 'open');
  const rowCount = result.rows.reduce((sum, list) => sum + list.length, 0);
  scope.setAutomatic('connector.rowCount', rowCount, 'open');
  scope.setAutomatic('connector.affectedRows', result.affectedRows, 'open');
  scope.setAutomatic('connector.insertId', result.insertId, 'open');
}

function clearVariables({ as }: StepOf<'database'>, { scope }: StepContext): void {
  if (as !== undefined) scope.setAutomatic(as, null, 'open');
  for (const name of factsOf('database').connector) scope.setAutomatic(`connector.${name}`, null, 'open');
}

/** A server that says nothing may be another program, or behind a firewall, so the message names its address. */
function connectError(error: unknown, what: string): Error {
  if (error instanceof StepTimeError) return new StepError(`${what}: no answer within ${error.seconds} s`);
  return toStepError(error, what);
}

/** Makes a StepError whose message begins with `what`. Returns a StepError or StoppedError unchanged. */
function toStepError(error: unknown, what: string): Error {
  if (error instanceof StepError || error instanceof StoppedError) return error;
  return new StepError(`${what}: ${faultOf(error).reason}`, null, true);
}

/** Whether the server has answered a COMMIT with the error of a transaction that it has rolled back. */
function isRefusal(error: unknown): boolean {
  const { code, sqlState = code }: { code?: unknown; sqlState?: unknown } = Object(error);
  return typeof sqlState === 'string' && REFUSED_COMMIT.test(sqlState);
}

function commitFailed(error: unknown): never {
  if (error instanceof StepTimeError) {
    throw new StepError(
      `the database did not confirm COMMIT within ${error.seconds} s, so the changes may have taken effect`,
    );
  }
  if (isRefusal(error)) throw toStepError(error, 'the database refused COMMIT and rolled the transaction back');
  throw toStepError(error, 'COMMIT failed, and if the connection was lost, the changes may have taken effect');
}

async function rollBackAndEnd(session: DatabaseSession): Promise<void> {
  await session.rollback().catch(() => undefined);
  await session.end();
}

function cleanUp<T>(work: Promise<T>): Promise<T> {
  return withTimeout(work, CLEAN_UP_TIME_LIMIT_MS, () => new Error('the database did not answer'));
}
