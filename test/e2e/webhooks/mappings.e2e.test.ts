import * as s from '../../support/shape';
import { echoFlow } from '../support/tenants/answer-flows';
import type { Process } from '../support/tenants/factories';
import { untilEnded, messagesOf } from '../support/tenants/instances';
import { ORDER_BODY, SENDER_SECRET, startWebhookStack, type WebhookStack } from '../support/webhooks/webhook-world';
import { captureIDOf, draftMapping, makeOrigin, saveMapping, sendEvent } from '../support/webhooks/webhooks';

// Mappings from fields of a webhook call to variables of the process: draft, saved and published.

const MASK = '«•••»';

let world: WebhookStack;

beforeAll(async () => {
  world = await startWebhookStack();
});

afterAll(() => world?.stop());

describe('states', () => {
  test('a mapping applies to production when it is published, and an unsaved draft prevents a publication', async () => {
    const process = await world.newProcess();
    const { owner, processID } = process;
    const origin = await makeOrigin(process, { mapping: { total: '/total' }, responseMode: 'Aguardar' });
    const answer = async () => (await sendEvent(origin.prodUrl, ORDER_BODY)).body;
    expect(await answer()).toEqual({ customer: 'nobody', total: 1234.5 });

    await draftMapping(origin, { customer: '/customer/name' });
    expect(await answer()).toEqual({ customer: 'nobody', total: 1234.5 });
    const refused = await owner.tryToManage('POST', `/processes/${processID}/publish`);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'MAPPING_UNSAVED' } } });

    await owner.manage('POST', `/origins/${origin.id}/mapping/save`);
    expect(await answer()).toEqual({ customer: 'nobody', total: 1234.5 });
    await owner.manage('POST', `/processes/${processID}/publish`);
    expect(await answer()).toEqual({ customer: 'Ana', total: 1 });
  });

  /** Replaces the variables of a process by what `change` makes of each; an empty list deletes the variable. */
  async function changeVariables({ owner, processID }: Process, change: (variable: { name: string }) => object[]) {
    const path = `/processes/${processID}/matrix`;
    const { matrix } = s
      .object({ matrix: s.list(s.object({ name: s.text() })) })
      .parse(await owner.manage('GET', path));
    await owner.manage('PUT', path, { matrix: matrix.flatMap(change) });
  }

  test('a mapping stays when its variable is renamed', async () => {
    const process = await world.newProcess();
    const origin = await makeOrigin(process, { mapping: { total: '/total' }, responseMode: 'Aguardar' });
    await changeVariables(process, (item) => [item.name === 'total' ? { ...item, name: 'amount' } : item]);
    await process.owner.manage('PUT', `/processes/${process.processID}/flow`, echoFlow(['amount']));
    await process.owner.manage('POST', `/processes/${process.processID}/publish`);
    expect((await sendEvent(origin.prodUrl, ORDER_BODY)).body).toEqual({ amount: 1234.5 });
  });

  test('a mapping that is published converts by the new type of a variable, and skips a variable that was deleted', async () => {
    const process = await world.newProcess({ flow: echoFlow(['total']) });
    const mapping = { total: '/total', customer: '/customer/name' };
    const { prodUrl } = await makeOrigin(process, { mapping, responseMode: 'Aguardar' });
    expect((await sendEvent(prodUrl, ORDER_BODY)).body).toEqual({ total: 1234.5 });
    await changeVariables(process, (item) => [
      item.name === 'total' ? { ...item, type: 'Texto', default: 'none' } : item,
    ]);
    expect((await sendEvent(prodUrl, ORDER_BODY)).body).toEqual({ total: ORDER_BODY.total });
    await changeVariables(process, (item) => (item.name === 'customer' ? [] : [item]));
    expect((await sendEvent(prodUrl, ORDER_BODY)).body).toEqual({ total: ORDER_BODY.total });
  });

  test('a mapping reads fields of the query and of headers, and a missing field leaves the default', async () => {
    const process = await world.newProcess();
    const mapping = { customer: '/_query/who', total: '/_headers/x-total' };
    const { prodUrl } = await makeOrigin(process, { mapping, responseMode: 'Aguardar' });
    const sent = await sendEvent(`${prodUrl}?who=Zo%C3%A9`, ORDER_BODY, { 'x-total': '7,5' });
    expect(sent.body).toEqual({ customer: 'Zoé', total: 7.5 });
    expect((await sendEvent(prodUrl, ORDER_BODY)).body).toEqual({ customer: 'nobody', total: 1 });
  });

  const NODE = { list: [1, 'a', null], object: { a: [true] }, text: 'x' };
  test.each([
    ['Lista', '/list', [1, 'a', null]],
    ['Objeto', '/object', { a: [true] }],
    ['Objeto', '/list', [1, 'a', null]],
    ['Texto', '/object', '{"a":[true]}'],
    ['Texto', '/list', '[1,"a",null]'],
    ['Lista', '/object', undefined],
    ['Número', '/list', undefined],
    ['Moeda', '/object', undefined],
    ['Verdadeiro/Falso', '/object', undefined],
  ])(
    'a mapping of a whole node into %s from %s gives the converted value, or refuses the call when the type does not accept the node',
    async (type, pointer, value) => {
      const matrix = [{ name: 'node', type }];
      const process = await world.newProcess({ matrix, flow: echoFlow(['node']) });
      const { prodUrl } = await makeOrigin(process, { mapping: { node: pointer }, responseMode: 'Aguardar' });
      const { status, body } = await sendEvent(prodUrl, NODE);
      const refusal = { error: { code: 'INVALID_MATRIX', message: expect.stringMatching(/^node:/) } };
      expect([status, body]).toEqual(value === undefined ? [400, refusal] : [200, { node: value }]);
    },
  );
});

describe('Secretos', () => {
  test('a field mapped to a Secreto is masked in earlier and later captures, with the nodes around it', async () => {
    const origin = await makeOrigin(await world.newProcess());
    const before = captureIDOf(await sendEvent(origin.devUrl, ORDER_BODY));
    await saveMapping(origin, { token: '/customer/token' });
    const after = captureIDOf(await sendEvent(origin.devUrl, ORDER_BODY));
    for (const id of [before, after]) {
      const capture = await origin.process.owner.manage('GET', `/captures/${id}`);
      expect(capture).toMatchObject({ payload: { customer: { name: 'Ana', token: MASK }, total: ORDER_BODY.total } });
      expect(JSON.stringify(capture)).not.toContain(SENDER_SECRET);
    }
  });

  test('a field mapped to a Secreto reaches production unmasked, and no log', async () => {
    const flow = echoFlow(['customer'], {
      before: {
        name: 'Look',
        type: 'variables',
        rows: [{ name: 'length', mode: 'Fórmula', value: '{matrix.token}.length' }],
      },
    });
    const process = await world.newProcess({ flow });
    const { prodUrl } = await makeOrigin(process, { mapping: { token: '/customer/token' } });
    const { instanceID } = await sendEvent(prodUrl, ORDER_BODY);
    expect(await untilEnded(process.owner, instanceID)).toMatchObject({ status: 'success' });
    const log = (await messagesOf(process.owner, instanceID)).join('\n');
    expect(log).toContain(String(ORDER_BODY.customer.token.length));
    expect(log).not.toContain(SENDER_SECRET);
  });
});
