import { randomUUID } from 'node:crypto';
import * as s from '../../../support/shape';
import { call, type HttpAnswer } from '../tenants/api';
import { makeCompany, makeOwner, makeProcess, type Owner, type Process } from '../tenants/factories';
import type { Stack } from '../stack/stack';
import { until } from '../until';

const idBodyShape = s.object({ id: s.text(), value: s.text() });
const accountListShape = s.object({ accounts: s.list(s.object({ id: s.text(), email: s.text() })) });

/**
 * Calls that the API refuses, each for one reason; a method that makes such a call returns the refusal. `process` has one variable, `total`, in
 * an offline environment that queues starts; `stranger` is an account of another company.
 */
export class RefusedCalls {
  constructor(
    readonly stack: Stack,
    readonly process: Process,
    readonly stranger: Owner,
  ) {}

  /** A GET of a path below the process, by its owner and with its process key, so that only the path can be refused. */
  getOfProcess(path: string): Promise<HttpAnswer> {
    return this.process.owner.api('GET', `/processes/${this.process.processID}${path}`, {
      processKey: this.process.processKey,
    });
  }

  /** Creates a valid nightly schedule, in which the fields of `change` replace others. */
  createSchedule(change: object): Promise<HttpAnswer> {
    const { processID, processKey } = this.process;
    const body = { processID, name: 'Nightly', cronExpression: '0 3 * * *', ...change };
    return this.process.owner.api('POST', '/schedules', { processKey, body });
  }

  getMe(bearer: string): Promise<HttpAnswer> {
    return call('GET', `${this.stack.gateway}/v1/me`, { bearer });
  }

  startWithKey(processKey: string | undefined): Promise<HttpAnswer> {
    return this.process.owner.api('POST', `/processes/${this.process.processID}/start`, { processKey });
  }

  async makeOwnerOnPlan(plan: object): Promise<Owner> {
    return makeOwner(this.stack, { company: await makeCompany(this.stack, { plan }) });
  }

  async callWithRevokedCredential(): Promise<HttpAnswer> {
    const { id, value } = idBodyShape.parse(
      await this.stranger.manage('POST', '/credentials', { label: 'to be revoked' }),
    );
    await until(
      () => this.getMe(value),
      ({ status }) => status === 200,
    );
    await this.stranger.manage('DELETE', `/credentials/${id}`);
    return this.getMe(value);
  }

  async callWithExpiredCredential(): Promise<HttpAnswer> {
    const create = () =>
      this.stranger.tryToManage('POST', '/credentials', { label: 'short', expiresAt: timeInTwoSeconds() });
    const { value } = idBodyShape.parse(await createBeforeExpiry(create));
    return until(
      () => this.getMe(value),
      ({ status }) => status !== 200,
    );
  }

  async startWithRevokedKey(): Promise<HttpAnswer> {
    const { id, value } = idBodyShape.parse(await this.createKey({ identifier: 'to be revoked' }));
    await until(
      () => this.startWithKey(value),
      ({ status }) => status === 202,
    );
    await this.process.owner.manage('DELETE', `/keys/${id}`);
    return this.startWithKey(value);
  }

  async startWithExpiredKey(): Promise<HttpAnswer> {
    const path = `/processes/${this.process.processID}/keys`;
    const create = () =>
      this.process.owner.tryToManage('POST', path, {
        identifier: `short ${randomUUID()}`,
        expiresAt: timeInTwoSeconds(),
      });
    const { value } = idBodyShape.parse(await createBeforeExpiry(create));
    return until(
      () => this.startWithKey(value),
      ({ status }) => status !== 202,
    );
  }

  createKey(body: object): Promise<unknown> {
    return this.process.owner.manage('POST', `/processes/${this.process.processID}/keys`, body);
  }

  async startWithApiDisabled(): Promise<HttpAnswer> {
    const process = await makeProcess(this.stack, { owner: this.process.owner });
    await process.owner.manage('PATCH', `/processes/${process.processID}`, { apiPermission: 'BLOQUEADO' });
    return process.start();
  }

  /** A start by an account with a share, after the administrator has blocked the owner of the process. */
  async startOfBlockedOwner(): Promise<HttpAnswer> {
    const administrator = await makeOwner(this.stack, { role: 'administrator' });
    const owner = await makeOwner(this.stack, { company: administrator.company });
    const { processID, processKey } = await makeProcess(this.stack, { owner });
    await owner.manage('PUT', `/processes/${processID}/shares/${this.stranger.email}`, { execute: true });
    const { accounts } = accountListShape.parse(await administrator.manage('GET', '/accounts'));
    const { id } = accounts.find(({ email }) => email === owner.email) ?? {};
    await administrator.manage('PATCH', `/accounts/${id}`, { blocked: true });
    return this.stranger.api('POST', `/processes/${processID}/start`, { processKey });
  }

  /** Makes a call while NATS is stopped, and resolves when NATS and all services work again. */
  async callWithoutNats(ask: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    await this.stack.nats.kill();
    try {
      return await ask();
    } finally {
      await this.stack.nats.startAgain();
      await until(
        () => call('GET', `${this.stack.gateway}/health/ready`),
        ({ status }) => status === 200,
      );
      // After the restart of NATS each service subscribes again at its own time, so the test waits until each of them answers.
      for (const read of [
        () => this.process.owner.tryToManage('GET', `/processes/${this.process.processID}/origins`),
        () => this.getOfProcess('/executions'),
        () => this.process.owner.api('GET', '/schedules'),
      ]) {
        await until(read, ({ status }) => status === 200);
      }
    }
  }
}

/**
 * Creates a short-lived credential or key and returns the body. Repeats a refused call, because on a busy machine the expiry may pass before
 * the creation.
 */
async function createBeforeExpiry(create: () => Promise<HttpAnswer>): Promise<unknown> {
  return (await until(create, ({ status }) => status < 400)).body;
}

function timeInTwoSeconds(): string {
  return new Date(Date.now() + 2_000).toISOString();
}
