import { randomUUID } from 'node:crypto';
import { untilEnded } from '../support/tenants/instances';
import { LATE_ANSWERING_FLOW, WebhookTarget } from '../support/webhooks/webhook-target';
import type { WebhookResponse } from '../support/webhooks/webhooks';
import { ChaosStack } from '../support/faults/chaos-stack';
import { until } from '../support/until';
import {
  injectAtRandom,
  hangFault,
  killFault,
  LEASE_FOR_HANGS,
  type FaultInjector,
  type FaultTarget,
} from '../support/faults/fault-injection';

// Callers wait for answers while replicas of every service are killed or paused at random moments.

const SENDER_COUNT = 6;
const AGENT_LOST_MESSAGE = 'The agent that ran the execution was lost.';
const FAULTED_SERVICES = ['gateway', 'execution', 'router', 'webhook'] as const;

let chaos: ChaosStack;
let faultTargets: FaultTarget[];

beforeAll(async () => {
  const replicas = { gateway: 2, execution: 2, router: 2, webhook: 2, schedule: 0 };
  chaos = await ChaosStack.start({ replicas, capacity: 20, router: LEASE_FOR_HANGS });
  chaos.gateways.roundRobin = true;
  chaos.routers.roundRobin = true;
  await chaos.joinAgent('steady');
  faultTargets = FAULTED_SERVICES.flatMap((name) =>
    chaos.stack.services[name].map((program, index) => ({ name: `${name} ${index + 1}`, program })),
  );
});

afterAll(() => chaos?.stop());

interface SentEvent {
  key: string;
  total: number;
  answer: WebhookResponse;
}

/**
 * Sends calls one after another, each with its own number, and repeats each until it is answered. Ends when `over` is true and at least one
 * call has got the answer of its process.
 */
async function sendUntilOver(target: WebhookTarget, first: number, over: () => boolean): Promise<SentEvent[]> {
  const sent: SentEvent[] = [];
  const hasAnswer = () => sent.some(({ answer }) => answer.status === 201);
  for (let total = first; !over() || !hasAnswer(); total++) {
    const key = randomUUID();
    sent.push({ key, total, answer: await target.callUntilAnswered(key, { total: String(total) }) });
  }
  return sent;
}

/** The invariant that a call's answer or its instance violates; undefined when none is violated. */
async function violationOf(target: WebhookTarget, { total, answer }: SentEvent): Promise<string | undefined> {
  const { status, errorMessage, response } = await untilEnded(target.process.owner, answer.instanceID);
  const endState = JSON.stringify({ status, errorMessage, response });
  // A router was paused beyond its lease, so execution ended the instances of its agent.
  if (errorMessage === AGENT_LOST_MESSAGE) return undefined;
  if (status !== 'success') return `${total} became ${endState}`;
  if (JSON.stringify(response) !== JSON.stringify({ code: 201, body: { total } })) return `${total} became ${endState}`;
  const own = answer.status !== 201 || JSON.stringify(answer.body) === JSON.stringify({ total });
  return own ? undefined : `${total} was answered ${JSON.stringify(answer.body)}`;
}

test.each<[string, FaultInjector, { everyMs: number; forMs: number }]>([
  ['killed', killFault, { everyMs: 700, forMs: 12_000 }],
  ['paused', hangFault, { everyMs: 1_200, forMs: 10_000 }],
])(
  'with programs %s at random each webhook call starts once, gets only its own answer, and returns its permit',
  async (_name, fault, rhythm) => {
    const target = await WebhookTarget.create(chaos, LATE_ANSWERING_FLOW, { waitSeconds: 5 });
    const before = await target.instanceIDs();
    let over = false;
    const senders = Array.from({ length: SENDER_COUNT }, (_, n) => sendUntilOver(target, 1_000 * (n + 1), () => over));
    await injectAtRandom(fault, faultTargets, rhythm).finally(() => (over = true));
    const sent = (await Promise.all(senders)).flat();

    expect(await target.instanceIDs()).toHaveLength(before.length + sent.length);
    expect(new Set(sent.map(({ answer }) => answer.instanceID)).size).toBe(sent.length);
    const violations = await Promise.all(sent.map((one) => violationOf(target, one)));
    expect(violations.filter((violation) => violation !== undefined)).toEqual([]);
    await target.untilPermitsReturned();

    // After the faults every caller must get its answer; the wait is long enough that none ends before it.
    await target.setWaitSeconds(120);
    const call = () => target.callUntilAnswered(randomUUID(), { total: '7' });
    await until(call, ({ status }) => status === 201);
    const afterwards = await Promise.all(Array.from({ length: 10 }, call));
    for (const { status, body } of afterwards) expect([status, body]).toEqual([201, { total: 7 }]);
  },
);
