import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { ORDER_BODY, startWebhookStack, type WebhookStack } from '../support/webhooks/webhook-world';
import { captureIDOf, captureIDsOf, makeOrigin, sendEvent, type Origin } from '../support/webhooks/webhooks';

// Bodies of webhook calls: signatures, charsets and sizes.

let world: WebhookStack;

beforeAll(async () => {
  world = await startWebhookStack();
});

afterAll(() => world?.stop());

describe('signatures', () => {
  const secret = 'a secret of both';
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
  const body = JSON.stringify(ORDER_BODY);
  const now = () => Math.floor(Date.now() / 1_000);
  const stripeHeaders = (time: number, digest = hmac(`${time}.${body}`)) => ({
    'stripe-signature': `t=${time},v1=${digest}`,
  });

  const standardKey = randomBytes(32);
  const STANDARD_RULE = {
    header: 'webhook-signature',
    secret: `whsec_${standardKey.toString('base64')}`,
    toleranceSeconds: null,
  };
  const standardWebhooksHeaders = (time: number, content = body) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${createHmac('sha256', standardKey).update(`msg_1.${time}.${content}`).digest('base64')}`,
  });

  type Headers = Record<string, string>;
  const FORMS: [form: string, rule: object, right: () => Headers, wrong: () => Headers[]][] = [
    [
      'of GitHub’s form',
      { header: 'X-Hub-Signature-256', secret, toleranceSeconds: null },
      () => ({ 'x-hub-signature-256': `sha256=${hmac(body)}` }),
      (): Headers[] => [
        {},
        { 'x-hub-signature-256': `sha256=${hmac(`${body} `)}` },
        { 'x-hub-signature-256': 'sha256=' },
      ],
    ],
    [
      'of Stripe’s form',
      { header: 'Stripe-Signature', secret, toleranceSeconds: 300 },
      () => stripeHeaders(now()),
      (): Headers[] => [
        {},
        stripeHeaders(now() - 900),
        stripeHeaders(now(), hmac(body)),
        { 'stripe-signature': `v1=${hmac(body)}` },
      ],
    ],
    [
      'of Standard Webhooks',
      STANDARD_RULE,
      () => standardWebhooksHeaders(now()),
      (): Headers[] => [
        {},
        standardWebhooksHeaders(now() - 900),
        standardWebhooksHeaders(now(), '{}'),
        { ...standardWebhooksHeaders(now()), 'webhook-id': 'msg_2' },
      ],
    ],
  ];

  test.each(FORMS)(
    'an origin that requires signatures %s stores and starts nothing without a valid signature',
    async (_, signature, right, wrong) => {
      const origin = await makeOrigin(await world.newProcess(), { mapping: { total: '/total' } });
      await origin.process.owner.manage('PATCH', `/origins/${origin.id}`, { signature });
      for (const headers of wrong()) {
        for (const url of [origin.devUrl, origin.prodUrl]) {
          expect(await sendEvent(url, body, headers)).toMatchObject({
            status: 401,
            body: { error: { code: 'WEBHOOK_SIGNATURE_INVALID' } },
          });
        }
      }
      expect(await captureIDsOf(origin)).toEqual([]);
      expect(await sendEvent(origin.devUrl, body, right())).toMatchObject({ status: 200, body: { captured: true } });
      expect(await sendEvent(origin.prodUrl, body, right())).toMatchObject({
        status: 200,
        body: { status: 'started' },
      });
    },
  );

  test('a message of Standard Webhooks that is sent again answers with the instance of the first', async () => {
    const { prodUrl } = await makeOrigin(await world.newProcess(), {
      mapping: { total: '/total' },
      signature: STANDARD_RULE,
    });
    const first = await sendEvent(prodUrl, body, standardWebhooksHeaders(now()));
    expect(first.body).toMatchObject({ status: 'started' });
    expect(await sendEvent(prodUrl, body, standardWebhooksHeaders(now() - 1))).toMatchObject({
      status: 200,
      body: { instanceID: first.instanceID, replayed: true },
    });
  });
});

describe('bodies', () => {
  const text = '{"customer":"São João"}';
  const LATIN = { 'content-type': 'application/json; charset=ISO-8859-1' };

  test.each<[what: string, body: Buffer | string, headers: Record<string, string>, customer: string]>([
    ['in ISO-8859-1', Buffer.from(text, 'latin1'), LATIN, 'São João'],
    ['in UTF-8 though ISO-8859-1 is declared', Buffer.from(text), LATIN, 'São João'],
    ['with a byte order mark', Buffer.from(`\uFEFF${text}`), {}, 'São João'],
    ['of another media type', text, { 'content-type': 'text/plain' }, 'São João'],
    ['that are empty', '', {}, 'nobody'],
  ])('bodies %s are read', async (_, body, headers, customer) => {
    const { prodUrl } = await sharedOrigin();
    expect((await sendEvent(prodUrl, body, headers)).body).toMatchObject({ customer });
  });

  test.each<[what: string, body: Buffer | string, headers: Record<string, string>, status: number, code: string]>([
    ['of another charset', text, { 'content-type': 'application/json; charset=utf-16' }, 415, 'UNSUPPORTED_CHARSET'],
    ['that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, 'BAD_REQUEST'],
    ['of a byte more than 1 MB', `"${'x'.repeat(1_048_575)}"`, {}, 413, 'PAYLOAD_TOO_LARGE'],
  ])('bodies %s are refused', async (_, body, headers, status, code) => {
    const { prodUrl, devUrl } = await sharedOrigin();
    for (const url of [prodUrl, devUrl]) {
      expect(await sendEvent(url, body, headers)).toMatchObject({ status, body: { error: { code } } });
    }
  });

  test('bodies of 1 MB start an instance; above 100 KB they are captured truncated and cannot be debugged', async () => {
    const { prodUrl, devUrl, process } = await sharedOrigin();
    expect((await sendEvent(prodUrl, `"${'x'.repeat(1_048_574)}"`)).body).toMatchObject({ customer: 'nobody' });
    const whole = captureIDOf(await sendEvent(devUrl, `"${'x'.repeat(102_398)}"`));
    expect(await process.owner.manage('GET', `/captures/${whole}`)).toMatchObject({ truncated: false, bytes: 102_400 });
    const cut = captureIDOf(await sendEvent(devUrl, `"${'x'.repeat(102_399)}"`));
    expect(await process.owner.manage('GET', `/captures/${cut}`)).toMatchObject({
      truncated: true,
      bytes: 102_401,
      text: expect.stringMatching(/^"x{102399}$/),
    });
    for (const path of [`/captures/${cut}/debug`, `/captures/${cut}/replay`]) {
      expect(await process.owner.tryToManage('POST', path)).toMatchObject({
        status: 409,
        body: { error: { code: 'CONFLICT' } },
      });
    }
  });

  let made: Promise<Origin> | undefined;
  /** The origin of all these tests; it answers with the customer of the event. */
  const sharedOrigin = () =>
    (made ??= world
      .newProcess()
      .then((process) =>
        makeOrigin(process, { mapping: { customer: '/customer' }, responseMode: 'Aguardar', name: randomUUID() }),
      ));
});
