import { randomUUID } from 'node:crypto';
import type { Flow } from '@batuta/flow';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { startWebServer, type WebServer } from '../../support/web-server';
import { startMailSink, type MailSink } from '../../../apps/agent/test/mail-sink';
import { TestAgent } from '../../../apps/router/test/test-agent';
import { ensureBrowser, startPostgres, type PostgresHandle } from '../../../scripts/lib/servers.cjs';
import { makeOwner, makeProcess, publish, type Owner } from '../support/tenants/factories';
import { instanceOf, untilEnded, untilOnline } from '../support/tenants/instances';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';
import { until } from '../support/until';
import { makeOrigin, sendEvent } from '../support/webhooks/webhooks';

// One flow through every connector, run by the reference agent as customers start it (each execution in an OS process of its own), and the
// pictures of steps.

const SHOP_PASSWORD = 'shop-pa55word';
const PDF = Buffer.from('%PDF-1.4 invoice of order 4711');
const PAGE = `<!doctype html><title>Order 4711</title>
  <form onsubmit="return false">
    <input id="password" type="text"><input id="total"><button onclick="confirmOrder()">Confirm</button>
  </form>
  <p id="protocol"></p>
  <table><tr><th>Item</th><th>Quantity</th></tr><tr><td>Pen</td><td>2</td></tr><tr><td>Ink</td><td>1</td></tr></table>
  <a href="/invoice.pdf" download>Invoice</a>
  <script>function confirmOrder() { protocol.textContent = 'P-' + total.value; }</script>`;

let stack: Stack;
let mail: MailSink;
let postgres: PostgresHandle;
let web: WebServer;
/** The files that the REST service received. */
const receivedFiles: { type: string | undefined; body: Buffer }[] = [];

beforeAll(async () => {
  [stack, mail, postgres] = await Promise.all([
    startStack({ env: { QUOTA_EVIDENCE_MEGABYTES: '1' } }),
    startMailSink(),
    startPostgres(),
  ]);
  web = await startWebServer((request, response) => {
    if (request.method === 'GET' && request.url === '/invoice.pdf') {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(PDF);
    } else if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    } else {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receivedFiles.push({ type: request.headers['content-type'], body: Buffer.concat(chunks) });
        response.writeHead(201, { 'content-type': 'application/json' }).end('{"receipt":"R-1"}');
      });
    }
  });
});
afterAll(async () => {
  await Promise.all([web?.stop(), stack?.stop(), mail?.close(), postgres?.stop()]);
});

function flowAt(address: string): Flow {
  return {
    start: 'Page',
    steps: [
      {
        name: 'Page',
        type: 'browser',
        actions: [
          { action: 'open', url: `${address}/order` },
          { action: 'fill', selector: '#password', value: '{vault.SHOP_PASSWORD}' },
          { action: 'fill', selector: '#total', value: '{matrix.total}' },
          { action: 'click', selector: 'text=Confirm' },
          { action: 'readText', selector: '#protocol', into: 'protocol' },
          { action: 'readTable', selector: 'table', into: 'items' },
          { action: 'download', selector: 'text=Invoice' },
          { action: 'screenshot' },
        ],
        as: 'page',
        routes: [{ to: 'Upload' }],
      },
      {
        name: 'Upload',
        type: 'rest',
        method: 'POST',
        url: `${address}/documents`,
        file: '{page.FILE}',
        as: 'stored',
        routes: [{ to: 'Orders' }],
      },
      {
        name: 'Orders',
        type: 'database',
        connection: '{vault.MARIADB}',
        statements: [
          { sql: 'INSERT INTO erp_order (protocol, total) VALUES ({page.protocol}, {matrix.total})' },
          { sql: 'SELECT id, protocol, total FROM erp_order WHERE protocol = {page.protocol}' },
        ],
        transaction: true,
        as: 'orders',
        routes: [{ to: 'Ledger' }],
      },
      {
        name: 'Ledger',
        type: 'database',
        connection: '{vault.POSTGRES}',
        sql: 'INSERT INTO ledger (receipt, total) VALUES ({stored.body.receipt}, {matrix.total}) RETURNING id, receipt',
        as: 'ledger',
        routes: [{ to: 'Mail' }],
      },
      {
        name: 'Mail',
        type: 'email',
        server: '{vault.SMTP}',
        from: 'shop@x.example',
        to: 'ana@x.example',
        subject: 'Order {page.protocol}: R$ {matrix.total}',
        text: 'Receipt {ledger.0.receipt}',
        attachments: ['{page.FILE}'],
        routes: [{ to: 'Answer' }],
      },
      {
        name: 'Answer',
        type: 'webhookResponse',
        code: 201,
        body: '{"protocol": "{{page.protocol}}", "items": {{page.items}}, "receipt": "{{ledger.0.receipt}}", "evidence": "{{page.evidence}}"}',
      },
    ],
  };
}

/** Stores the values in the owner's vault and allows the process to read them. */
async function storeVaultValues(owner: Owner, processID: string, values: Record<string, string>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await owner.manage('PUT', `/vault/${key}`, { value });
  await owner.manage('PUT', `/processes/${processID}/vault-keys`, { keys: Object.keys(values) });
}

test('one flow reads a page, calls a REST service with a file, uses two databases, sends a mail and answers a webhook, and its log shows all of it with a picture', async () => {
  const orders = await createConnection(stack.databaseUrl);
  await orders.query(
    'CREATE TABLE erp_order (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, protocol varchar(80), total decimal(20,2))',
  );
  const ledger = new Client({ connectionString: postgres.url });
  ledger.on('error', () => undefined);
  await ledger.connect();
  await ledger.query('CREATE TABLE ledger (id serial PRIMARY KEY, receipt text, total numeric(20,2))');

  const process = await makeProcess(stack, { matrix: [{ name: 'total', type: 'Moeda' }], flow: null });
  const { owner, processID, environment } = process;
  await storeVaultValues(owner, processID, {
    SHOP_PASSWORD,
    MARIADB: stack.databaseUrl,
    POSTGRES: postgres.url,
    SMTP: `smtp://127.0.0.1:${mail.port}`,
  });
  await publish(owner, processID, flowAt(web.url));
  const origin = await makeOrigin(process, {
    responseMode: 'Aguardar',
    waitSeconds: 120,
    mapping: { total: '/total' },
  });
  const env = {
    BATUTA_AGENT_ISOLATION: 'process',
    BATUTA_AGENT_BROWSER: await ensureBrowser(),
    BATUTA_AGENT_BROWSER_SANDBOX: 'off',
  };
  const agent = await stack.startAgent({ ...environment, env });
  await untilOnline(environment);

  const answer = await sendEvent(origin.prodUrl, { total: '1.234,50' });
  const { instanceID } = answer;
  const link = expect.stringMatching(new RegExp(`^/v1/instances/${instanceID}/evidence/[0-9a-f-]{36}$`));
  const items = [
    { Item: 'Pen', Quantity: '2' },
    { Item: 'Ink', Quantity: '1' },
  ];
  expect(answer).toMatchObject({
    status: 201,
    body: { protocol: 'P-1.234,50', items, receipt: 'R-1', evidence: link },
  });
  await untilEnded(owner, instanceID);
  expect(await owner.api('GET', `/instances/${instanceID}`)).toMatchObject({ body: { status: 'success' } });

  expect(receivedFiles).toEqual([{ type: 'application/pdf', body: PDF }]);
  const [rows] = await orders.query('SELECT id, protocol, total FROM erp_order');
  expect(rows).toEqual([{ id: 1, protocol: 'P-1.234,50', total: '1234.50' }]);
  expect((await ledger.query('SELECT id, receipt, total FROM ledger')).rows).toEqual([
    { id: 1, receipt: 'R-1', total: '1234.50' },
  ]);
  expect(mail.received).toMatchObject([
    { mail: { subject: 'Order P-1.234,50: R$ 1.234,50', attachments: [{ filename: 'invoice.pdf', content: PDF }] } },
  ]);

  const { body } = await owner.api('GET', `/instances/${instanceID}/logs`);
  const { logs }: { logs: { stepID: string; evidence: string | null }[] } = Object(body);
  const steps = ['Page', 'Upload', 'Orders', 'Ledger', 'Mail', 'Answer'];
  expect([...new Set(logs.map(({ stepID }) => stepID))].filter(Boolean)).toEqual(steps);
  expect(JSON.stringify(logs) + (await agent.log())).not.toContain(SHOP_PASSWORD);
  const pictures = logs.filter(({ evidence }) => evidence !== null);
  expect(pictures).toEqual([expect.objectContaining({ stepID: 'Page', evidence: link })]);
  const path = (pictures[0]?.evidence ?? '').slice('/v1'.length);
  // The agent sends pictures separately from its reports, so a picture may arrive after the end of the instance.
  const picture = await until(
    () => owner.api('GET', path),
    ({ status }) => status === 200,
  );
  expect([picture.headers.get('content-type'), String(picture.body).slice(1, 4)]).toEqual(['image/png', 'PNG']);
  expect((await (await makeOwner(stack)).api('GET', path)).status).toBe(404);
  await Promise.all([orders.end(), ledger.end()]);
});

test('an account that sees the instance reads a picture of a step at the path in its log line; beyond the quota no picture is kept', async () => {
  const at = await makeProcess(stack, { processName: 'Pictures' });
  const { agent, welcome } = await TestAgent.join(stack.router, at.environment.activationKey);
  const instanceID = instanceOf(await at.start());
  const run = await agent.acceptOffer();
  const partBytes = welcome.evidence?.partBytes ?? 0;
  const content = Buffer.alloc(700_000, 'pixels');
  Buffer.from([0xff, 0xd8, 0xff]).copy(content);
  const upload = async (evidenceID: string) => {
    for (let part = 1; ; part += 1) {
      const data = content.toString('base64', (part - 1) * partBytes, part * partBytes);
      agent.send({ type: 'evidence', ...run, evidenceID, mediaType: 'image/jpeg', bytes: content.length, part, data });
      const ack = await agent.takeFrame('evidenceAck');
      if (!ack.accepted || part * partBytes >= content.length) return ack;
    }
  };
  const evidenceID = randomUUID();
  const evidence = `/v1/instances/${instanceID}/evidence/${evidenceID}`;
  const line = { timestamp: '2026-03-02T14:05:09.120Z', severity: 'ERROR', message: 'failed', stepID: 'a', evidence };
  agent.send({ type: 'report', ...run, seq: 1, lines: [line] });
  await agent.takeFrame('ack');
  expect((await at.owner.client.instance(instanceID).logs())[0]?.evidence).toBe(evidence);
  expect(await at.owner.api('GET', evidence.slice('/v1'.length))).toMatchObject({
    status: 404,
    body: { error: { code: 'NOT_FOUND', message: expect.stringMatching(/not uploaded yet/) } },
  });

  agent.sendReport(run, 2, true);
  expect(await agent.takeFrame('ack')).toMatchObject({ accepted: true });
  expect(await upload(evidenceID)).toMatchObject({ part: 3, accepted: true });
  expect(await upload(randomUUID())).toMatchObject({ part: 1, accepted: false, code: 'QUOTA_EXCEEDED' });
  agent.cut();

  const authorization = `Bearer ${at.owner.credential}`;
  const answer = await fetch(stack.gateway + evidence, { headers: { authorization } });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': '700000',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
  expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
  const managed = await at.owner.tryToManage('GET', evidence.slice('/v1'.length));
  expect([managed.status, managed.headers.get('content-length')]).toEqual([200, '700000']);
  const stranger = await makeOwner(stack);
  for (const refused of [
    await stranger.api('GET', evidence.slice('/v1'.length)),
    await stranger.tryToManage('GET', evidence.slice('/v1'.length)),
  ]) {
    expect(refused).toMatchObject({ status: 404, body: { error: { code: 'INSTANCE_NOT_FOUND' } } });
  }
});
