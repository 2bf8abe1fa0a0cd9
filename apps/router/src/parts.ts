import { FailureThrottle } from '@batuta/auth';
import { agentEnvironments, environmentOfActivationKey } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { RouterConfig } from './config';
import { Gate } from './connections/gate';
import { Custody } from './dispatch/custody';
import { Dispatch } from './dispatch/dispatch';
import { Releases } from './dispatch/releases';
import { Wishes } from './dispatch/wishes';
import { EnvironmentWatch } from './environments/environment-watch';
import { Reports } from './reports/reports';
import { Arrivals } from './sessions/arrivals';
import { Conversation } from './sessions/conversation';
import { Departures } from './sessions/departures';
import { leaseTimes, type LeaseTimes } from './sessions/lease-rules';
import { Leases } from './sessions/leases';
import { SessionRepository } from './sessions/session.repository';
import { Sessions } from './sessions/sessions';
import type { Tools } from './tools';

export type RouterParts = ReturnType<typeof buildParts>;

/** The router's objects, each with those that it needs. */
export function buildParts(config: RouterConfig, tools: Tools, store: Store) {
  const times = leaseTimes(config.LEASE_SECONDS);
  const sessions = new Sessions();
  const rows = new SessionRepository(store, routerID(), times.leaseMs);
  const releases = new Releases(tools);
  const custody = new Custody(tools, releases, config.OFFER_SECONDS * 1_000, ({ environmentID }) =>
    dispatch.wanted(environmentID),
  );
  const dispatch = new Dispatch(tools, sessions, custody, releases, config.POLL_MS);
  const departures = new Departures(tools, sessions, rows, custody);
  const reports = new Reports(tools, custody, (session, why) => departures.leave(session, why));
  const conversation = new Conversation(custody, reports, dispatch, departures);
  const arrivals = new Arrivals(tools, sessions, rows, departures, conversation, arrivalSettings(config, times));
  return {
    times,
    sessions,
    rows,
    releases,
    custody,
    dispatch,
    departures,
    reports,
    leases: new Leases(tools, sessions, rows, departures, times),
    wishes: new Wishes(tools, sessions),
    environments: new EnvironmentWatch(sessions, departures, dispatch, (ids) => agentEnvironments(store, ids)),
    gate: new Gate(
      tools,
      arrivals,
      (keyHash) => environmentOfActivationKey(store, keyHash),
      new FailureThrottle(config.FAILING_KEYS_PER_MINUTE),
      config.CONNECTIONS,
    ),
  };
}

function arrivalSettings(config: RouterConfig, { graceMs }: LeaseTimes) {
  return {
    helloMs: config.HELLO_SECONDS * 1_000,
    graceSeconds: graceMs / 1_000,
    heartbeatSeconds: config.HEARTBEAT_SECONDS,
    environmentSessions: config.ENVIRONMENT_SESSIONS,
  };
}

/** Tells replicas apart in the session's rows; of no meaning else. */
function routerID(): string {
  return `${hostname()
    .replaceAll(/[^\w.-]/g, '')
    .slice(0, 50)}-${randomBytes(4).toString('hex')}`;
}
