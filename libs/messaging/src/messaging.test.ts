import { event, rpc } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { currentRequestID, withRequestID } from '@batuta/observability';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitter, once } from 'node:events';
import { holdTimers } from '../../../test/support/held-timers';
import { startTestNats, type TestNats } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { Handles, HandlesStreaming, OnNotification, natsMicroservice, Rpc } from '.';

const subjects = {
  double: rpc<{ n: number }, { n: number; requestID?: string }>('test.double'),
  slow: rpc<{ n: number }, { n: number }>('test.slow'),
  never: rpc<{ n: number }, { n: number }>('test.never'),
  nobody: rpc<{ n: number }, { n: number }>('test.nobody'),
  count: rpc<{ to: number; slowly?: true; fails?: true }, { n: number }>('test.count'),
  told: event<{ word: string }>('test.told'),
};

const heard: string[] = [];
const answered = new Map<object, number>();
const slow = new EventEmitter();

@Controller()
class Answers {
  @Handles(subjects.double)
  async double({ n }: { n: number }): Promise<{ n: number; requestID?: string }> {
    if (n < 0) throw new ApiError('INVALID_MATRIX', 'n: below zero');
    if (n === 1300) throw new Error('secret detail');
    answered.set(this, (answered.get(this) ?? 0) + 1);
    return { n: 2 * n, requestID: currentRequestID() };
  }

  @Handles(subjects.slow)
  async slow({ n }: { n: number }): Promise<{ n: number }> {
    slow.emit('asked');
    await once(slow, 'answer');
    return { n };
  }

  @Handles(subjects.never)
  never(_request: { n: number }): Promise<{ n: number }> {
    return new Promise(() => {});
  }

  @HandlesStreaming(subjects.count)
  async count(
    { to, slowly, fails }: { to: number; slowly?: true; fails?: true },
    reply: (part: { n: number }) => void,
  ): Promise<{ n: number }> {
    for (let n = 1; n < to; n++) {
      reply({ n });
      if (slowly) await once(slow, 'answer');
    }
    if (fails) throw new ApiError('CONFLICT', 'to: too far');
    return { n: to };
  }

  @OnNotification(subjects.told)
  async told({ word }: { word: string }): Promise<void> {
    heard.push(word);
  }
}

@Module({ controllers: [Answers] })
class AnswersModule {}

/** A starved machine may take seconds to answer. */
const PATIENT = { timeout: 30_000 };

let nats: TestNats;
let rpcClient: Rpc;
const replicas: INestMicroservice[] = [];

async function replica(url: string, name: string): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice(AnswersModule, { ...natsMicroservice(url, name), logger: false });
  await app.listen();
  return app;
}

beforeAll(async () => {
  nats = await startTestNats();
  for (const name of ['a', 'b']) replicas.push(await replica(nats.url, name));
  rpcClient = await Rpc.connect(nats.url, 'test');
  await waitUntil('both replicas answer', async () => {
    await rpcClient.call(subjects.double, { n: 1 }, PATIENT);
    return answered.size === 2;
  });
});

afterAll(async () => {
  await rpcClient?.close();
  await Promise.all(replicas.map((app) => app.close()));
  await nats?.stop();
});

test('a request is answered by one replica, and over many requests by each', async () => {
  answered.clear();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => rpcClient.call(subjects.double, { n }, PATIENT)),
  );
  expect(replies.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, n) => 2 * n));
  const counts = [...answered.values()];
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50);
  expect(counts).toHaveLength(2);
});

test('the request id travels with the request', async () => {
  const reply = await withRequestID('request-7', () => rpcClient.call(subjects.double, { n: 1 }, PATIENT));
  expect(reply.requestID).toBe('request-7');
});

test('an ApiError arrives as it was thrown', async () => {
  const asked = rpcClient.call(subjects.double, { n: -1 }, PATIENT);
  await expect(asked).rejects.toMatchObject({ code: 'INVALID_MATRIX', message: 'n: below zero' });
});

test('an unexpected fault arrives as INTERNAL, without its detail', async () => {
  const error: unknown = await rpcClient.call(subjects.double, { n: 1300 }, PATIENT).catch((fault: unknown) => fault);
  expect(error).toMatchObject({ code: 'INTERNAL' });
  expect(String(error)).not.toContain('secret');
});

describe('a request that is answered in parts', () => {
  const counting = (request: { to: number; slowly?: true; fails?: true }, timeout = PATIENT.timeout) => {
    const parts: number[] = [];
    const last = rpcClient.call(subjects.count, request, { timeout, ahead: ({ n }) => parts.push(n) });
    return { parts, last };
  };

  test('hears them in their order, ahead of the last', async () => {
    const { parts, last } = counting({ to: 50 });
    expect(await last).toEqual({ n: 50 });
    expect(parts).toEqual(Array.from({ length: 49 }, (_, index) => index + 1));
  });

  test('hears each as soon as it is there', async () => {
    const { parts, last } = counting({ to: 3, slowly: true });
    for (const heardOf of [1, 2]) {
      await waitUntil('the part', () => parts.length === heardOf);
      slow.emit('answer');
    }
    expect(await last).toEqual({ n: 3 });
  });

  test('may have no parts, or end with a fault', async () => {
    expect([await counting({ to: 1 }).last, counting({ to: 1 }).parts]).toEqual([{ n: 1 }, []]);
    const { parts, last } = counting({ to: 3, fails: true });
    await expect(last).rejects.toMatchObject({ code: 'CONFLICT', message: 'to: too far' });
    expect(parts).toEqual([1, 2]);
  });

  test('is UNAVAILABLE when the last is not heard in time, whatever came ahead', async () => {
    const limit = holdTimers(7_777);
    try {
      const { parts, last } = counting({ to: 2, slowly: true }, 7_777);
      await waitUntil('the part', () => parts.length === 1);
      limit.fire();
      await expect(last).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    } finally {
      limit.release();
      slow.emit('answer');
    }
  });

  test('fails with what its caller throws at a part', async () => {
    const ahead = () => {
      throw new Error('no room for it');
    };
    await expect(rpcClient.call(subjects.count, { to: 3 }, { ...PATIENT, ahead })).rejects.toThrow('no room for it');
  });
});

test('silence and absence are UNAVAILABLE', async () => {
  await expect(rpcClient.call(subjects.never, { n: 1 }, { timeout: 50 })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  await expect(rpcClient.call(subjects.nobody, { n: 1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('who still waits when its connection closes is told at once', async () => {
  const leaving = await Rpc.connect(nats.url, 'leaving');
  const waiting = leaving.call(subjects.never, { n: 1 }, { timeout: 60_000 });
  await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' }), leaving.close()]);
});

test('a service that stops answers what it was asked, takes nothing more, and waits for none that never ends', async () => {
  const own = await startTestNats();
  const [service, client] = [await replica(own.url, 'stopping'), await Rpc.connect(own.url, 'client')];
  const answers = () =>
    client.call(subjects.double, { n: 1 }, PATIENT).then(
      () => true,
      () => false,
    );
  await waitUntil('it answers', answers);
  const hopeless = client.call(subjects.never, { n: 1 }, PATIENT).catch((error: unknown) => error);
  const asked = once(slow, 'asked');
  const reply = client.call(subjects.slow, { n: 7 }, PATIENT);
  await asked;
  const bound = holdTimers(2_000);
  try {
    const stopped = service.close();
    await waitUntil('it takes nothing more', async () => !(await answers()));
    slow.emit('answer');
    expect(await reply).toEqual({ n: 7 });
    bound.fire();
    await stopped;
  } finally {
    bound.release();
  }
  await client.close();
  expect(await hopeless).toMatchObject({ code: 'UNAVAILABLE' });
  await own.stop();
});

test('a hint reaches every replica', async () => {
  rpcClient.notify(subjects.told, { word: 'x' });
  await waitUntil('both hear it', () => heard.length === 2);
  expect(heard).toEqual(['x', 'x']);
});

test('who listens by itself hears hints until it stops', async () => {
  const words: string[] = [];
  const stop = rpcClient.subscribe(subjects.told, ({ word }) => words.push(word));
  rpcClient.notify(subjects.told, { word: 'before' });
  await waitUntil('it hears', () => words.length === 1);
  stop();
  rpcClient.notify(subjects.told, { word: 'after' });
  await rpcClient.call(subjects.double, { n: 1 }, PATIENT);
  expect(words).toEqual(['before']);
});

test('a NATS server that went away is noticed at once and found again', async () => {
  const own = await startTestNats({ password: 'pw' });
  const client = await Rpc.connect(own.url, 'test');
  expect(await client.ping()).toBe(true);
  await own.stop();
  await waitUntil('it notices', () => !client.connected);
  expect(await client.ping()).toBe(false);
  await expect(client.call(subjects.double, { n: 1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const again = await startTestNats({ port: own.port, password: 'pw' });
  await waitUntil('it is connected again', () => client.connected);
  expect(await client.ping()).toBe(true);
  await client.close();
  await again.stop();
});
