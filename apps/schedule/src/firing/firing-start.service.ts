import { setTimeout as sleep } from 'node:timers/promises';
import { ByteBudget, ByteRate, jsonWeight } from '@batuta/async';
import { execution, type StartRequest } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { JsonThread, THREAD_WEIGHT } from '@batuta/json';
import { Rpc } from '@batuta/messaging';
import { faultPoint, withRequestID, withTrace } from '@batuta/observability';
import { isTracing, startTrace } from '@batuta/tracing';
import { Injectable } from '@nestjs/common';
import { NominalClock, type ClockReading } from '../nominal-clock';
import { findScheduleFacts, type ScheduleFacts } from '../processes/process.repository';
import { AcceptedStartWriter } from './accepted-start-writer';
import {
  acceptedResult,
  ATTEMPT_LEASE_MS,
  ATTEMPT_TIMEOUT_MS,
  CREATOR_MAY_NOT_SCHEDULE,
  pauseAfterFiringAttempt,
  unconfirmedResult,
  type FiringAttemptResult,
} from './attempt-result';
import { findStartSettings, findStartValues, type StartSettings } from './due-schedule.repository';
import { FiringMetrics } from './firing.metrics';
import {
  leasePendingFirings,
  renewFiringLease,
  returnLeases,
  saveAttemptResult,
  type LeasedFiring,
  type ReturnedLease,
} from './firing.repository';

/** Small enough that other starts of the same company, which share its batches at execution, do not wait long behind many firings. */
const FIRING_BATCH_SIZE = 32;
/**
 * Batches whose starts may be in flight at the same time, because execution commits starts of several batches together.
 */
const MAX_BATCHES_IN_FLIGHT = 2;

/** Largest memory of parsed values, in bytes per byte of their JSON; they are in memory until the request is written. */
const PARSED_BYTES_PER_JSON_BYTE = 20;
/** Memory of a request's text, per byte of JSON, until execution has replied. */
const REQUEST_BYTES_PER_JSON_BYTE = 3;
/**
 * Memory limits, at each replica, of firings with large values. They allow parsing three values of 1 MB at a time, two of them of one
 * company, and more once the requests are sent.
 */
const IN_FLIGHT_LIMITS = { totalBytes: 64 * 1024 * 1024, perTenantBytes: 42 * 1024 * 1024 };
/**
 * Rate limit, at each replica, of the large variable values that the firings of one company send to execution: the services that convert
 * and store them work for all companies.
 */
const VALUES_RATE = { bytesPerSecond: 1024 * 1024, burstBytes: 4 * 1024 * 1024 };
/**
 * Longest wait of a leased firing for its rate limit, and again for memory. The lease of a firing that would wait longer is returned, so that
 * firings of other companies proceed.
 */
const MAX_BUDGET_WAIT_MS = 1_000;

const PROCESS_DELETED: FiringAttemptResult = {
  result: 'failed',
  reason: { code: 'PROCESS_NOT_FOUND', message: 'The process was deleted.' },
};

interface FiringAttempt extends ClockReading {
  firing: LeasedFiring;
  schedule: StartSettings | undefined;
  facts: ScheduleFacts | undefined;
  /** How long the attempt must wait until VALUES_RATE admits the large values of its schedule. */
  waitMs: number;
}

interface EndedAttempt {
  outcome: FiringAttemptResult;
  /** Time from the nominal time to the attempt. */
  delayMs: number;
}

/**
 * Asks execution to start pending firings until each has a final result. The id of the instance is stored with the firing,
 * so that any number of attempts by any replica starts one instance (interpretation 39).
 */
@Injectable()
export class FiringStartService {
  /** Memory of the large values of firings, by company. */
  private readonly largeValuesMemory = new ByteBudget(IN_FLIGHT_LIMITS);
  private readonly rate = new ByteRate(VALUES_RATE);

  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly clock: NominalClock,
    private readonly accepted: AcceptedStartWriter,
    private readonly metrics: FiringMetrics,
    private readonly jsonThread: JsonThread,
  ) {}

  /**
   * Attempts every pending firing whose pause is over, until an attempt throws or `isStopping` returns true. Waits for all attempts that it
   * began, then throws their first error; a refused start is a result and no error.
   */
  async startPending(isStopping: () => boolean): Promise<void> {
    const inFlight = new Set<Promise<void>>();
    const failed: Promise<void>[] = [];
    try {
      while (!isStopping() && failed.length === 0) {
        const attempts = await this.leaseBatch();
        const batch = this.attemptAll(attempts);
        const ended = batch.catch(() => void failed.push(batch)).finally(() => inFlight.delete(ended));
        inFlight.add(ended);
        if (attempts.length < FIRING_BATCH_SIZE) break;
        if (inFlight.size >= MAX_BATCHES_IN_FLIGHT) await Promise.race(inFlight);
      }
    } finally {
      await Promise.all(inFlight);
    }
    await failed[0];
  }

  private async attemptAll(attempts: FiringAttempt[]): Promise<void> {
    const { inTurn, postponed } = this.takeTurns(attempts);
    await Promise.all([
      returnLeases(this.store, postponed),
      ...inTurn.map((attempt) => withRequestID(undefined, () => this.attempt(attempt))),
    ]);
  }

  /**
   * Counts the bytes of large values against the rate limit of their company. A firing that the limit does not admit soon is postponed until its
   * turn, which comes after the firings of the company that were postponed before it in the same batch. Thus hardly any firing is leased and then
   * not started.
   */
  private takeTurns(attempts: FiringAttempt[]): { inTurn: FiringAttempt[]; postponed: ReturnedLease[] } {
    const inTurn: FiringAttempt[] = [];
    const postponed: ReturnedLease[] = [];
    const postponedBytes = new Map<string, number>();
    for (const attempt of attempts) {
      const { firing, schedule, facts } = attempt;
      if (!facts || schedule?.matrix !== null || skipReason(attempt)) {
        inTurn.push(attempt);
        continue;
      }
      const { companyID } = facts;
      const waitMs = this.rate.take(companyID, schedule.matrix_bytes, MAX_BUDGET_WAIT_MS);
      if (waitMs !== undefined) {
        inTurn.push({ ...attempt, waitMs });
        continue;
      }
      const bytesBefore = postponedBytes.get(companyID) ?? 0;
      postponedBytes.set(companyID, bytesBefore + schedule.matrix_bytes);
      postponed.push({ firing, pauseMs: this.rate.waitMs(companyID, bytesBefore) });
    }
    return { inTurn, postponed };
  }

  private async leaseBatch(): Promise<FiringAttempt[]> {
    return this.store.transaction(async (tx) => {
      const reading = await this.clock.read(tx);
      const until = new Date(reading.real.getTime() + ATTEMPT_LEASE_MS);
      const firings = await leasePendingFirings(tx, reading.real, until, FIRING_BATCH_SIZE);
      if (firings.length === 0) return [];
      const ids = firings.map((firing) => firing.schedule_id);
      const [found, facts] = await Promise.all([findStartSettings(tx, ids), findScheduleFacts(tx, ids)]);
      const schedules = new Map(found.map((schedule) => [schedule.schedule_id, schedule]));
      return firings.map((firing) => {
        const id = firing.schedule_id;
        return { firing, schedule: schedules.get(id), facts: facts.get(id), waitMs: 0, ...reading };
      });
    });
  }

  private async attempt(attempt: FiringAttempt): Promise<void> {
    const { schedule_id: scheduleID, nominal_at: nominalAt, attempts } = attempt.firing;
    const attributes = {
      'batuta.schedule.id': scheduleID,
      'batuta.firing.nominal_time': nominalAt.toISOString(),
      'batuta.firing.attempt': attempts,
    };
    const span = isTracing() ? startTrace({ name: 'firing', attributes }) : undefined;
    if (!span) return this.attemptNow(attempt);
    await withTrace(span.trace, () => this.attemptNow(attempt)).finally(() => span.end());
  }

  private async attemptNow(attempt: FiringAttempt): Promise<void> {
    const { firing } = attempt;
    const ended = await this.start(attempt);
    faultPoint('schedule:after-start');
    if (!ended) return;
    const { outcome, delayMs } = ended;
    const accepted = !('reason' in outcome);
    const saved = accepted
      ? await this.accepted.save({ ...firing, result: outcome.result })
      : await saveAttemptResult(this.store, firing, outcome, pauseAfterFiringAttempt(firing.attempts));
    if (!saved || outcome.result === 'pending') return;
    this.metrics.recordResult(outcome.result, 1, accepted ? delayMs : undefined);
  }

  /** Attempts a firing. Undefined when nothing was attempted, for example because its large values found no room in time. */
  private async start(attempt: FiringAttempt): Promise<EndedAttempt | undefined> {
    const { firing, schedule, facts, now, real, waitMs } = attempt;
    const delayMs = delayAfterNominal(firing, now);
    if (!schedule || !facts) return { outcome: PROCESS_DELETED, delayMs };
    const reason = skipReason(attempt);
    if (reason) return { outcome: { result: 'skipped', reason }, delayMs };
    try {
      if (waitMs > 0) await sleep(waitMs);
      if (schedule.matrix === null) return await this.startLarge(firing, schedule, facts);
      const matrix: Record<string, unknown> = JSON.parse(schedule.matrix);
      await this.send(toStartRequest(firing, schedule, facts, { matrix, real }), facts);
      return { outcome: acceptedResult(delayMs), delayMs };
    } catch (error) {
      return { outcome: unconfirmedResult(error, firing.expires_at < real), delayMs };
    }
  }

  /**
   * Reads large values once their bytes fit into the budget, then starts. The attempt begins after the wait for the
   * budget, with a renewed lease of full length.
   */
  private async startLarge(
    firing: LeasedFiring,
    schedule: StartSettings,
    facts: ScheduleFacts,
  ): Promise<EndedAttempt | undefined> {
    const { matrix_bytes: bytes } = schedule;
    const { companyID } = facts;
    const memory = await this.largeValuesMemory.reserveWithin(
      companyID,
      bytes * PARSED_BYTES_PER_JSON_BYTE,
      MAX_BUDGET_WAIT_MS,
    );
    if (!memory) {
      await returnLeases(this.store, [{ firing, pauseMs: MAX_BUDGET_WAIT_MS }]);
      return undefined;
    }
    try {
      const { now, real } = await this.clock.read(this.store);
      const renewed = await renewFiringLease(this.store, firing, new Date(real.getTime() + ATTEMPT_LEASE_MS));
      if (!renewed) return undefined;
      const delayMs = delayAfterNominal(firing, now);
      const json = await findStartValues(this.store, firing.schedule_id);
      if (json === undefined) return { outcome: PROCESS_DELETED, delayMs };
      const matrix = await this.readLarge(json);
      const sent = this.send(toStartRequest(firing, schedule, facts, { matrix, real }), facts);
      memory.resize(bytes * REQUEST_BYTES_PER_JSON_BYTE);
      await sent;
      return { outcome: acceptedResult(delayMs), delayMs };
    } finally {
      memory.release();
    }
  }

  /** Parses the values, with each long list and object left as RawJson. */
  private async readLarge(json: string): Promise<Record<string, unknown>> {
    if (jsonWeight(json) < THREAD_WEIGHT) return JSON.parse(json);
    const read = await this.jsonThread.readFields(Buffer.from(`{"matrix":${json}}`), ['matrix'], Infinity);
    return 'fields' in read ? Object(read.fields['matrix']) : JSON.parse(json);
  }

  private async send(request: StartRequest, { companyID }: ScheduleFacts): Promise<void> {
    await this.rpc.call(execution.start, request, { timeout: ATTEMPT_TIMEOUT_MS, tenant: companyID });
  }
}

/**
 * Why a firing is skipped without a request to execution. Only a first attempt can be skipped: before a later one,
 * execution may have accepted an earlier attempt whose reply was lost.
 */
function skipReason({ firing, facts }: FiringAttempt): typeof CREATOR_MAY_NOT_SCHEDULE | undefined {
  return facts && !facts.creatorMaySchedule && firing.attempts === 1 ? CREATOR_MAY_NOT_SCHEDULE : undefined;
}

function delayAfterNominal({ nominal_at: nominalAt }: LeasedFiring, now: Date): number {
  return now.getTime() - nominalAt.getTime();
}

/** A start as the owner of the process, with the schedule's name as its user (contract 2.9, interpretation 10). */
function toStartRequest(
  { instance_id: instanceID, attempts, expires_at: expiresAt }: LeasedFiring,
  schedule: StartSettings,
  { processID, ownerAccountID }: ScheduleFacts,
  { matrix, real }: { matrix: Record<string, unknown>; real: Date },
): StartRequest {
  return {
    instanceID,
    deadline: Math.min(real.getTime() + ATTEMPT_TIMEOUT_MS, expiresAt.getTime()),
    ...(attempts > 1 ? { resent: true } : {}),
    processID,
    trigger: { kind: 'schedule', accountID: ownerAccountID, userName: schedule.name, executor: schedule.executor },
    matrix,
    ...(schedule.environment_id === null ? {} : { environmentID: schedule.environment_id }),
  };
}
