import {
  AGENT_CLOSE,
  AGENT_RETRY_CLOSE,
  agentFrames,
  MAX_FRAME_BYTES,
  MAX_LOG_MESSAGE,
  MAX_REPORT_BYTES,
  MAX_REPORT_LINES,
  MAX_RESPONSE_BYTES,
  routerFrames,
} from '@batuta/agent-protocol';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeReasons } from './close-reason';

const text = readFileSync(join(__dirname, '../../../../docs/agent-protocol.md'), 'utf8');
const sides = { agent: agentFrames, router: routerFrames };

interface Example {
  side: 'agent' | 'router';
  type: string;
  frame: unknown;
}

const examples: Example[] = [...text.matchAll(/^```json (agent|router)\n([\s\S]+?)^```$/gm)].map(
  ([, side, body = '']) => {
    const frame: unknown = JSON.parse(body);
    const type = typeof frame === 'object' && frame !== null && 'type' in frame ? String(frame.type) : '';
    return { side: side === 'agent' ? 'agent' : 'router', type, frame };
  },
);

test.each(examples)('the example of $type from the $side is a valid frame without unknown fields', (example) => {
  expect(sides[example.side].read(structuredClone(example.frame))).toEqual({ frame: example.frame });
});

test.each(['agent', 'router'] as const)('every frame type of the %s has an example', (side) => {
  const documented = examples.filter((example) => example.side === side).map(({ type }) => type);
  expect([...new Set(documented)].toSorted()).toEqual(sides[side].types.toSorted());
});

test('every close code and every error code is documented', () => {
  const documented = [...text.matchAll(/^\| +(\d{4}) +\|/gm)].map(([, code]) => Number(code));
  const protocol = [...Object.values(AGENT_CLOSE), ...Object.values(AGENT_RETRY_CLOSE)];
  const reasons = Object.values(closeReasons).map((reason) => reason('why'));
  expect(documented).toEqual(expect.arrayContaining([...protocol, ...reasons.map(({ closeCode }) => closeCode)]));
  for (const { code } of reasons) expect(text).toContain(`\`${code}\``);
});

const limits = [MAX_FRAME_BYTES, MAX_REPORT_BYTES, MAX_LOG_MESSAGE, MAX_REPORT_LINES, MAX_RESPONSE_BYTES];

test.each(limits)('the limit %d is documented', (limit) => {
  expect(text).toContain(limit.toLocaleString('en-US'));
});
