import {
  FINAL_CLOSE_CODES,
  RETRY_CLOSE_CODES,
  agentFrameReader,
  MAX_FRAME_BYTES,
  MAX_LOG_MESSAGE_CHARACTERS,
  MAX_REPORT_BYTES,
  MAX_REPORT_LINES,
  MAX_RESPONSE_BYTES,
  routerFrameReader,
} from '@batuta/agent-protocol';
import { AgentPrivateKey } from '@batuta/secrets';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeReasons } from './close-reason';

const documentText = readFileSync(join(__dirname, '../../../../docs/agent-protocol.md'), 'utf8');
const frameSchemas = { agent: agentFrameReader, router: routerFrameReader };

interface FrameExample {
  side: 'agent' | 'router';
  type: string;
  frame: unknown;
}

const FRAME_EXAMPLES: FrameExample[] = [...documentText.matchAll(/^```json (agent|router)\n([\s\S]+?)^```$/gm)].map(
  ([, side, body = '']) => {
    const frame: unknown = JSON.parse(body);
    const type = typeof frame === 'object' && frame !== null && 'type' in frame ? String(frame.type) : '';
    return { side: side === 'agent' ? 'agent' : 'router', type, frame };
  },
);

test.each(FRAME_EXAMPLES)('the example of $type from the $side is a valid frame without unknown fields', (example) => {
  expect(frameSchemas[example.side].read(structuredClone(example.frame))).toEqual({ frame: example.frame });
});

test.each(['agent', 'router'] as const)('every frame type of the %s has an example', (side) => {
  const documented = FRAME_EXAMPLES.filter((example) => example.side === side).map(({ type }) => type);
  expect([...new Set(documented)].toSorted()).toEqual(frameSchemas[side].types.toSorted());
});

test('every close code and every error code is documented', () => {
  const documented = [...documentText.matchAll(/^\| +(\d{4}) +\|/gm)].map(([, code]) => Number(code));
  const protocol = [...Object.values(FINAL_CLOSE_CODES), ...Object.values(RETRY_CLOSE_CODES)];
  const reasons = Object.values(closeReasons).map((reason) => reason('why'));
  expect(documented).toEqual(expect.arrayContaining([...protocol, ...reasons.map(({ closeCode }) => closeCode)]));
  for (const { code } of reasons) expect(documentText).toContain(`\`${code}\``);
});

test('the private key of the document opens the sealed values of its example and has the documented fingerprint', () => {
  const [pem = ''] = /-----BEGIN PRIVATE KEY-----[^]+?-----END PRIVATE KEY-----\n/.exec(documentText) ?? [];
  const key = AgentPrivateKey.fromPem(pem);
  expect(FRAME_EXAMPLES.find(({ type }) => type === 'hello')?.frame).toMatchObject({
    publicKey: key.publicKey.toString(),
  });
  const offer = FRAME_EXAMPLES.find(({ type }) => type === 'offer')?.frame;
  const { instanceID, fence, sealed } = Object(offer);
  expect(JSON.parse(key.open(sealed, { instanceID, fence }))).toEqual({
    matrix: [{ name: 'token', type: 'Secreto', value: 's3cret' }],
    vault: { SMTP_PASSWORD: 'hunter2' },
  });
  expect(documentText).toContain(key.publicKey.fingerprint);
});

const DOCUMENTED_LIMITS = [
  MAX_FRAME_BYTES,
  MAX_REPORT_BYTES,
  MAX_LOG_MESSAGE_CHARACTERS,
  MAX_REPORT_LINES,
  MAX_RESPONSE_BYTES,
];

test.each(DOCUMENTED_LIMITS)('the limit %d is documented', (limit) => {
  expect(documentText).toContain(limit.toLocaleString('en-US'));
});
