import { randomUUID } from 'node:crypto';
import type { Flow, Step } from '@batuta/flow';
import { makeProcess, type Environment, type Process } from '../tenants/factories';
import { untilEnded } from '../tenants/instances';
import type { Barrier } from '../faults/barrier';
import { makeOrigin, sendEvent, viaBaseURL, type WebhookResponse, type Origin } from './webhooks';
import type { ChaosStack } from '../faults/chaos-stack';
import { until } from '../until';

/** A sender's pause before it repeats a call; a shorter pause would only take processor time from programs that restart. */
const RETRY_DELAY_MS = 250;
const TOTAL_BODY = { total: 'R$ 10,50' };
/** The answer of ANSWERING_FLOW to TOTAL_BODY. */
export const ANSWER_BODY = { total: 10.5 };

const TOTAL_STEP: Step = { name: 'Answer', type: 'webhookResponse', code: 201, body: '{ "total": {{matrix.total}} }' };

/** A flow that answers with the total immediately. */
export const ANSWERING_FLOW: Flow = { start: 'Answer', steps: [TOTAL_STEP] };

/** Like ANSWERING_FLOW, but after a wait, so that faults at random times also hit waiting callers and running instances. */
export const LATE_ANSWERING_FLOW: Flow = {
  start: 'Wait',
  steps: [{ name: 'Wait', type: 'wait', seconds: 0.3, routes: [{ to: 'Answer' }] }, TOTAL_STEP],
};

/** A flow that answers with the total after the barrier opens. */
export function flowAnsweringAfter(barrier: Barrier): Flow {
  return { start: 'Gate', steps: [barrier.step('Gate', [{ to: 'Answer' }]), TOTAL_STEP] };
}

/** A process with an origin in mode Aguardar, on a stack whose programs are killed. */
export class WebhookTarget {
  private constructor(
    private readonly chaos: ChaosStack,
    readonly process: Process,
    private readonly origin: Origin,
  ) {}

  /** Makes the process, and resolves when a call has been answered by its flow. */
  static async create(
    chaos: ChaosStack,
    flow: Flow,
    { waitSeconds, environment = chaos.environment }: { waitSeconds: number; environment?: Environment },
  ) {
    const { stack, gateways } = chaos;
    const world = { console: stack.console, gateway: gateways.url, operator: stack.operator };
    const process = await makeProcess(world, { environment, flow, matrix: [{ name: 'total', type: 'Moeda' }] });
    const settings = { responseMode: 'Aguardar', waitSeconds, mapping: { total: '/total' } };
    const target = new WebhookTarget(chaos, process, await makeOrigin(process, settings));
    await until(
      () => target.call(randomUUID()),
      ({ status }) => status === 201,
    );
    return target;
  }

  /** The production URL through the load balancer of the gateways. */
  get url(): string {
    return viaBaseURL(this.chaos.gateways.url, this.origin.prodUrl);
  }

  /** One call with the idempotency key `key`; rejects when it is cut off. */
  call(key: string, event = TOTAL_BODY): Promise<WebhookResponse> {
    return sendEvent(this.url, event, { 'idempotency-key': key });
  }

  /** Changes how long the origin lets callers wait. */
  async setWaitSeconds(waitSeconds: number): Promise<void> {
    await this.process.owner.manage('PATCH', `/origins/${this.origin.id}`, { waitSeconds });
  }

  /** Repeats the call under one idempotency key until it is neither cut off nor answered with a 5xx. */
  async callUntilAnswered(key: string, event = TOTAL_BODY): Promise<WebhookResponse> {
    const answer = await until(
      () => this.call(key, event).catch(() => undefined),
      (one) => one !== undefined && one.status < 500,
      { within: 150_000, every: RETRY_DELAY_MS },
    );
    if (!answer) throw new Error('There is no answer');
    return answer;
  }

  /** Makes a call and resolves when its instance runs and the caller has a permit. */
  async callInFlight(): Promise<{ key: string; answer: Promise<WebhookResponse>; instanceID: string }> {
    await this.untilPermitsReturned();
    const known = new Set(await this.instanceIDs());
    const key = randomUUID();
    const answer = this.call(key);
    // A test that kills the gateway checks the rejection later; without this handler it would be unhandled.
    answer.catch(() => {});
    const ids = await until(
      () => this.instanceIDs('running'),
      (running) => running.some((id) => !known.has(id)),
    );
    await until(
      () => this.countPermitHolders(),
      (holders) => holders > 0,
    );
    // The webhook service replies in order: after this answer the gateway also has the permit that was stored before it.
    await sendEvent(viaBaseURL(this.chaos.gateways.url, this.origin.devUrl), TOTAL_BODY);
    return { key, answer, instanceID: ids.find((id) => !known.has(id)) ?? '' };
  }

  /** The ids of the instances with this status; without `status` of all. */
  async instanceIDs(status = '%'): Promise<string[]> {
    const rows = await this.chaos.store.rows<{ instance_id: string }>(
      'SELECT instance_id FROM instance WHERE process_id = ? AND status LIKE ?',
      [this.process.processID, status],
    );
    return rows.map((row) => row.instance_id);
  }

  /**
   * Awaits the end of the instance, repeats its call with the same idempotency key, and awaits the return of all permits; `again` = status and
   * body of the repeated call.
   */
  async awaitEndAndReplay({ key, instanceID }: { key: string; instanceID: string }) {
    const instance = await untilEnded(this.process.owner, instanceID);
    const { status, body } = await this.callUntilAnswered(key);
    await this.untilPermitsReturned();
    return { instance, again: [status, body] };
  }

  /**
   * Waits until no gateway leases a permit of the process: gateways return permits that stay unused between two sweeps, and the lease of a gateway
   * that died must expire.
   */
  async untilPermitsReturned(): Promise<void> {
    await until(
      () => this.countPermitHolders(),
      (holders) => holders === 0,
    );
  }

  private async countPermitHolders(): Promise<number> {
    const sql = 'SELECT 1 FROM waiting_call WHERE process_id = ? AND lease_until > UTC_TIMESTAMP(3)';
    return (await this.chaos.store.rows(sql, [this.process.processID])).length;
  }
}
