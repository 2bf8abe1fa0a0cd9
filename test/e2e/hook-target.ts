import { randomUUID } from 'node:crypto';
import type { Flow } from '@batuta/flow';
import { makeProcess, type Environment, type Process } from './factories';
import { ended } from './following';
import { makeOrigin, send, through, type HookAnswer } from './hooks';
import type { ProvingGround } from './proving-ground';
import { until } from './until';

export const EVENT = { total: 'R$ 10,50' };
/** What a process with `answerTo` makes of EVENT. */
export const ANSWER = { total: 10.5 };

/** A flow that answers with the total, after so many seconds. */
export function answerTo(seconds: number): Flow {
  return {
    start: 'Wait',
    steps: [
      { name: 'Wait', type: 'wait', seconds, routes: [{ to: 'Answer' }] },
      { name: 'Answer', type: 'webhookResponse', code: 201, body: '{ "total": {{matrix.total}} }' },
    ],
  };
}

/** A process whose callers wait for its answer, on a ground where things are killed. */
export class HookTarget {
  private constructor(
    private readonly ground: ProvingGround,
    readonly process: Process,
    /** Through the balancer of gateways. */
    private readonly url: string,
  ) {}

  static async on(
    ground: ProvingGround,
    flow: Flow,
    { waitSeconds, environment = ground.environment }: { waitSeconds: number; environment?: Environment },
  ) {
    const { stack, gateways } = ground;
    const world = { console: stack.console, gateway: gateways.url, operator: stack.operator };
    const process = await makeProcess(world, { environment, flow, matrix: [{ name: 'total', type: 'Moeda' }] });
    const settings = { responseMode: 'Aguardar', waitSeconds, mapping: { total: '/total' } };
    const { prodUrl } = await makeOrigin(process, settings);
    const target = new HookTarget(ground, process, through(gateways.url, prodUrl));
    await until(
      () => target.call(randomUUID()),
      ({ status }) => status === 201,
    );
    return target;
  }

  call(key: string, event = EVENT): Promise<HookAnswer> {
    return send(this.url, event, { 'idempotency-key': key });
  }

  /** As a patient sender: cut off or refused by a fault, it sends the same again under the same key. */
  async callUntilAnswered(key: string, event = EVENT): Promise<HookAnswer> {
    const answer = await until(
      () => this.call(key, event).catch(() => undefined),
      (one) => one !== undefined && one.status < 500,
    );
    if (!answer) throw new Error('There is no answer');
    return answer;
  }

  /** A call, once its instance runs. */
  async callUnderWay(): Promise<{ key: string; answer: Promise<HookAnswer>; instanceID: string }> {
    const known = new Set(await this.instances());
    const key = randomUUID();
    const answer = this.call(key);
    // Who kills the gateway looks at the failure later.
    answer.catch(() => {});
    const ids = await until(
      () => this.instances('running'),
      (running) => running.some((id) => !known.has(id)),
    );
    return { key, answer, instanceID: ids.find((id) => !known.has(id)) ?? '' };
  }

  async instances(status = '%'): Promise<string[]> {
    const rows = await this.ground.store.rows<{ instance_id: string }>(
      'SELECT instance_id FROM instance WHERE process_id = ? AND status LIKE ?',
      [this.process.processID, status],
    );
    return rows.map((row) => row.instance_id);
  }

  /** Once the instance has ended and no waiting place is taken: the instance, and what its key leads to. */
  async aftermath({ key, instanceID }: { key: string; instanceID: string }) {
    const instance = await ended(this.process.owner, instanceID);
    const { status, body } = await this.callUntilAnswered(key);
    await this.placesFree();
    return { instance, again: [status, body] };
  }

  /** Once no waiting place is taken: a gateway that died held its own for the rest of their lease. */
  async placesFree(): Promise<void> {
    const sql = 'SELECT 1 FROM waiting_call WHERE process_id = ? AND lease_until > UTC_TIMESTAMP(3)';
    await until(
      () => this.ground.store.rows(sql, [this.process.processID]),
      (rows) => rows.length === 0,
      { within: 60_000 },
    );
  }
}
