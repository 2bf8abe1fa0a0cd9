import {
  REFUSAL_CLOSE_CODES,
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

const [, optionalSentence = ''] = /says may be left out:([^.]+)\./.exec(documentText) ?? [];
const OPTIONAL_FIELDS = new Set(Array.from(optionalSentence.matchAll(/`(\w+)`/g), ([, name]) => name));

/** The frame without one field each, with the name of the field; the router refuses no content of a `response`. */
function withoutEachField(value: object): { name: string; frame: object }[] {
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
    const { [name]: _left, ...others }: Record<string, unknown> = { ...value };
    const rest = Array.isArray(value) ? [] : [{ name, frame: others }];
    if (typeof field !== 'object' || field === null || name === 'response') return rest;
    const put = (frame: object) =>
      Array.isArray(value) ? value.with(Number(name), frame) : { ...value, [name]: frame };
    return [...rest, ...withoutEachField(field).map((each) => ({ name: each.name, frame: put(each.frame) }))];
  });
}

test.each(FRAME_EXAMPLES.filter(({ side }) => side === 'agent'))(
  'a $type of the agent may lack a field only where the page says so',
  ({ frame }) => {
    for (const { name, frame: lacking } of withoutEachField(Object(frame)))
      expect([name, 'frame' in agentFrameReader.read(lacking)]).toEqual([name, OPTIONAL_FIELDS.has(name)]);
  },
);

test.each(['agent', 'router'] as const)('every frame type of the %s has an example', (side) => {
  const documented = FRAME_EXAMPLES.filter((example) => example.side === side).map(({ type }) => type);
  expect([...new Set(documented)].toSorted()).toEqual(frameSchemas[side].types.toSorted());
});

test('every close code and every error code is documented', () => {
  const documented = [...documentText.matchAll(/^\| +(\d{4}) +\|/gm)].map(([, code]) => Number(code));
  const protocol = [...Object.values(REFUSAL_CLOSE_CODES), ...Object.values(RETRY_CLOSE_CODES)];
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
