import { randomUUID } from 'node:crypto';
import {
  callAsOperator,
  makeCompany,
  makeEnvironment,
  makeOwner,
  makeProcess,
  type Process,
} from '../support/tenants/factories';
import { makeOrigin, sendEvent, type WebhookResponse, type Origin } from '../support/webhooks/webhooks';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';
import { until } from '../support/until';

// Every refusal of a webhook call.

const EVENT = { total: 'R$ 1.234,50' };

let stack: Stack;
/** A process in an offline environment that queues starts. */
let process: Process;
let origin: Origin;

beforeAll(async () => {
  stack = await startStack();
  process = await makeProcess(stack, { matrix: [{ name: 'total', type: 'Moeda' }] });
  origin = await makeOrigin(process, { mapping: { total: '/total' } });
});

afterAll(() => stack?.stop());

describe('refusals', () => {
  const refusals: [code: string, status: number, says: RegExp, by: () => Promise<WebhookResponse>][] = [
    ['NOT_FOUND', 404, /./, () => sendEvent(origin.prodUrl.slice(0, -6) + 'AAAAAA', EVENT)],
    ['NOT_FOUND', 404, /./, () => sendEvent(origin.prodUrl.replace(process.processID, randomUUID()), EVENT)],
    ['NOT_FOUND', 404, /./, () => sendEvent(origin.prodUrl.replace(process.processID, 'orders'), 'no JSON')],
    [
      'WEBHOOK_DISABLED',
      403,
      /switched off/,
      async () => {
        const one = await makeOrigin(process);
        await process.owner.manage('PATCH', `/origins/${one.id}`, { enabled: false });
        expect((await sendEvent(one.devUrl, EVENT)).status).toBe(403);
        return sendEvent(one.prodUrl, EVENT);
      },
    ],
    [
      'WEBHOOK_DISABLED',
      403,
      /BLOQUEADO/,
      async () => {
        const blocked = await makeProcess(stack, { owner: process.owner });
        const one = await makeOrigin(blocked);
        await process.owner.manage('PATCH', `/processes/${blocked.processID}`, { apiPermission: 'BLOQUEADO' });
        return sendEvent(one.prodUrl, EVENT);
      },
    ],
    [
      'PLAN_FEATURE_UNAVAILABLE',
      402,
      /API access/,
      async () => {
        const company = await makeCompany(stack);
        const one = await makeOrigin(await makeProcess(stack, { owner: await makeOwner(stack, { company }) }));
        await callAsOperator(stack, 'PATCH', `/plans/${company.planID}`, { apiAccess: false });
        return sendEvent(one.prodUrl, EVENT);
      },
    ],
    [
      'OWNER_INACTIVE',
      403,
      /owner/,
      async () => {
        const company = await makeCompany(stack);
        const one = await makeOrigin(await makeProcess(stack, { owner: await makeOwner(stack, { company }) }));
        await callAsOperator(stack, 'PATCH', `/companies/${company.companyID}`, { suspended: true });
        expect(await sendEvent(one.devUrl, EVENT)).toMatchObject({ body: { error: { code: 'OWNER_INACTIVE' } } });
        return sendEvent(one.prodUrl, EVENT);
      },
    ],
    [
      'PROCESS_NOT_PUBLISHED',
      409,
      /published/,
      async () =>
        sendEvent((await makeOrigin(await makeProcess(stack, { owner: process.owner, flow: null }))).prodUrl, EVENT),
    ],
    [
      'INVALID_ENVIRONMENT',
      400,
      /./,
      async () => {
        const orphan = await makeProcess(stack);
        await orphan.owner.manage('DELETE', `/environments/${orphan.environment.environmentID}`);
        return sendEvent((await makeOrigin(orphan)).prodUrl, EVENT);
      },
    ],
    [
      'AGENT_OFFLINE',
      503,
      /"Far away"/,
      async () => {
        const settings = { owner: process.owner, name: 'Far away', offlineFlow: false };
        const environment = await makeEnvironment(stack, settings);
        return sendEvent((await makeOrigin(await makeProcess(stack, { environment }))).prodUrl, EVENT);
      },
    ],
    ['BAD_REQUEST', 400, /JSON/, () => sendEvent(origin.prodUrl, '{"customer": ')],
    ['BAD_REQUEST', 400, /JSON/, () => sendEvent(origin.devUrl, '{"customer": ')],
    [
      'BAD_REQUEST',
      400,
      /Idempotency-Key/,
      () => sendEvent(origin.prodUrl, EVENT, { 'idempotency-key': 'x'.repeat(256) }),
    ],
    ['INVALID_MATRIX', 400, /^total:/, () => sendEvent(origin.prodUrl, { total: 'abc' })],
    ['INVALID_MATRIX', 400, /^total:/, () => sendEvent(origin.prodUrl, { total: { value: 1 } })],
    [
      'RATE_LIMITED',
      429,
      /requests in a minute/,
      async () => {
        const company = await makeCompany(stack, { plan: { requestsPerMinute: 2 } });
        const one = await makeOrigin(await makeProcess(stack, { owner: await makeOwner(stack, { company }) }));
        return until(
          () => sendEvent(one.prodUrl, EVENT),
          ({ status }) => status > 202,
        );
      },
    ],
  ];

  test.each(refusals)(
    'a webhook call that is refused with %s is answered in the envelope of the API (%i, %s)',
    async (code, status, says, by) => {
      const answer = await by();
      expect([answer.status, answer.body]).toEqual([status, { error: { code, message: expect.stringMatching(says) } }]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.instanceID).toBe('');
    },
  );
});
