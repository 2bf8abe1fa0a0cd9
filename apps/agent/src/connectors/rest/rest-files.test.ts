import type { IncomingMessage } from 'node:http';
import type { RestStep, Step } from '@batuta/flow';
import { startWebServer, type WebServer } from '../../../../../test/support/web-server';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { startMailSink } from '../../../test/mail-sink';

const PDF_BYTES = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0xfe, 0x00]);
const sandbox = useSandbox({ workers: 1 });
let server: WebServer;
let base: string;
let seen: { type: string; body: Buffer }[];
let failures: number;

/** A service that returns a file at /order.pdf and text at /table.csv, and accepts any other request. */
async function replyOfFileService(
  request: IncomingMessage,
): Promise<[number, Record<string, string>, Buffer | string]> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  if (request.url === '/order.pdf') return [200, { 'content-type': 'application/pdf' }, PDF_BYTES];
  if (request.url === '/table.csv') return [200, { 'content-type': 'text/csv' }, 'a;b'];
  if (request.url === '/choices') return [300, { 'content-type': 'text/csv' }, 'a;b'];
  if (request.url === '/missing') return [404, { 'content-type': 'application/json' }, '{"why":"gone"}'];
  seen.push({ type: request.headers['content-type'] ?? '', body: Buffer.concat(chunks) });
  failures -= 1;
  return [failures >= 0 ? 503 : 200, {}, ''];
}

beforeAll(async () => {
  server = await startWebServer((request, response) => {
    replyOfFileService(request).then(
      ([status, headers, body]) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    );
  });
  base = server.url;
});
beforeEach(() => {
  seen = [];
  failures = 0;
});
afterAll(() => server.stop());

const getStep = (path: string, fields: Partial<RestStep> = {}): RestStep => ({
  name: 'get',
  type: 'rest',
  method: 'GET',
  url: `${base}${path}`,
  as: 'doc',
  routes: [{ to: 'next' }],
  ...fields,
});
const putStep = (fields: Partial<RestStep>): RestStep => ({
  name: 'next',
  type: 'rest',
  method: 'POST',
  url: `${base}/in`,
  ...fields,
});
const showStep = (...names: string[]): Step => ({
  name: 'next',
  type: 'variables',
  rows: names.map((name, n) => ({ name: `v${n}`, mode: 'Variável ou texto', value: `{${name}}` })),
});
const runSteps = async (...steps: Step[]) => {
  const world = createFlowWorld(sandbox);
  const end = await world.run(steps, { matrix: [{ name: 'total', type: 'Moeda', value: 1234.5 }] });
  return { end, messages: world.messages() };
};
const partsOf = async ({ type, body }: { type: string; body: Buffer }) => [
  ...(await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()),
];

test('a binary answer is a file: FILE is its reference, BUFFER its bytes in base64, and the body is empty', async () => {
  const { messages } = await runSteps(
    getStep('/order.pdf'),
    showStep('doc.FILE', 'doc.BUFFER', 'doc.status', 'doc.body'),
  );
  expect(messages).toContain('answered 200 with the file order.pdf (7 bytes)');
  expect(messages).toContain(`v0 = "file:1/order.pdf", v1 = "${PDF_BYTES.toString('base64')}", v2 = 200, v3 = empty`);
});

test('formulas and JSON bodies read BUFFER as text', async () => {
  const formula: Step = {
    name: 'next',
    type: 'variables',
    rows: [{ name: 'size', mode: 'Fórmula', value: '{doc.BUFFER}.length' }],
    routes: [{ to: 'send' }],
  };
  const { messages } = await runSteps(getStep('/order.pdf'), formula, {
    ...putStep({ body: { pdf: '{doc.BUFFER}' } }),
    name: 'send',
  });
  expect(messages).toContain('size = 12');
  expect(JSON.parse(String(seen[0]?.body))).toEqual({ pdf: PDF_BYTES.toString('base64') });
});

test('a download is a file of any type, and a failed download keeps its body', async () => {
  const table = await runSteps(getStep('/table.csv', { download: true }), showStep('doc.FILE', 'doc.body'));
  expect(table.messages).toContain('v0 = "file:1/table.csv", v1 = empty');
  const error = await runSteps(
    getStep('/missing', { download: true, onError: [{ to: 'next' }] }),
    showStep('doc.body.why', 'doc.FILE'),
  );
  expect(error.messages).toContain('v0 = "gone", v1 = empty');
});

test('a download with a status below 400 is a file', async () => {
  const { messages } = await runSteps(getStep('/choices', { download: true }), showStep('doc.status', 'doc.FILE'));
  expect(messages).toContain('v0 = 300, v1 = "file:1/choices"');
});

test('an answer without a file removes the file of the previous answer', async () => {
  const again: Step = { ...getStep('/table.csv'), name: 'next', routes: [{ to: 'show' }] };
  const { messages } = await runSteps(getStep('/order.pdf'), again, {
    ...showStep('doc.FILE', 'doc.BUFFER'),
    name: 'show',
  });
  expect(messages).toContain('v0 = empty, v1 = empty');
});

test('a result without a file removes the file of another step of the same name', async () => {
  const steps: Step[] = [
    getStep('/order.pdf', { routes: [{ to: 'code' }] }),
    { name: 'code', type: 'script', code: 'return { OCR: 1 }', as: 'doc', routes: [{ to: 'next' }] },
  ];
  expect((await runSteps(...steps, showStep('doc.FILE', 'doc.OCR'))).messages).toContain('v0 = empty, v1 = 1');
});

test('a multipart form carries fields and files, also in a retry, with Moeda with a dot decimal', async () => {
  failures = 1;
  const form = { fields: { total: '{matrix.total}', note: 'São' }, files: { invoice: '{doc.FILE}' } };
  await runSteps(getStep('/order.pdf'), putStep({ form, retries: 1 }));
  expect(seen).toHaveLength(2);
  const [total, note, invoice] = await partsOf(seen[1] ?? { type: '', body: PDF_BYTES });
  expect([total, note]).toEqual([
    ['total', '1234.50'],
    ['note', 'São'],
  ]);
  const file = invoice?.[1];
  if (!(file instanceof File)) throw new Error('no file arrived');
  expect([file.name, file.type, Buffer.from(await file.arrayBuffer())]).toEqual([
    'order.pdf',
    'application/pdf',
    PDF_BYTES,
  ]);
});

test('a form without files is urlencoded, or multipart if the step says so', async () => {
  const fields = { a: '1&b=2', total: '{matrix.total}' };
  await runSteps(putStep({ form: { fields } }));
  await runSteps(putStep({ form: { fields, encoding: 'multipart' } }));
  expect(seen[0]).toEqual({
    type: 'application/x-www-form-urlencoded',
    body: Buffer.from('a=1%26b%3D2&total=1234.50'),
  });
  expect(await partsOf(seen[1] ?? { type: '', body: PDF_BYTES })).toEqual([
    ['a', '1&b=2'],
    ['total', '1234.50'],
  ]);
});

test('a file is sent as the body with its content type', async () => {
  await runSteps(getStep('/order.pdf'), putStep({ file: '{doc.FILE}' }));
  expect(seen).toEqual([{ type: 'application/pdf', body: PDF_BYTES }]);
});

test.each<[string, () => RestStep, RegExp]>([
  ['what is no file', () => putStep({ file: 'order.pdf' }), /file: order\.pdf is no file of this execution/],
  [
    'a file that no step gave',
    () => putStep({ form: { files: { f: '{doc.FILE}' } } }),
    /form: f: \{doc\.FILE\} is no file/,
  ],
  ['a form in a GET call', () => putStep({ method: 'GET', form: {} }), /a GET call cannot have a body/],
  [
    'a content-type beside multipart',
    () => putStep({ headers: { 'Content-Type': 'a/b' }, form: { encoding: 'multipart' } }),
    /its own/,
  ],
])('a call with %s is refused', async (_rule, step, message) => {
  expect((await runSteps(step())).end.errorMessage).toMatch(message);
  expect(seen).toEqual([]);
});

test('an e-mail carries the files of the execution with their names and types', async () => {
  const sink = await startMailSink();
  const mail: Step = {
    name: 'next',
    type: 'email',
    server: `smtp://127.0.0.1:${sink.port}`,
    from: 'a@x.example',
    to: 'b@x.example',
    subject: 's',
    text: 't',
    attachments: ['{doc.FILE}'],
  };
  const { end } = await runSteps(getStep('/order.pdf'), mail);
  await sink.close();
  expect(end.outcome).toBe('FINALIZED');
  expect(sink.received[0]?.mail.attachments).toMatchObject([
    { filename: 'order.pdf', contentType: 'application/pdf', content: PDF_BYTES },
  ]);
});

test('an attachment that is no file of the execution fails the step and sends nothing', async () => {
  const sink = await startMailSink();
  const fields = {
    server: `smtp://127.0.0.1:${sink.port}`,
    from: 'a@x.example',
    to: 'b@x.example',
    subject: '',
    text: '',
  };
  const { end } = await runSteps({ name: 'next', type: 'email', ...fields, attachments: ['/etc/passwd'] });
  await sink.close();
  expect(end.errorMessage).toMatch(/attachments: \/etc\/passwd is no file of this execution/);
  expect(sink.received).toEqual([]);
});
