import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execution } from '@batuta/contracts';
import { interpolated, readCompose } from '../support/deployment/compose';
import { ALL_SUBJECTS, contractUses, INBOX } from '../support/deployment/contract-uses';
import { renderKustomization } from '../support/deployment/kustomize';
import type { Manifest } from '../support/deployment/manifest';
import { accessOf, startShippedNats, type Access, type ShippedNats } from '../support/deployment/nats-access';
import { ROOT, sampleSecret, SERVICES } from '../support/deployment/settings';
import { containers, environment } from '../support/deployment/manifest-parts';

const CONFIG = join(ROOT, 'k8s', 'base', 'nats.conf');
const UNUSED_SUBJECTS = [
  'execution.unknown',
  'environment.unknown',
  'instance.unknown',
  'elsewhere',
  '$SYS.REQ.SERVER.PING',
];
const CHECKED_SUBJECTS = [...ALL_SUBJECTS, INBOX, ...UNUSED_SUBJECTS];

const manifests = renderKustomization(join(ROOT, 'k8s', 'example'), sampleSecret);
const compose = interpolated(readCompose(), new Proxy({}, { get: (_target, name) => sampleSecret(String(name)) }));

function settingsOf(all: Manifest[], at: string): Record<string, string> {
  const placed = containers(all).find((candidate) => candidate.at === at);
  if (!placed) throw new Error(`there is no container ${at}`);
  return environment(placed.container, all).values;
}

/** The NATS_URL of a service with the host and port of the server under test. */
function addressAt(nats: ShippedNats, shipped = ''): string {
  const url = new URL(shipped);
  url.host = `127.0.0.1:${nats.port}`;
  return url.href;
}

let nats: ShippedNats;
let access: Record<string, Access & { maxPayload: number }>;

beforeAll(async () => {
  nats = await startShippedNats(CONFIG, settingsOf(manifests, 'nats/nats'));
  access = Object.fromEntries(
    await Promise.all(
      SERVICES.map(async (service) => {
        const { NATS_URL } = settingsOf(manifests, `${service}/${service}`);
        return [service, await accessOf(addressAt(nats, NATS_URL), CHECKED_SUBJECTS)] as const;
      }),
    ),
  );
});

afterAll(() => nats?.stop());

test.each(SERVICES)('%s may use the subjects that its code uses, and no others', (service) => {
  expect(access[service]).toEqual({ ...contractUses(service), maxPayload: 8 * 1024 * 1024 });
});

test('every subject of the contracts has a sender and a receiver', () => {
  const all = Object.values(access);
  expect(ALL_SUBJECTS.filter((subject) => !all.some(({ publish }) => publish.includes(subject)))).toEqual([]);
  expect(ALL_SUBJECTS.filter((subject) => !all.some(({ subscribe }) => subscribe.includes(subject)))).toEqual([]);
});

test('no service may subscribe to the requests of another', () => {
  const answers = Object.keys(access).filter((service) => access[service]?.subscribe.includes(execution.start.subject));
  expect(answers).toEqual(['execution']);
});

test.each([
  ['without a log-in', (url: string) => url.replace(/\/\/.*@/, '//')],
  ['with a wrong password', (url: string) => url.replace('@', 'x@')],
  ["with another user's password", (url: string) => url.replace('//gateway:', '//router:')],
])('a connection %s is refused', async (_how, changed) => {
  const { NATS_URL } = settingsOf(manifests, 'gateway/gateway');
  await expect(accessOf(changed(addressAt(nats, NATS_URL)), [])).rejects.toThrow(/Authorization/i);
});

test('compose gives NATS the same users and passwords as its services', async () => {
  const composed = await startShippedNats(CONFIG, compose.services['nats']?.environment ?? {});
  try {
    for (const service of SERVICES) {
      const url = addressAt(composed, compose.services[service]?.environment['NATS_URL']);
      expect(await accessOf(url, CHECKED_SUBJECTS)).toEqual(access[service]);
    }
  } finally {
    await composed.stop();
  }
});

test('monitoring listens on the loopback interface only', async () => {
  expect(await readFile(CONFIG, 'utf8')).toMatch(/^http: "127\.0\.0\.1:8222"$/m);
  const answer = await fetch(new URL('/healthz', nats.monitoring));
  expect(await answer.json()).toEqual({ status: 'ok' });
});

test('a permission that is too wide is detected', async () => {
  const home = await mkdtemp(join(tmpdir(), 'batuta-wide-nats-'));
  const file = join(home, 'nats.conf');
  await writeFile(file, (await readFile(CONFIG, 'utf8')).replace('"execution.start"', '"execution.*"'));
  const wide = await startShippedNats(file, settingsOf(manifests, 'nats/nats'));
  try {
    const { NATS_URL } = settingsOf(manifests, 'gateway/gateway');
    const { publish } = await accessOf(addressAt(wide, NATS_URL), CHECKED_SUBJECTS);
    expect(publish).toEqual(expect.arrayContaining([execution.claim.subject, 'execution.unknown']));
  } finally {
    await wide.stop();
    await rm(home, { recursive: true });
  }
});

test('a missing password keeps NATS from starting', async () => {
  const { NATS_ROUTER_PASSWORD: _missing, ...others } = settingsOf(manifests, 'nats/nats');
  await expect(startShippedNats(CONFIG, others)).rejects.toThrow('NATS_ROUTER_PASSWORD');
});
