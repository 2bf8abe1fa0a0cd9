import { withTimeout } from '@batuta/async';
import { closeServer } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import type { INestApplication } from '@nestjs/common';
import { UpgradeHandler } from './connections/upgrade-handler';
import { timeoutErrorOf } from './context/router-context';
import { Dispatcher } from './dispatch/dispatcher';
import { InstanceReleaser } from './dispatch/instance-releaser';
import { OfferTracker } from './dispatch/offer-tracker';
import { EvidenceForwarder } from './evidence/evidence-forwarder';
import { ReportForwarder } from './reports/report-forwarder';
import { AgentSessions } from './sessions/agent-sessions';
import { SessionCloser } from './sessions/session-closer';

/** Time limit of each phase: a dependency that hangs must not keep the router from stopping. */
const PHASE_TIME_LIMIT_MS = 5_000;

/**
 * Stops a router so that nothing is lost: read no more frames; end claims and periodic tasks; await the replies to grants and reports; send the
 * agents to other routers; await the updates of rows and the releases in flight; close.
 */
export async function shutDown(app: INestApplication): Promise<void> {
  const sessions = app.get(AgentSessions);
  const closer = app.get(SessionCloser);
  for (const session of sessions.all()) session.socket.pause('stopping');
  await awaitPhase(app.get(Dispatcher).stop(), app.get(PeriodicTasks).stop());
  await awaitPhase(app.get(OfferTracker).drain(), app.get(ReportForwarder).drain(), app.get(EvidenceForwarder).drain());
  app.get(UpgradeHandler).close();
  for (const session of sessions.all()) closer.endWithoutClosingRow(session);
  await awaitPhase(closer.drain(), app.get(InstanceReleaser).drain());
  await closeServer(app);
}

async function awaitPhase(...work: Promise<void>[]): Promise<void> {
  await withTimeout(Promise.all(work), PHASE_TIME_LIMIT_MS, timeoutErrorOf('Stopping')).catch(() => undefined);
}
