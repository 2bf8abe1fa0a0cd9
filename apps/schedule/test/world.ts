import { schedule, type Firing, type ScheduleCreation, type ScheduleDraft } from '@batuta/contracts';
import { openStore, type Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { v7 as uuid } from 'uuid';
import { extendCallTimeLimits, LONG_STATEMENT_MS } from '../../../test/support/long-time-limits';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import { takeNatsUser } from '../../../test/support/servers';
import { serviceUserUrl } from '../../../test/support/service-users';
import { waitUntil } from '../../../test/support/wait-until';
import { createSchedule } from '../src/app';
import { readScheduleConfig } from '../src/config';
import { NominalClock } from '../src/nominal-clock';
import { startFakeExecution, type FakeExecution } from './fake-execution';
import type { RegisteredProcess } from './registry';

export interface ScheduleWorld {
  store: Store;
  /** The database of the replicas, for the user of the tests, who has all rights. */
  databaseURL: string;
  rpc: Rpc;
  execution: FakeExecution;
  metricsURL: string;
  /**
   * Sets the nominal clock of all replicas (ISO 8601 UTC), which then stands still. Resolves after the transactions that have read the
   * earlier time, so that a time of an earlier test finds no schedule of this test due.
   */
  setClock(instant: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts replicas of the schedule service with their own database and user of NATS, and a fake execution service. */
export async function startWorld({ replicas = 1, clock = '2026-11-20T12:00:00Z' } = {}): Promise<ScheduleWorld> {
  extendCallTimeLimits();
  const [database, natsURL] = await Promise.all([createMigratedDatabase(), takeNatsUser()]);
  const { app, fake } = await startFakeExecution(natsURL);
  const store = await openStore({ url: database.url, pool: 5, statementMs: LONG_STATEMENT_MS });
  const scheduleURL = await serviceUserUrl(database.url, 'schedule');
  const { frozenClock, setClock } = await createClock(store, clock, scheduleURL);
  const config = readScheduleConfig({
    DATABASE_URL: scheduleURL,
    NATS_URL: natsURL,
    LOG_LEVEL: 'silent',
    DATABASE_STATEMENT_MS: String(LONG_STATEMENT_MS),
    TICK_MS: '50',
    SWEEP_MS: '200',
    FIRING_RETENTION_DAYS: '36500',
  });
  const services = await Promise.all(Array.from({ length: replicas }, () => createSchedule(config, frozenClock)));
  const rpc = await Rpc.connect(natsURL, 'test');
  return {
    store,
    databaseURL: database.url,
    rpc,
    execution: fake,
    metricsURL: services[0]?.url ?? '',
    setClock,
    close: async () => {
      await rpc.close();
      await Promise.all(services.map((service) => service.close()));
      await app.close();
      await store.close();
      await database.drop();
    },
  };
}

/**
 * A clock that is a row. Its readers lock the row in share mode until their transaction ends, and the statement that sets the clock waits
 * for them.
 */
async function createClock(store: Store, instant: string, readerURL: string) {
  await store.write('CREATE TABLE test_clock (instant DATETIME(3) NOT NULL)');
  await store.write('INSERT INTO test_clock VALUES (?)', [new Date(instant)]);
  await store.write(`GRANT SELECT ON test_clock TO '${new URL(readerURL).username}'@'%'`);
  return {
    frozenClock: new NominalClock(() => '(SELECT instant FROM test_clock LOCK IN SHARE MODE)'),
    setClock: async (later: string) => {
      await store.write('UPDATE test_clock SET instant = ?', [new Date(later)]);
    },
  };
}

/** A request for a schedule of the process, by its owner unless `creatorID` says otherwise. */
export function creationRequest(
  { processID, ownerID }: RegisteredProcess,
  draft: Partial<ScheduleDraft> = {},
  creatorID = ownerID,
): ScheduleCreation {
  return {
    id: uuid(),
    deadline: Date.now() + 600_000,
    processID,
    creator: { accountID: creatorID, label: 'ERP' },
    executor: 'erp-key',
    draft: { name: 'Nightly', cronExpression: '0 9 * * *', active: true, ...draft },
  };
}

/** Creates a schedule of the process, by its owner unless `creatorID` says otherwise; returns its id. */
export async function addSchedule(
  { rpc }: ScheduleWorld,
  at: RegisteredProcess,
  draft: Partial<ScheduleDraft> = {},
  creatorID = at.ownerID,
): Promise<string> {
  return (await rpc.call(schedule.create, creationRequest(at, draft, creatorID))).id;
}

export async function firingsOf({ rpc }: ScheduleWorld, { ownerID }: RegisteredProcess, id: string): Promise<Firing[]> {
  return (await rpc.call(schedule.firings, { id, accountID: ownerID, limit: 500 })).firings;
}

/** Waits until the firings of a schedule, newest first, satisfy `holds`, and returns them. */
export function untilFirings(
  world: ScheduleWorld,
  at: RegisteredProcess,
  id: string,
  holds: (firings: Firing[]) => boolean,
): Promise<Firing[]> {
  return waitUntil(`firings of ${id}`, async () => {
    const firings = await firingsOf(world, at, id);
    return holds(firings) && firings;
  });
}

export const areSettled = (firings: Firing[]) =>
  firings.length > 0 && firings.every(({ result }) => result !== 'pending');
