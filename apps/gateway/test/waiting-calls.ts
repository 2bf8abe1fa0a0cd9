import { notifications, type AwaitedState } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { waitUntil } from '../../../test/support/wait-until';
import { createGateway, type RunningGateway } from '../src/app';
import { executionReplies, receivedRequests } from './fake-execution';
import { webhookReplies } from './fake-webhook';
import { startWorld, type GatewayWorld } from './world';

/** How long the origin lets a caller wait. */
export const WAIT_MS = 120_000;
/** The JSON text that a process answers. */
export const ANSWER_TEXT = '{ "order":1.0,"by": "José" }';

interface HookResponse {
  status: number;
  text: string;
  instance: string | null;
}

/** The requests of this subject that the fake services received, in order. */
export const requestsTo = (subject: string) =>
  receivedRequests.filter((each) => each.subject === subject).map(({ request }) => Object(request));

export const answeredState = (instanceID: string): AwaitedState => ({
  instanceID,
  status: 'running',
  outcome: null,
  answer: { valid: true, code: 201, body: ANSWER_TEXT },
});

export const statusBody = (instanceID: string, status: string) => JSON.stringify({ instanceID, status });

export const statusReply = (instanceID: string, code: number, status: string): HookResponse => ({
  status: code,
  text: statusBody(instanceID, status),
  instance: instanceID,
});

/** Calls of an origin in mode Aguardar, at two gateways with fake services. */
export class WaitingCalls {
  /** The gateways' clock; it stands still unless a test moves it. */
  now = Date.now();
  world!: GatewayWorld;
  second!: RunningGateway;
  rpc!: Rpc;
  processID = '';
  token = '';
  /** The instances of the fake execution service. */
  readonly instanceStates = new Map<string, AwaitedState>();
  private readonly original = [{ ...executionReplies }, { ...webhookReplies }];

  async open(): Promise<void> {
    this.world = await startWorld({}, () => this.now);
    this.second = await createGateway(this.world.config, () => this.now);
    this.rpc = await Rpc.connect(this.world.config.NATS_URL, 'test');
  }

  async close(): Promise<void> {
    await this.rpc?.close();
    await this.second?.close();
    await this.world?.close();
  }

  /** Makes another process for each test, because a replica keeps the unused permits of a process for a moment. */
  async reset(): Promise<void> {
    const { registry } = this.world;
    this.processID = await registry.addProcess(await registry.addAccount());
    const origin = { responseMode: 'Aguardar', waitSeconds: WAIT_MS / 1_000 } as const;
    this.token = (await registry.addOrigin(this.processID, origin)).prod;
    receivedRequests.length = 0;
    this.instanceStates.clear();
    Object.assign(executionReplies, this.original[0]);
    Object.assign(webhookReplies, this.original[1]);
    executionReplies.awaited = async ({ instanceIDs }) => ({
      states: instanceIDs.flatMap((instanceID) => this.instanceStates.get(instanceID) ?? []),
    });
  }

  async post(url = this.world.gateway.url): Promise<HookResponse> {
    const response = await fetch(`${url}/v1/hooks/${this.processID}/${this.token}`, { method: 'POST', body: '{}' });
    return { status: response.status, text: await response.text(), instance: response.headers.get('x-instance-id') };
  }

  /** Starts a call; `answer` resolves when the gateway responds. */
  async start(url = this.world.gateway.url): Promise<{ instanceID: string; answer: Promise<HookResponse> }> {
    const before = requestsTo('webhook.start').length;
    const answer = this.post(url);
    const started = await waitUntil('the start is requested', () => requestsTo('webhook.start')[before]);
    return { instanceID: String(started.instanceID), answer };
  }

  /**
   * Publishes the answer of an instance. Messages that the test publishes afterwards arrive after this notification.
   */
  async notify(instanceID: string, state = answeredState(instanceID)): Promise<void> {
    this.rpc.notify(notifications.answered, { instanceID, state });
    await this.rpc.ping();
  }

  /** The number of permits in the last renewal of the process; undefined before the first renewal. */
  findRenewedCount(): number | undefined {
    return requestsTo('webhook.keep')
      .flatMap(({ places }) => places)
      .findLast((permits) => permits.processID === this.processID)?.count;
  }

  untilPermitReturned(): Promise<boolean> {
    return waitUntil('the permit is returned', () => this.findRenewedCount() === 0);
  }
}
