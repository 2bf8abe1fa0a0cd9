import { execFileSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { VERIFY_SNIPPETS } from './verify-snippets';

const KEY = randomBytes(32);
const OTHER_KEY = randomBytes(32);
const ID = 'evt_01920000-0000-7000-8000-000000000001';
const BODY = '{"type":"instance.error","data":{"processName":"São Paulo"}}';
const TEN_MINUTES_MS = 600_000;

type Headers = Record<string, string>;

/** The headers of a message with a signature by each key. */
function signedHeaders({ keys = [KEY], at = Date.now() } = {}): Headers {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${ID}.${timestamp}.${BODY}`).digest('base64')}`,
  );
  return { 'webhook-id': ID, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

test('the program for Node.js accepts messages with a signature of the secret, and no others', () => {
  const genuine: [Headers, string][] = [
    [signedHeaders(), BODY],
    [signedHeaders({ keys: [OTHER_KEY, KEY] }), BODY],
  ];
  const others: [Headers, string][] = [
    [signedHeaders(), `${BODY} `],
    [{ ...signedHeaders(), 'webhook-id': 'evt_other' }, BODY],
    [signedHeaders({ keys: [OTHER_KEY] }), BODY],
    [signedHeaders({ at: Date.now() - TEN_MINUTES_MS }), BODY],
    [signedHeaders({ at: Number.NaN }), BODY],
    [
      { ...signedHeaders(), 'webhook-signature': signedHeaders()['webhook-signature']?.replace('v1', 'v2') ?? '' },
      BODY,
    ],
    [{ ...signedHeaders(), 'webhook-signature': 'v1,' }, BODY],
    [{}, BODY],
  ];
  expect(runSnippet([...genuine, ...others])).toEqual([...genuine.map(() => true), ...others.map(() => false)]);
});

/** Runs the snippet as a program on each message; returns its results. */
function runSnippet(messages: [Headers, string][]): unknown {
  const program = `${VERIFY_SNIPPETS.node}
    console.log(JSON.stringify(${JSON.stringify(messages)}.map(([headers, body]) => isFromBatuta(headers, body))));`;
  const env = { ...process.env, BATUTA_EVENTS_SECRET: `whsec_${KEY.toString('base64')}` };
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], { env, encoding: 'utf8' }),
  );
}
