import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { execution } from '@batuta/contracts';
import { Handles, natsMicroservice, Rpc } from '@batuta/messaging';
import { connect } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { connectionOptions } from '../../libs/messaging/src/connection';
import { environmentWithSecrets, interpolate, readCompose, secretsOf } from '../support/deployment/compose';
import {
  ALL_SUBJECTS,
  INBOX_OF_PREVIOUS_RELEASE,
  inboxOf,
  INBOXES,
  subjectsUsedBy,
} from '../support/deployment/contract-uses';
import { renderOverlay } from '../support/deployment/kustomize';
import type { Manifest } from '../support/deployment/manifest';
import { accessOf, startShippedNats, type NatsSubjects, type ShippedNats } from '../support/deployment/nats-access';
import { ROOT, sampleSecret, SERVICES } from '../support/deployment/settings';
import { containersIn, environmentOf } from '../support/deployment/manifest-parts';

const CONFIG_FILE = join(ROOT, 'k8s', 'base', 'nats.conf');
const UNUSED_SUBJECTS = [
  'execution.unknown',
  'environment.unknown',
  'instance.unknown',
  'elsewhere',
  '$SYS.REQ.SERVER.PING',
];
const CHECKED_SUBJECTS = [...ALL_SUBJECTS, ...INBOXES, ...UNUSED_SUBJECTS];

let manifests: Manifest[];
const compose = interpolate(readCompose(), new Proxy({}, { get: (_target, name) => sampleSecret(String(name)) }));

function settingsOf(all: Manifest[], at: string): Record<string, string> {
  const placed = containersIn(all).find((candidate) => candidate.at === at);
  if (!placed) throw new Error(`there is no container ${at}`);
  return environmentOf(placed.container, all, placed.workload.spec).values;
}

/** The NATS_URL of a service in the manifests, with its password. */
function urlOf(service: string): string {
  const { NATS_URL = '', NATS_PASSWORD = '' } = settingsOf(manifests, `${service}/${service}`);
  const url = new URL(NATS_URL);
  url.password = NATS_PASSWORD;
  return url.href;
}

/** The NATS_URL of a service with the host and port of the server under test. */
function addressAt(nats: ShippedNats, shipped = ''): string {
  const url = new URL(shipped);
  url.host = `127.0.0.1:${nats.port}`;
  return url.href;
}

let nats: ShippedNats;
let access: Record<string, NatsSubjects & { maxPayload: number }>;

beforeAll(async () => {
  ({ manifests } = await renderOverlay('local'));
  nats = await startShippedNats(CONFIG_FILE, settingsOf(manifests, 'nats/nats'));
  access = Object.fromEntries(
    await Promise.all(
      SERVICES.map(async (service) => {
        return [service, await accessOf(addressAt(nats, urlOf(service)), CHECKED_SUBJECTS)] as const;
      }),
    ),
  );
});

afterAll(() => nats?.stop());

test.each(SERVICES)('%s may use the subjects that its code uses, and no others', (service) => {
  expect(access[service]).toEqual({ ...subjectsUsedBy(service), maxPayload: 8 * 1024 * 1024 });
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

test.each(SERVICES)('%s may subscribe to the inboxes of no other service', async (service) => {
  const all = SERVICES.map((each) => `_INBOX.${each}.>`);
  const { subscribe } = await accessOf(addressAt(nats, urlOf(service)), all);
  const receives = access[service]?.subscribe.includes(inboxOf(service)) ?? false;
  expect(subscribe).toEqual(receives ? [`_INBOX.${service}.>`] : []);
});

@Controller()
class FakeExecution {
  @Handles(execution.inUse)
  async inUse(_request: { processID?: string }): Promise<{ active: number }> {
    return { active: 3 };
  }
}

@Module({ controllers: [FakeExecution] })
class FakeExecutionModule {}

test('a request of a service is answered with the permissions of NATS as they are shipped', async () => {
  const url = (service: string) => addressAt(nats, urlOf(service));
  const options = { ...natsMicroservice(url('execution'), 'execution'), logger: false } as const;
  const app = await NestFactory.createMicroservice(FakeExecutionModule, options);
  await app.listen();
  const rpc = await Rpc.connect(url('console'), 'console');
  expect(await rpc.call(execution.inUse, { processID: 'a process' })).toEqual({ active: 3 });
  await rpc.close();
  await app.close();
});

/**
 * The subjects on which a service receives messages when it subscribes to every subject that NATS allows it, and
 * execution sends a reply to every inbox.
 */
async function repliesReceivedBy(service: string): Promise<string[]> {
  const [reading, answering] = await Promise.all(
    [service, 'execution'].map((name) => connect(connectionOptions(addressAt(nats, urlOf(name)), name))),
  );
  if (!reading || !answering) throw new Error('there are no two connections');
  const received = new Set<string>();
  for (const wide of ['>', '_INBOX.>', '_INBOX.*.>', '_INBOX.*.*', '_INBOX.*.*.*', `_INBOX.${service}.>`])
    reading.subscribe(wide, { callback: (error, { subject }) => void (error === null && received.add(subject)) });
  await reading.flush();
  for (const inbox of INBOXES) answering.publish(inbox, 'answer');
  await answering.flush();
  await reading.flush();
  await Promise.all([reading.close(), answering.close()]);
  return [...received].toSorted();
}

test.each(SERVICES.filter((service) => service !== 'execution'))(
  '%s receives its own replies and those of the previous release, however wide it subscribes',
  async (service) => {
    expect(await repliesReceivedBy(service)).toEqual([inboxOf(service), INBOX_OF_PREVIOUS_RELEASE].toSorted());
  },
);

test('a service receives replies from a server of the previous release, which admits each user to every inbox', async () => {
  const home = await mkdtemp(join(tmpdir(), 'batuta-earlier-nats-'));
  const file = join(home, 'nats.conf');
  const earlier = (await readFile(CONFIG_FILE, 'utf8'))
    .replaceAll(/"_INBOX\.\w+\.>", "_INBOX\.\*\.\*"/g, '"_INBOX.>"')
    .replaceAll(/^ +deny: .*\n/gm, '');
  await writeFile(file, earlier);
  const before = await startShippedNats(file, settingsOf(manifests, 'nats/nats'));
  try {
    const { subscribe } = await accessOf(addressAt(before, urlOf('gateway')), [inboxOf('gateway')]);
    expect(subscribe).toEqual([inboxOf('gateway')]);
  } finally {
    await before.stop();
    await rm(home, { recursive: true });
  }
});

test.each([
  ['without a login', (url: string) => url.replace(/\/\/.*@/, '//')],
  ['with a wrong password', (url: string) => url.replace('@', 'x@')],
  ["with another user's password", (url: string) => url.replace('//gateway:', '//router:')],
])('a connection to NATS %s is refused', async (_how, changed) => {
  await expect(accessOf(changed(addressAt(nats, urlOf('gateway'))), [])).rejects.toThrow(/Authorization/i);
});

/** The environment variables of NATS in compose: runs the shell command of its service with a program that prints them in place of NATS. */
async function environmentOfComposedNats(): Promise<Record<string, string>> {
  const service = compose.services['nats'];
  if (!service) throw new Error('compose has no NATS');
  const folder = await mkdtemp(join(tmpdir(), 'batuta-compose-secrets-'));
  for (const [path, secret] of secretsOf(service))
    await writeFile(join(folder, basename(path)), `${sampleSecret(secret)}\n`);
  const [shell = '', ...args] = service.command ?? [];
  const changed = args.map((text) =>
    text
      .replaceAll('$$', '$')
      .replace('/run/secrets', folder)
      .replace(/exec nats-server.*$/, 'exec env'),
  );
  const { stdout } = await promisify(execFile)(shell, changed);
  await rm(folder, { recursive: true });
  return Object.fromEntries(
    [...stdout.matchAll(/^(NATS_\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

test('compose gives NATS the same users and passwords as its services', async () => {
  const composed = await startShippedNats(CONFIG_FILE, await environmentOfComposedNats());
  try {
    for (const service of SERVICES) {
      const part = compose.services[service];
      const { NATS_URL = '', NATS_PASSWORD = '' } = part ? environmentWithSecrets(part) : {};
      const url = new URL(NATS_URL);
      url.password = NATS_PASSWORD;
      expect(await accessOf(addressAt(composed, url.href), CHECKED_SUBJECTS)).toEqual(access[service]);
    }
  } finally {
    await composed.stop();
  }
});

test('the monitoring of NATS listens on the loopback interface only', async () => {
  expect(await readFile(CONFIG_FILE, 'utf8')).toMatch(/^http: "127\.0\.0\.1:8222"$/m);
  const answer = await fetch(new URL('/healthz', nats.monitoring));
  expect(await answer.json()).toEqual({ status: 'ok' });
});

test('a permission of NATS that is too wide is detected', async () => {
  const home = await mkdtemp(join(tmpdir(), 'batuta-wide-nats-'));
  const file = join(home, 'nats.conf');
  await writeFile(file, (await readFile(CONFIG_FILE, 'utf8')).replace('"execution.start"', '"execution.*"'));
  const wide = await startShippedNats(file, settingsOf(manifests, 'nats/nats'));
  try {
    const { publish } = await accessOf(addressAt(wide, urlOf('gateway')), CHECKED_SUBJECTS);
    expect(publish).toEqual(expect.arrayContaining([execution.claim.subject, 'execution.unknown']));
  } finally {
    await wide.stop();
    await rm(home, { recursive: true });
  }
});

test('a missing password keeps NATS from starting', async () => {
  const { NATS_ROUTER_PASSWORD: _missing, ...others } = settingsOf(manifests, 'nats/nats');
  await expect(startShippedNats(CONFIG_FILE, others)).rejects.toThrow('NATS_ROUTER_PASSWORD');
});
