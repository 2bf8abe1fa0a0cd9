import * as fc from 'fast-check';
import * as s from '../support/shape';
import {
  makeCompany,
  makeEnvironment,
  makeOwner,
  makeProcess,
  publish,
  type Environment,
  type Process,
} from '../e2e/support/tenants/factories';
import { untilEnded, instanceOf } from '../e2e/support/tenants/instances';
import { makeOrigin, sendEvent } from '../e2e/support/webhooks/webhooks';
import type { Flow } from '@batuta/flow';
import type { Stack } from '../e2e/support/stack/stack';
import { until } from '../e2e/support/until';
import { AMPLE_PLAN } from './fuzz-settings';
import type { KnownValues } from './requests';
import { Secrets } from './secrets';
import { arbitraryFieldNames, jsonValues } from './schema-values';

/** Instances in each of the two environments: ended ones online, queued ones offline. */
const INSTANCE_COUNT = 12;
/** So many that the DELETE requests do not delete all of them. */
const SCHEDULE_COUNT = 50;

export interface GatewayFuzzWorld {
  process: Process;
  /** By security scheme of the OpenAPI document: the header with the credential. */
  credentials: { accountCredential: [string, string]; processKey: [string, string] };
  known: KnownValues;
  /** By name of a route: values that override those of `known`. */
  knownByRoute: Record<string, KnownValues>;
  secrets: Secrets;
  /** Instances that used the secrets and have ended. */
  finished: string[];
}

const idBodyShape = s.object({ id: s.text() });

/** An owner whose process has variables of every type, queued and ended instances, and schedules. Its flow uses secrets. */
export async function makeGatewayWorld(stack: Stack): Promise<GatewayFuzzWorld> {
  const secrets = new Secrets();
  const secreto = secrets.make('the value of a Secreto');
  const owner = await makeOwner(stack, { company: await makeCompany(stack, { plan: AMPLE_PLAN }) });
  const [online, offline] = await Promise.all([makeEnvironment(stack, { owner }), makeEnvironment(stack, { owner })]);
  await owner.manage('PUT', '/vault/FUZZ', { value: secrets.make('a vault value') });
  const process = await makeSecretProcess(stack, offline);
  await stack.startAgent(online);
  const start = async (environmentID: string) =>
    instanceOf(await process.start({ environmentID, matrix: { segredo: secreto } }));
  const startAll = (environmentID: string) =>
    Promise.all(Array.from({ length: INSTANCE_COUNT }, () => start(environmentID)));
  const finished = await startAll(online.environmentID);
  await Promise.all(finished.map((instanceID) => untilEnded(owner, instanceID)));
  finished.push(await makeAnsweredInstance(await makeSecretProcess(stack, online), secreto));
  const instances = [...finished, ...(await startAll(offline.environmentID))];
  const { devUrl, prodUrl } = await makeOrigin(process);
  const tokens = [devUrl, prodUrl].map((url) => url.slice(url.lastIndexOf('/') + 1));
  const scheduleIDs: string[] = [];
  while (scheduleIDs.length < SCHEDULE_COUNT) scheduleIDs.push(await makeSchedule(process, scheduleIDs.length));
  secrets.keep('a password', owner.password);
  secrets.keep('an account credential', owner.credential);
  secrets.keep('a process key', process.processKey);
  for (const { activationKey } of [online, offline]) secrets.keep(`activation key ${activationKey}`, activationKey);
  for (const token of tokens) secrets.keep(`webhook token ${token}`, token);
  return {
    secrets,
    finished,
    process,
    credentials: {
      accountCredential: ['Authorization', `Bearer ${owner.credential}`],
      processKey: ['X-Process-Key', process.processKey],
    },
    known: {
      pid: fc.constant(process.processID),
      processID: fc.constant(process.processID),
      iid: fc.constantFrom(...instances),
      id: fc.constantFrom(...scheduleIDs),
      token: fc.constantFrom(...tokens),
      environmentID: fc.constantFrom(online.environmentID, offline.environmentID),
      matrix: fc.record(
        { ...arbitraryValuesByVariable, segredo: fc.oneof(fc.constant(secreto), arbitraryValuesByVariable.segredo) },
        { requiredKeys: [] },
      ),
      from: fc.constantFrom('2020-02-29', '2026-01-01'),
      to: fc.constantFrom('2038-01-19', '2099-12-31'),
      name: fc.stringMatching(/^[A-Za-zÀ-ú0-9][A-Za-zÀ-ú0-9 .:-]{0,60}$/),
      cronExpression: fc.constantFrom('0 8 29 2 *', '*/5 3 1 1 MON', '0 0 1 JAN,JUL 7', '59 23 31 12 *'),
    },
    knownByRoute: {
      'POST /v1/schedules': { matrix: fc.record(arbitraryPlainValuesByVariable, { requiredKeys: [] }) },
      // The DELETE requests get one half of the schedules, and the PATCH requests the other, so that these find theirs.
      'DELETE /v1/schedules/{id}': { id: fc.constantFrom(...scheduleIDs.slice(0, SCHEDULE_COUNT / 2)) },
      'PATCH /v1/schedules/{id}': { id: fc.constantFrom(...scheduleIDs.slice(SCHEDULE_COUNT / 2)) },
    },
  };
}

/** A process whose flow uses the Secreto and the vault value. */
async function makeSecretProcess(stack: Stack, environment: Environment): Promise<Process> {
  const process = await makeProcess(stack, { environment, matrix: MATRIX_VARIABLES, flow: null });
  await process.owner.tryToManage('PUT', `/processes/${process.processID}/vault-keys`, { keys: ['FUZZ'] });
  await publish(process.owner, process.processID, SECRET_FLOW);
  return process;
}

/** Makes an instance whose answer to a waiting caller contains the secrets, awaits its end and returns its id. */
async function makeAnsweredInstance(process: Process, secreto: string): Promise<string> {
  const origin = await makeOrigin(process, { mapping: { segredo: '/segredo' }, responseMode: 'Aguardar' });
  const { status, body, instanceID } = await sendEvent(origin.prodUrl, { segredo: secreto });
  expect([status, body]).toEqual([200, { vault: expect.any(String), secreto }]);
  await untilEnded(process.owner, instanceID);
  return instanceID;
}

async function makeSchedule({ owner, processID, processKey }: Process, number: number): Promise<string> {
  const body = { processID, name: `Schedule ${number}`, cronExpression: '0 8 29 2 *', active: number % 2 === 0 };
  // A repeated call may create two schedules, which does not matter here.
  const made = await until(
    () => owner.api('POST', '/schedules', { processKey, body }),
    ({ status }) => status < 500,
  );
  return idBodyShape.parse(made.body).id;
}

/** Answers with the secrets, then fails with them in its message. */
const SECRET_FLOW: Flow = {
  start: 'Answer',
  steps: [
    {
      name: 'Answer',
      type: 'webhookResponse',
      body: '{"vault":"{{vault.FUZZ}}","secreto":"{{matrix.segredo}}"}',
      routes: [{ to: 'Fail' }],
    },
    { name: 'Fail', type: 'script', code: 'throw new Error("{vault.FUZZ} and {matrix.segredo}")' },
  ],
};

const MATRIX_VARIABLES = [
  { name: 'texto', type: 'Texto', default: 'x' },
  { name: 'numero', type: 'Número', default: 1 },
  { name: 'moeda', type: 'Moeda' },
  { name: 'flag', type: 'Verdadeiro/Falso' },
  { name: 'lista', type: 'Lista' },
  { name: 'objeto', type: 'Objeto' },
  { name: 'segredo', type: 'Secreto' },
];

/** Values that the types of the variables accept (contract 2.6), without the Secreto, which schedules refuse (contract 4.14). */
const arbitraryPlainValuesByVariable = {
  texto: fc.oneof(fc.string({ unit: 'grapheme' }), jsonValues()),
  numero: fc.oneof(fc.integer(), fc.constantFrom('1.234,5', '0,5', '1,234,567', '-5', ' 7 ', null)),
  moeda: fc.oneof(fc.integer(), fc.constantFrom('R$ 1.234,56', '-R$ 5', '€ 10', '10.555', null)),
  flag: fc.oneof(fc.boolean(), fc.constantFrom('true', 'SIM', 'não', '0', '', 1, null)),
  lista: fc.oneof(fc.array(jsonValues(), { maxLength: 4 }), fc.constantFrom('a, b,c', '[1,2]', '', null)),
  objeto: fc.oneof(
    fc.dictionary(arbitraryFieldNames(), jsonValues(), { maxKeys: 4 }),
    fc.constantFrom('{"a":1}', [], null),
  ),
};
const arbitraryValuesByVariable = {
  ...arbitraryPlainValuesByVariable,
  segredo: fc.oneof(fc.string({ minLength: 1 }), fc.integer()),
};
