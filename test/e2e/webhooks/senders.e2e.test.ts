import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { echoFlow } from '../support/tenants/answer-flows';
import { makeEnvironment, makeProcess, type Environment } from '../support/tenants/factories';
import { untilOnline } from '../support/tenants/instances';
import {
  captureIDOf,
  makeOrigin,
  publishMapping,
  saveMapping,
  sendEvent,
  type Pointers,
} from '../support/webhooks/webhooks';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';

// Payloads of real systems from capture to production: captured, mapped, debugged, published, and then sent to the production
// URL byte for byte, with headers and signature.

const FIXTURES = path.join(__dirname, '../../fixtures');

interface Sender {
  file: string;
  headers?: Record<string, string>;
  query?: string;
  /** Signs the bytes as the sender does; `timestampHeader` has the time of the signature. */
  signature?: {
    header: string;
    timestampHeader?: string;
    sign: (body: Buffer, secret: string, time: number) => string;
  };
  /** Name of a variable → its type, the pointer into the payload, and the value that the process gets and answers with. */
  takes: Record<string, [type: string, pointer: string, value: unknown]>;
  /** Pointer to a value that the mapping fills into a Secreto: from then on previews and captures hide this value. */
  secret?: { pointer: string; text: string };
}

const hmacHex = (text: Buffer | string, secret: string) => createHmac('sha256', secret).update(text).digest('hex');
const GITHUB_RULE = {
  header: 'X-Hub-Signature-256',
  sign: (body: Buffer, secret: string) => `sha256=${hmacHex(body, secret)}`,
};
const SHOPIFY_RULE = {
  header: 'X-Shopify-Hmac-Sha256',
  sign: (body: Buffer, secret: string) => createHmac('sha256', secret).update(body).digest('base64'),
};
const STRIPE_RULE = {
  header: 'Stripe-Signature',
  sign: (body: Buffer, secret: string, time: number) =>
    `t=${time},v1=${hmacHex(Buffer.concat([Buffer.from(`${time}.`), body]), secret)}`,
};
const SLACK_RULE = {
  header: 'X-Slack-Signature',
  timestampHeader: 'X-Slack-Request-Timestamp',
  sign: (body: Buffer, secret: string, time: number) =>
    `v0=${hmacHex(Buffer.concat([Buffer.from(`v0:${time}:`), body]), secret)}`,
};

const SENDERS: Sender[] = [
  {
    file: 'github/github-issues-opened.payload.json',
    headers: { 'x-github-event': 'issues', 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    signature: GITHUB_RULE,
    takes: {
      event: ['Texto', '/_headers/x-github-event', 'issues'],
      title: ['Texto', '/issue/title', 'Spelling error in the README file'],
      number: ['Número', '/issue/number', 1],
      locked: ['Verdadeiro/Falso', '/issue/locked', false],
    },
  },
  {
    file: 'github/github-pull_request-opened.payload.json',
    headers: { 'x-github-event': 'pull_request' },
    signature: GITHUB_RULE,
    takes: {
      author: ['Texto', '/pull_request/user/login', 'Codertocat'],
      merged: ['Verdadeiro/Falso', '/pull_request/merged', false],
      lines: ['Número', '/pull_request/additions', 1],
    },
  },
  {
    file: 'github/github-push-1.payload.json',
    headers: { 'x-github-event': 'push' },
    signature: GITHUB_RULE,
    takes: {
      ref: ['Texto', '/ref', 'refs/tags/simple-tag'],
      commits: ['Lista', '/commits', []],
      pusher: ['Objeto', '/pusher', { name: 'Codertocat', email: '21031067+Codertocat@users.noreply.github.com' }],
    },
  },
  {
    file: 'github/github-push-payload.json',
    headers: { 'x-github-event': 'push' },
    signature: GITHUB_RULE,
    takes: {
      // null in the payload counts as missing: the variable gets its default.
      head: ['Objeto', '/head_commit', null],
      repository: ['Texto', '/repository/full_name', 'Codertocat/Hello-World'],
    },
  },
  {
    file: 'senders/payment.json',
    signature: STRIPE_RULE,
    takes: {
      cents: ['Número', '/data/object/amount', 123450],
      order: ['Texto', '/data/object/metadata/order_id', 'PED-0042'],
      methods: ['Lista', '/data/object/payment_method_types', ['card', 'pix']],
      metadata: ['Texto', '/data/object/metadata', '{"order_id":"PED-0042","cost_centre":"Moema"}'],
    },
  },
  {
    file: 'senders/notification.json',
    query: '?data.id=999999999&type=payment',
    takes: {
      payment: ['Texto', '/_query/data.id', '999999999'],
      same: ['Número', '/data/id', 999999999],
      action: ['Texto', '/action', 'payment.created'],
      whole: ['Número', '/id', 90071992547],
    },
  },
  {
    file: 'senders/order.json',
    headers: { 'x-shopify-topic': 'orders/create' },
    signature: SHOPIFY_RULE,
    takes: {
      topic: ['Texto', '/_headers/x-shopify-topic', 'orders/create'],
      total: ['Moeda', '/total_price', 1715.8],
      surname: ['Texto', '/customer/last_name', 'd’Ávila'],
      second: ['Texto', '/line_items/1/title', 'Moinho "elétrico"'],
      tags: ['Lista', '/tags', ['atacado', 'café']],
    },
  },
  {
    file: 'senders/message.json',
    // This sender signs in the same form as GitHub.
    signature: GITHUB_RULE,
    takes: {
      name: ['Texto', '/entry/0/changes/0/value/contacts/0/profile/name', 'Zoé 🎼'],
      text: ['Texto', '/entry/0/changes/0/value/messages/0/text/body', 'Olá!\nQuero 2 sacas de café, "bem torrado".'],
      phone: ['Texto', '/entry/0/changes/0/value/metadata/phone_number_id', '200000000000002'],
    },
  },
  {
    file: 'senders/chat-event.json',
    headers: { authorization: 'Bearer not-for-us' },
    signature: SLACK_RULE,
    secret: { pointer: '/token', text: 'verification-token-of-the-chat' },
    takes: {
      said: ['Texto', '/event/text', '<@U0BATUTA2> please run the *monthly report* ~today~ :rocket:'],
      bot: ['Verdadeiro/Falso', '/authorizations/0/is_bot', true],
      retries: ['Número', '/_headers/x-slack-retry-num', null],
    },
  },
];

let stack: Stack;
let environment: Environment;

beforeAll(async () => {
  stack = await startStack();
  environment = await makeEnvironment(stack);
  await stack.startAgent(environment);
  await untilOnline(environment);
});

afterAll(() => stack?.stop());

test.each(SENDERS.map((sender) => [sender.file, sender] as const))(
  'a payload of %s passes capture, mapping and publication and starts in production',
  async (file, { headers = {}, query = '', signature, takes, secret }) => {
    const matrix = [
      ...Object.entries(takes).map(([name, [type]]) => ({ name, type })),
      ...(secret ? [{ name: 'hidden', type: 'Secreto' }] : []),
    ];
    const pointers: Pointers = {
      ...Object.fromEntries(Object.entries(takes).map(([name, [, pointer]]) => [name, pointer])),
      ...(secret ? { hidden: secret.pointer } : {}),
    };
    const body = readFileSync(path.join(FIXTURES, file));
    const process = await makeProcess(stack, { environment, matrix, flow: echoFlow(Object.keys(takes)) });
    const key = 'a secret that both sides know';
    const origin = await makeOrigin(process, {
      responseMode: 'Aguardar',
      signature: signature ? { header: signature.header, secret: key, toleranceSeconds: null } : null,
    });
    const signedHeaders = () => {
      if (!signature) return headers;
      const { header, timestampHeader, sign } = signature;
      const time = Math.floor(Date.now() / 1_000);
      return {
        ...headers,
        [header]: sign(body, key, time),
        ...(timestampHeader !== undefined && { [timestampHeader]: String(time) }),
      };
    };

    const captureID = captureIDOf(await sendEvent(origin.devUrl + query, body, signedHeaders()));
    const shown = await process.owner.manage('GET', `/captures/${captureID}`);
    expect(shown).toMatchObject({ truncated: false, bytes: body.length });
    expect(shown).toMatchObject({ payload: JSON.parse(body.toString('utf8')) });

    await saveMapping(origin, pointers);
    const values = Object.entries(takes).map(([name, [, , value]]) => [name, value]);
    const preview = JSON.stringify(await process.owner.manage('GET', `/captures/${captureID}/preview`));
    expect(preview).not.toContain('"refusal"');

    await publishMapping(origin, pointers);
    const answer = await sendEvent(origin.prodUrl + query, body, signedHeaders());
    expect([answer.status, answer.body]).toEqual([200, Object.fromEntries(values)]);

    const after = await process.owner.manage('GET', `/captures/${captureID}`);
    const masked = JSON.stringify([after, preview]);
    expect(secret !== undefined && masked.includes(secret.text)).toBe(false);
    expect(JSON.stringify(shown)).not.toContain('not-for-us');
  },
);
