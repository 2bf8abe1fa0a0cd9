import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execution, notifications, type DesiredState, type HeldInstance } from '@batuta/contracts';
import { Handles, natsMicroservice, Rpc, wasNotReceived } from '@batuta/messaging';
import { connect } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { connectionOptions } from '../../libs/messaging/src/connection';
import { startShippedNats } from '../support/deployment/nats-access';
import { ROOT } from '../support/deployment/settings';
import { waitUntil } from '../support/wait-until';

/** The configuration that is shipped, and that of the release before requests that go to one replica. */
const SHIPPED_FILE = join(ROOT, 'k8s', 'base', 'nats.conf');
let earlierFile: string;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'batuta-earlier-nats-'));
  earlierFile = join(home, 'nats.conf');
  const shipped = await readFile(SHIPPED_FILE, 'utf8');
  await writeFile(earlierFile, shipped.replaceAll(/"execution\.(\w+\.\*|replica)",? ?/g, ''));
});
afterAll(() => rm(home, { recursive: true }));

@Controller()
class FakeExecution {
  @Handles(execution.grant)
  async grant(_request: HeldInstance & { sessionID: string }): Promise<{ granted: boolean; desired: DesiredState }> {
    return { granted: true, desired: 'run' };
  }
}

@Module({ controllers: [FakeExecution] })
class FakeExecutionModule {}

const passwordOf = (service: string) => `password-of-${service}`;
const SERVICES = ['gateway', 'execution', 'router', 'schedule', 'webhook', 'console'];
const PASSWORDS = Object.fromEntries(
  SERVICES.map((service) => [`NATS_${service.toUpperCase()}_PASSWORD`, passwordOf(service)]),
);

/** A router and the replica `r1` of execution, at a NATS with this configuration. */
async function startServices(configFile: string) {
  let server = await startShippedNats(configFile, PASSWORDS);
  const urlOf = (service: string) => `nats://${service}:${passwordOf(service)}@127.0.0.1:${server.port}`;
  const options = { ...natsMicroservice(urlOf('execution'), 'execution', 'r1'), logger: false } as const;
  const app = await NestFactory.createMicroservice(FakeExecutionModule, options);
  await app.listen();
  const router = await Rpc.connect(urlOf('router'), 'router');
  const announcer = await Rpc.connect(urlOf('execution'), 'execution');
  const observer = await connect(connectionOptions(urlOf('execution'), 'execution'));
  return {
    /** Replaces NATS by one with this configuration, at the same address. */
    replaceNats: async (file: string) => {
      const { port } = server;
      await server.stop();
      server = await startShippedNats(file, PASSWORDS, port);
    },
    /** Announces the replica, and sends a request that any replica may answer. */
    grant: async () => {
      announcer.notify(notifications.executionReplica, { replica: 'r1' });
      const request = { instanceID: 'i', fence: 1, sessionID: 's' };
      return (await router.call(execution.grant, request, { tenant: 'company', timeout: 30_000 })).granted;
    },
    /** Collects the subjects of the requests that go to one replica. */
    observe: () => {
      const subjects: string[] = [];
      const callback = (_error: unknown, { subject }: { subject: string }) => void subjects.push(subject);
      observer.subscribe('execution.grant.*', { callback });
      return subjects;
    },
    close: async () => {
      await Promise.all([router.close(), announcer.close(), observer.close(), app.close()]);
      await server.stop();
    },
  };
}

test('requests that go to one replica work before and after NATS is replaced by one with the permissions for them', async () => {
  const { grant, observe, replaceNats, close } = await startServices(earlierFile);
  expect(await grant()).toBe(true);
  await replaceNats(SHIPPED_FILE);
  const direct = observe();
  await waitUntil('a request goes to the replica', async () => (await grant()) && direct.length > 0);
  expect(new Set(direct)).toEqual(new Set(['execution.grant.r1']));
  expect(await grant()).toBe(true);
  await close();
});

test('no request to one replica is lost when NATS is replaced by one without the permissions for them', async () => {
  const { grant, observe, replaceNats, close } = await startServices(SHIPPED_FILE);
  const direct = observe();
  await waitUntil('a request goes to the replica', async () => (await grant()) && direct.length > 0);
  await replaceNats(earlierFile);
  const lost: unknown[] = [];
  const isGranted = () =>
    grant().catch((error: unknown) => {
      if (!wasNotReceived(error)) lost.push(error);
      return false;
    });
  await waitUntil('a request is answered', isGranted);
  expect(lost).toEqual([]);
  await close();
});
