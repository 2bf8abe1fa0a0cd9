import { randomBytes, randomUUID } from 'node:crypto';
import { Batuta } from '@batuta/client';
import * as s from '../../../support/shape';
import type { Flow } from '@batuta/flow';
import {
  call,
  expectSuccess,
  fetchWithRetry,
  CALL_TIME_LIMIT_MS,
  type HttpAnswer,
  type CallOptions,
  type Method,
} from './api';
import type { Stack } from '../stack/stack';

// Creates companies, owners, environments and processes through the management API. Missing parents are created too: a
// process gets an environment, the environment an owner, the owner a company, the company a plan.

/** The part of a stack that the factories need: base URLs and the operator's login. */
export type World = Pick<Stack, 'console' | 'gateway' | 'operator'>;

export interface Company {
  companyID: string;
  planID: string;
}

/** An account, and the calls that a test makes as this account. */
export interface Owner {
  email: string;
  password: string;
  company: Company;
  /** Label of the account credential: the `userName` of the instances that it starts. */
  label: string;
  /** The value of the account credential, `bat_live_<id>.<secret>`. */
  credential: string;
  /** A management call in the owner's name; throws unless it succeeds. */
  manage(method: Method, path: string, body?: unknown): Promise<unknown>;
  /** A management call in the owner's name; a refusal is returned. */
  tryToManage(method: Method, path: string, body?: unknown): Promise<HttpAnswer>;
  /** Client of the public API with the owner's credential. */
  client: Batuta;
  /** A plain call of the public API, such as `api('GET', '/me')`; a refusal is returned. */
  api(method: Method, path: string, options?: CallOptions): Promise<HttpAnswer>;
}

export interface Environment {
  environmentID: string;
  activationKey: string;
  owner: Owner;
}

export interface Process {
  processID: string;
  processKey: string;
  /** Identifier of the process key: the executor in the audit trail. */
  identifier: string;
  environment: Environment;
  owner: Owner;
  /** `POST /processes/:pid/start` by the owner, with the process key; a refusal is returned. */
  start(body?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>;
}

const idBodyShape = s.object({ id: s.text() });
const tokenBodyShape = s.object({ token: s.text() });
const valueBodyShape = s.object({ value: s.text() });
const newEnvironmentBodyShape = s.object({ environmentID: s.text(), activationKey: s.text() });
const newProcessBodyShape = s.object({ processID: s.text() });
const flowProblemsBodyShape = s.object({ problems: s.list(s.object({ path: s.text(), message: s.text() })) });

const uniqueName = (word: string) => `${word} ${randomUUID().slice(-12)}`;

/** The token of each stack's operator: password checks are slow on purpose, so the operator logs in only once per stack. */
const operatorTokens = new WeakMap<World['operator'], Promise<string>>();

/** A flow that does nothing and succeeds. */
export const EMPTY_FLOW: Flow = { start: 'Only step', steps: [{ name: 'Only step', type: 'variables' }] };

/** A management call as the operator; throws unless it succeeds. */
export async function callAsOperator(world: World, method: Method, path: string, body?: unknown): Promise<unknown> {
  const token = operatorTokens.get(world.operator) ?? logIn(world, world.operator);
  operatorTokens.set(world.operator, token);
  const bearer = await token;
  return expectSuccess(method, `${world.console}/manage/v1${path}`, { bearer, body });
}

/** A company with its own plan; `plan` overrides fields of the plan. */
export async function makeCompany(world: World, { plan = {} }: { plan?: object } = {}): Promise<Company> {
  const offer = { apiAccess: true, scheduling: true, monthlyCredits: 1_000, logRetentionDays: 30 };
  const planBody = { name: uniqueName('Plan'), ...offer, requestsPerMinute: 10_000, ...plan };
  const { id: planID } = idBodyShape.parse(await callAsOperator(world, 'POST', '/plans', planBody));
  const companyBody = { name: uniqueName('Company'), planId: planID };
  const { id: companyID } = idBodyShape.parse(await callAsOperator(world, 'POST', '/companies', companyBody));
  return { companyID, planID };
}

/**
 * An account that can own environments and processes, with a session and a credential; in the given company or a new
 * one.
 */
export async function makeOwner(
  world: World,
  {
    company,
    role = 'member',
    name = uniqueName('Owner'),
  }: { company?: Company; role?: 'member' | 'administrator'; name?: string } = {},
): Promise<Owner> {
  const home = company ?? (await makeCompany(world));
  const email = `${randomUUID()}@test.batuta.local`;
  const password = randomBytes(12).toString('base64url');
  const account = { email, password, name, role };
  await callAsOperator(world, 'POST', `/companies/${home.companyID}/accounts`, account);
  const token = await logIn(world, account);
  const tryToManage: Owner['tryToManage'] = (method, path, body) =>
    call(method, `${world.console}/manage/v1${path}`, { bearer: token, body });
  const manage: Owner['manage'] = (method, path, body) =>
    expectSuccess(method, `${world.console}/manage/v1${path}`, { bearer: token, body });
  const label = uniqueName('Credential');
  const { value: credential } = valueBodyShape.parse(await manage('POST', '/credentials', { label }));
  const api: Owner['api'] = (method, path, options) =>
    call(method, `${world.gateway}/v1${path}`, { bearer: credential, ...options });
  const client = new Batuta({ url: world.gateway, credential, timeout: CALL_TIME_LIMIT_MS, fetch: fetchWithRetry });
  return { email, password, company: home, label, credential, client, manage, tryToManage, api };
}

/** An environment of the owner, or of a new one, that queues starts while it is offline; `settings` are fields of `POST environments`. */
export async function makeEnvironment(
  world: World,
  { owner, ...settings }: { owner?: Owner; [setting: string]: unknown } = {},
): Promise<Environment> {
  const by = owner ?? (await makeOwner(world));
  const usual = { name: uniqueName('Environment'), description: '', os: 'linux', envType: 'prod', capacity: 5 };
  const body = { ...usual, offlineFlow: true, cancelQueueOnException: false, ...settings };
  return { ...newEnvironmentBodyShape.parse(await by.manage('POST', '/environments', body)), owner: by };
}

/** A published process with API permission and a process key. `flow: null` leaves it unpublished. */
export async function makeProcess(
  world: World,
  options: {
    environment?: Environment;
    owner?: Owner;
    flow?: Flow | null;
    matrix?: { name: string; type: string; default?: unknown }[];
    [setting: string]: unknown;
  } = {},
): Promise<Process> {
  const { environment, owner, flow = EMPTY_FLOW, matrix = [], ...settings } = options;
  const place = environment ?? (await makeEnvironment(world, { owner }));
  const by = owner ?? place.owner;
  const usual = { processName: uniqueName('Process'), description: '', avgHumanTime: '00:10:00', avgOperatorCost: 30 };
  const body = { ...usual, environmentID: place.environmentID, matrix, ...settings };
  const { processID } = newProcessBodyShape.parse(await by.manage('POST', '/processes', body));
  await by.manage('PATCH', `/processes/${processID}`, { apiPermission: 'LIBERADO' });
  if (flow) await publish(by, processID, flow);
  const identifier = uniqueName('Key');
  const processKey = await makeProcessKey(by, processID, identifier);
  const start: Process['start'] = (matrixAndMore = {}, headers = {}) =>
    by.api('POST', `/processes/${processID}/start`, { processKey, headers, body: matrixAndMore });
  return { processID, processKey, identifier, environment: place, owner: by, start };
}

/** Saves the flow and publishes it; throws with the problems of a flow that is refused. */
export async function publish(owner: Owner, processID: string, flow: Flow): Promise<void> {
  const { problems } = flowProblemsBodyShape.parse(await owner.manage('PUT', `/processes/${processID}/flow`, flow));
  if (problems.length > 0) throw new Error(`the flow is refused: ${JSON.stringify(problems)}`);
  await owner.manage('POST', `/processes/${processID}/publish`);
}

/** Creates a process key and returns its value. */
export async function makeProcessKey(owner: Owner, processID: string, identifier = uniqueName('Key')): Promise<string> {
  return valueBodyShape.parse(await owner.manage('POST', `/processes/${processID}/keys`, { identifier })).value;
}

async function logIn(world: World, { email, password }: { email: string; password: string }): Promise<string> {
  const answer = await expectSuccess('POST', `${world.console}/manage/v1/session`, { body: { email, password } });
  return tokenBodyShape.parse(answer).token;
}
