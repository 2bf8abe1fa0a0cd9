import { randomUUID } from 'node:crypto';
import type { Flow, Step } from '@batuta/flow';
import { makeProcess, type Environment, type Process } from './factories';
import { ended } from './instances';
import type { Gate } from './barrier';
import { makeOrigin, send, through, type HookAnswer, type Origin } from './webhooks';
import type { ProvingGround } from './chaos-stack';
import { until } from './until';

export const EVENT = { total: 'R$ 10,50' };
/** What a process with `answerTo` makes of EVENT. */
export const ANSWER = { total: 10.5 };

const TOTAL: Step = { name: 'Answer', type: 'webhookResponse', code: 201, body: '{ "total": {{matrix.total}} }' };

/** A flow that answers with the total at once. */
export const ANSWERING: Flow = { start: 'Answer', steps: [TOTAL] };

/** The same, once the gate lets it. */
export function answeringBehind(gate: Gate): Flow {
  return { start: 'Gate', steps: [gate.step('Gate', [{ to: 'Answer' }]), TOTAL] };
}

/** A process whose callers wait for its answer, on a ground where things are killed. */
export class HookTarget {
  private constructor(
    private readonly ground: ProvingGround,
    readonly process: Process,
    private readonly origin: Origin,
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
    const target = new HookTarget(ground, process, await makeOrigin(process, settings));
    await until(
      () => target.call(randomUUID()),
      ({ status }) => status === 201,
    );
    return target;
  }

  call(key: string, event = EVENT): Promise<HookAnswer> {
    // Through the balancer of gateways.
    return send(through(this.ground.gateways.url, this.origin.prodUrl), event, { 'idempotency-key': key });
  }

  /** From now on callers are held for so long. */
  async waitFor(waitSeconds: number): Promise<void> {
    await this.process.owner.manage('PATCH', `/origins/${this.origin.id}`, { waitSeconds });
  }

  /** As a patient sender: cut off or refused by a fault, it sends the same again under the same key. */
  async callUntilAnswered(key: string, event = EVENT): Promise<HookAnswer> {
    const answer = await until(
      () => this.call(key, event).catch(() => undefined),
      (one) => one !== undefined && one.status < 500,
      { within: 150_000 },
    );
    if (!answer) throw new Error('There is no answer');
    return answer;
  }

  /** A call, once its instance runs and it has the place that it waits in. */
  async callUnderWay(): Promise<{ key: string; answer: Promise<HookAnswer>; instanceID: string }> {
    await this.placesFree();
    const known = new Set(await this.instances());
    const key = randomUUID();
    const answer = this.call(key);
    // Who kills the gateway looks at the failure later.
    answer.catch(() => {});
    const ids = await until(
      () => this.instances('running'),
      (running) => running.some((id) => !known.has(id)),
    );
    await until(
      () => this.places(),
      (places) => places > 0,
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
    await until(
      () => this.places(),
      (places) => places === 0,
    );
  }

  private async places(): Promise<number> {
    const sql = 'SELECT 1 FROM waiting_call WHERE process_id = ? AND lease_until > UTC_TIMESTAMP(3)';
    return (await this.ground.store.rows(sql, [this.process.processID])).length;
  }
}
