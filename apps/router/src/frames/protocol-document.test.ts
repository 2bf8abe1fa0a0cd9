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
} from '@batuta/contracts';
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

test.each(examples)(
  'the example of $type from the $side is a frame, without a field that the frame lacks',
  (example) => {
    expect(sides[example.side].read(structuredClone(example.frame))).toEqual({ frame: example.frame });
  },
);

test.each(['agent', 'router'] as const)('every frame of the %s has an example', (side) => {
  const shown = examples.filter((example) => example.side === side).map(({ type }) => type);
  expect([...new Set(shown)].toSorted()).toEqual(sides[side].types.toSorted());
});

test('every close code and error code is explained', () => {
  const table = [...text.matchAll(/^\| +(\d{4}) +\|/gm)].map(([, code]) => Number(code));
  const ours = [...Object.values(AGENT_CLOSE), ...Object.values(AGENT_RETRY_CLOSE)];
  const sent = Object.values(closeReasons).map((make) => make('why'));
  expect(table).toEqual(expect.arrayContaining([...ours, ...sent.map(({ closeCode }) => closeCode)]));
  for (const { code } of sent) expect(text).toContain(`\`${code}\``);
});

const limits = [MAX_FRAME_BYTES, MAX_REPORT_BYTES, MAX_LOG_MESSAGE, MAX_REPORT_LINES, MAX_RESPONSE_BYTES];

test.each(limits)('the limit %d is told', (limit) => {
  expect(text).toContain(limit.toLocaleString('en-US'));
});
