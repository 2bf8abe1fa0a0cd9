import { randomUUID } from 'node:crypto';
import { ended } from '../support/instances';
import { ANSWERING, HookTarget } from '../support/webhook-target';
import type { HookAnswer } from '../support/webhooks';
import { ProvingGround } from '../support/chaos-stack';
import { until } from '../support/until';
import { atRandom, hung, killed, LEASE, type Fault, type Victim } from '../support/fault-injection';

// Callers wait for their own answers while two of everything are killed or hang at no chosen moment.

const SENDERS = 6;
const LOST = 'The agent that ran the execution was lost.';
const VICTIMS = ['gateway', 'execution', 'router', 'webhook'] as const;

let ground: ProvingGround;
let victims: Victim[];

beforeAll(async () => {
  const replicas = { gateway: 2, execution: 2, router: 2, webhook: 2 };
  ground = await ProvingGround.start({ replicas, capacity: 20, router: LEASE });
  ground.gateways.inTurn = true;
  ground.routers.inTurn = true;
  await ground.joinAgent('steady');
  victims = VICTIMS.flatMap((name) =>
    ground.stack.services[name].map((program, index) => ({ name: `${name} ${index + 1}`, program })),
  );
});

afterAll(() => ground?.stop());

interface Sent {
  key: string;
  total: number;
  answer: HookAnswer;
}

/**
 * Sends one after another, each with a number of its own, until `over` and until it was told an answer of its process; each
 * until it is answered.
 */
async function sender(target: HookTarget, first: number, over: () => boolean): Promise<Sent[]> {
  const sent: Sent[] = [];
  const isTold = () => sent.some(({ answer }) => answer.status === 201);
  for (let total = first; !over() || !isTold(); total++) {
    const key = randomUUID();
    sent.push({ key, total, answer: await target.callUntilAnswered(key, { total: String(total) }) });
  }
  return sent;
}

/** What is wrong with what a call was told, and with what became of it; undefined when nothing is. */
async function complaintAbout(target: HookTarget, { total, answer }: Sent): Promise<string | undefined> {
  const { status, errorMessage, response } = await ended(target.process.owner, answer.instanceID);
  const became = JSON.stringify({ status, errorMessage, response });
  // A router that hung beyond its lease: its agent gave up what it ran.
  if (errorMessage === LOST) return undefined;
  if (status !== 'success') return `${total} became ${became}`;
  if (JSON.stringify(response) !== JSON.stringify({ code: 201, body: { total } })) return `${total} became ${became}`;
  const own = answer.status !== 201 || JSON.stringify(answer.body) === JSON.stringify({ total });
  return own ? undefined : `${total} was answered ${JSON.stringify(answer.body)}`;
}

test.each<[string, Fault, { everyMs: number; forMs: number }]>([
  ['killed', killed, { everyMs: 700, forMs: 12_000 }],
  ['hung for a while', hung, { everyMs: 1_200, forMs: 10_000 }],
])(
  'whatever is %s: each call starts once, is told nothing but its own answer, and leaves no place taken',
  async (_name, fault, rhythm) => {
    const target = await HookTarget.on(ground, ANSWERING, { waitSeconds: 5 });
    const before = await target.instances();
    let over = false;
    const senders = Array.from({ length: SENDERS }, (_, n) => sender(target, 1_000 * (n + 1), () => over));
    await atRandom(fault, victims, rhythm).finally(() => (over = true));
    const sent = (await Promise.all(senders)).flat();

    expect(await target.instances()).toHaveLength(before.length + sent.length);
    expect(new Set(sent.map(({ answer }) => answer.instanceID)).size).toBe(sent.length);
    const complaints = await Promise.all(sent.map((one) => complaintAbout(target, one)));
    expect(complaints.filter((complaint) => complaint !== undefined)).toEqual([]);
    await target.placesFree();

    // Faults are no excuse for never answering: from now on nobody's time is up before the answer is there.
    await target.waitFor(120);
    const call = () => target.callUntilAnswered(randomUUID(), { total: '7' });
    await until(call, ({ status }) => status === 201);
    const afterwards = await Promise.all(Array.from({ length: 10 }, call));
    for (const { status, body } of afterwards) expect([status, body]).toEqual([201, { total: 7 }]);
  },
);
