import type { IncomingHttpHeaders } from 'node:http';
import type { Flow, Step } from '@batuta/flow';
import { startWebServer } from '../../support/web-server';
import { startMailSink } from '../../../apps/agent/test/mail-sink';
import { makeEnvironment, makeOwner, makeProcess, publish, type Process } from '../support/tenants/factories';
import { instanceOf, untilEnded, untilOnline } from '../support/tenants/instances';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';
import { makeOrigin, sendEvent } from '../support/webhooks/webhooks';
import { tapWires } from '../support/stack/wire-tap';

// The secrets of an owner stay with the owner, whatever a sharee tries and whoever reads an answer later.

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});

afterAll(() => stack?.stop());

/** The subject of a start; it ends with the name of the company's replica of execution once the replicas have announced themselves. */
const START_SUBJECT: unknown = expect.stringMatching(/^execution\.start(\.|$)/);
const VAULT_VALUE = 'v4ult-of-the-owner';
const ALL_PERMISSIONS = { execute: true, edit: true, api: true, schedule: true, delete: true, share: true };
const MATRIX = [{ name: 'token', type: 'Secreto' }];
/** A flow that answers with a Secreto, a sensitive row and a vault value. */
const SECRET_ANSWERING_FLOW: Flow = {
  start: 'Answer',
  steps: [
    {
      name: 'Answer',
      type: 'webhookResponse',
      body: '{"token": {{matrix.token}}, "row": "{{pin}}", "vault": "{{vault.TOKEN}}", "open": 1.50}',
      rows: [{ name: 'pin', mode: 'Fixo', value: '73', sensitive: true }],
    },
  ],
};
const REAL_VALUES = { token: 's3cret-of-the-caller', row: '73', vault: VAULT_VALUE, open: 1.5 };
const SHOWN_VALUES = { token: '•••', row: '•••', vault: '•••', open: 1.5 };

/** A process that answers with secrets, in an environment with an agent. */
async function makeSecretAnsweringProcess(): Promise<Process> {
  const process = await makeProcess(stack, { matrix: MATRIX, flow: null });
  const { owner, processID } = process;
  await owner.manage('PUT', '/vault/TOKEN', { value: VAULT_VALUE });
  await owner.manage('PUT', '/vault/BANK', { value: 'of another process' });
  expect(await owner.tryToManage('PUT', `/processes/${processID}/flow`, SECRET_ANSWERING_FLOW)).toMatchObject({
    body: { problems: [{ message: expect.stringContaining('the owner of the process has to allow it') }] },
  });
  await owner.manage('PUT', `/processes/${processID}/vault-keys`, { keys: ['TOKEN'] });
  await owner.manage('POST', `/processes/${processID}/publish`);
  await stack.startAgent(process.environment);
  await untilOnline(process.environment);
  return process;
}

test('a sharee with every permission gets no value of the owner’s vault', async () => {
  const { owner, processID, processKey, environment } = await makeSecretAnsweringProcess();
  const sharee = await makeOwner(stack, { role: 'administrator' });
  await owner.manage('PUT', `/processes/${processID}/shares/${sharee.email}`, ALL_PERMISSIONS);
  const own = await makeEnvironment(stack, { owner: sharee });
  await sharee.manage('PATCH', `/environments/${own.environmentID}`, { shared: true });
  const agent = await stack.startAgent(own);
  await untilOnline(own);
  const { environmentID } = own;

  const refused = {
    status: 400,
    body: { error: { code: 'INVALID_ENVIRONMENT', message: expect.stringContaining('reads the vault of the owner') } },
  };
  const started = await sharee.api('POST', `/processes/${processID}/start`, { processKey, body: { environmentID } });
  expect(started).toMatchObject(refused);
  expect(await sharee.tryToManage('POST', `/processes/${processID}/run`, { environmentID })).toMatchObject(refused);
  const schedule = { processID, name: 'Mine', cronExpression: '* * * * *', environmentID };
  const scheduled = await sharee.api('POST', '/schedules', { processKey, body: schedule });
  expect(scheduled).toMatchObject({ status: 400, body: { error: { code: 'INVALID_ENVIRONMENT' } } });
  const moved = await sharee.tryToManage('PATCH', `/processes/${processID}`, { environmentID });
  expect(moved).toMatchObject({ status: 400, body: { error: { code: 'INVALID_ENVIRONMENT' } } });

  const keys = await sharee.tryToManage('PUT', `/processes/${processID}/vault-keys`, { keys: ['TOKEN', 'BANK'] });
  expect(keys).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  const flowWithOtherKey = {
    ...SECRET_ANSWERING_FLOW,
    steps: [{ ...SECRET_ANSWERING_FLOW.steps[0], body: '"{{vault.BANK}}"' }],
  };
  await sharee.manage('PUT', `/processes/${processID}/flow`, flowWithOtherKey);
  expect(await sharee.tryToManage('POST', `/processes/${processID}/publish`)).toMatchObject({ status: 400 });

  const inOwners = await sharee.tryToManage('POST', `/processes/${processID}/run`, {});
  expect(inOwners).toMatchObject({ status: 200, body: { status: 'started' } });
  expect(environment.environmentID).not.toBe(environmentID);
  expect(await agent.log()).not.toContain('Answer');
});

test('only the waiting caller gets the secrets of an answer; whoever reads it later sees masks', async () => {
  const process = await makeSecretAnsweringProcess();
  const mapping = { token: '/token' };
  const origin = await makeOrigin(process, { mapping, responseMode: 'Aguardar' });
  const key = { 'idempotency-key': 'order-1' };
  const answer = await sendEvent(origin.prodUrl, { token: REAL_VALUES.token }, key);
  expect(answer).toMatchObject({ status: 200, body: REAL_VALUES });
  const { instanceID } = answer;
  const { owner } = process;
  await untilEnded(owner, instanceID);
  for (const seen of [
    await owner.api('GET', `/instances/${instanceID}`),
    await owner.tryToManage('GET', `/instances/${instanceID}`),
  ]) {
    expect(seen).toMatchObject({
      status: 200,
      body: { status: 'success', response: { code: 200, body: SHOWN_VALUES } },
    });
  }
  const replayed = await sendEvent(origin.prodUrl, { token: REAL_VALUES.token }, key);
  expect(replayed.body).toEqual({ instanceID, replayed: true });
  const logs = JSON.stringify(await owner.api('GET', `/instances/${instanceID}/logs`));
  for (const secret of [REAL_VALUES.token, VAULT_VALUE]) expect(logs).not.toContain(secret);
});

test('neither NATS nor the router can read the secret values on their way to the agent, and the flow gets them', async () => {
  const received: IncomingHttpHeaders[] = [];
  const target = await startWebServer((request, response) => {
    received.push(request.headers);
    response.end();
  });
  const headers = { 'x-token': '{matrix.token}', 'x-vault': '{vault.TOKEN}', 'x-open': '{matrix.open}' };
  const call: Step = { name: 'Call', type: 'rest', method: 'GET', url: `${target.url}/`, headers };
  const matrix = [...MATRIX, { name: 'open', type: 'Texto' }];
  const process = await makeProcess(stack, { matrix, flow: null });
  const { owner, processID, environment } = process;
  await owner.manage('PUT', '/vault/TOKEN', { value: VAULT_VALUE });
  await owner.manage('PUT', `/processes/${processID}/vault-keys`, { keys: ['TOKEN'] });
  await publish(owner, processID, { start: 'Call', steps: [call] });
  const tap = await tapWires(stack.nats.url, stack.router);

  // The first start waits in the queue until the agent connects; the second one is delivered at once to the agent's waiting claim.
  const ids = [instanceOf(await process.start({ matrix: { token: REAL_VALUES.token, open: 'first-open' } }))];
  const { activationKey } = environment;
  const agent = await stack.startAgent({ activationKey, router: tap.url });
  await untilEnded(owner, ids[0] ?? '');
  ids.push(instanceOf(await process.start({ matrix: { token: REAL_VALUES.token, open: 'second-open' } })));
  await untilEnded(owner, ids[1] ?? '');

  const seen = { 'x-token': REAL_VALUES.token, 'x-vault': VAULT_VALUE };
  expect(received).toMatchObject([
    { ...seen, 'x-open': 'first-open' },
    { ...seen, 'x-open': 'second-open' },
  ]);
  expect(await tap.placesOf('first-open')).toEqual(expect.arrayContaining([START_SUBJECT, 'to the client']));
  expect(await tap.placesOf(VAULT_VALUE)).toEqual([]);
  // The values of a caller reach execution in clear, because only execution seals them.
  expect(await tap.placesOf(REAL_VALUES.token)).toEqual([START_SUBJECT]);
  const logs = JSON.stringify(await Promise.all(ids.map((id) => owner.api('GET', `/instances/${id}/logs`))));
  expect(logs + (await agent.log())).not.toMatch(new RegExp(`${VAULT_VALUE}|${REAL_VALUES.token}`));
  const { agents } = Object(await owner.manage('GET', `/environments/${environment.environmentID}/agents`));
  expect(await agent.log()).toContain(agents[0].keyFingerprint);
  await tap.stop();
  await target.stop();
});

test('a flow mails the file that it fetched with a login from the vault, and its log never has the password', async () => {
  const pdf = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff]);
  const files = await startWebServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf);
  });
  const sink = await startMailSink({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === VAULT_VALUE ? done(null, { user: username }) : done(new Error('wrong password')),
  });
  const flow: Flow = {
    start: 'Fetch',
    steps: [
      {
        name: 'Fetch',
        type: 'rest',
        method: 'GET',
        url: `${files.url}/invoice.pdf`,
        as: 'invoice',
        routes: [{ to: 'Mail' }],
      },
      {
        name: 'Mail',
        type: 'email',
        server: '{vault.SMTP}',
        from: 'shop@x.example',
        to: 'ana@x.example',
        subject: 'R$ {matrix.total}',
        html: '<p>{matrix.total}</p>',
        attachments: ['{invoice.FILE}'],
      },
    ],
  };
  const process = await makeProcess(stack, { matrix: [{ name: 'total', type: 'Moeda' }], flow: null });
  const { owner, processID, environment } = process;
  await owner.manage('PUT', '/vault/SMTP', { value: `smtp://ana:${VAULT_VALUE}@127.0.0.1:${sink.port}` });
  await owner.manage('PUT', `/processes/${processID}/vault-keys`, { keys: ['SMTP'] });
  await owner.manage('PUT', `/processes/${processID}/flow`, flow);
  await owner.manage('POST', `/processes/${processID}/publish`);
  const agent = await stack.startAgent(environment);
  await untilOnline(environment);
  const instanceID = instanceOf(await process.start({ matrix: { total: 1234.5 } }));
  await untilEnded(owner, instanceID);
  const shown = JSON.stringify(await owner.api('GET', `/instances/${instanceID}/logs`));
  await sink.close();
  await files.stop();
  expect(shown).toContain(`sent <${instanceID}.2@x.example> to ana@x.example`);
  expect(shown + (await agent.log())).not.toContain(VAULT_VALUE);
  expect(sink.received).toMatchObject([
    {
      user: 'ana',
      mail: { subject: 'R$ 1.234,50', attachments: [{ filename: 'invoice.pdf', content: pdf }] },
    },
  ]);
});
