import { rpc } from '@batuta/contracts';
import { RawJson } from '@batuta/json';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { startTestNats, type TestNats } from '../../../test/support/servers';
import { Handles, HandlesStreaming, natsMicroservice, Rpc } from '.';

interface Body {
  name: string;
  list: unknown;
}

const subjects = {
  /** A service of this release. */
  raw: rpc<Body, Body>('test.raw'),
  /** A service that does not know texts in place of values. */
  values: rpc<Body, Body>('test.values'),
  parts: rpc<Body, Body>('test.parts'),
};

const received: unknown[] = [];

@Controller()
class RawHandlers {
  @Handles(subjects.raw, { raw: true })
  async raw(body: Body): Promise<Body> {
    received.push(body);
    return body;
  }

  @Handles(subjects.values)
  async values(body: Body): Promise<Body> {
    received.push(body);
    return body;
  }

  @HandlesStreaming(subjects.parts)
  async parts(body: Body, sendPartial: (part: Body) => void): Promise<Body> {
    sendPartial({ ...body, list: [new RawJson('[{},"é"]')] });
    return { ...body, list: new RawJson('[2]') };
  }
}

@Module({ controllers: [RawHandlers] })
class RawModule {}

let nats: TestNats;
let caller: Rpc;
let service: INestMicroservice;

beforeAll(async () => {
  nats = await startTestNats();
  service = await NestFactory.createMicroservice(RawModule, { ...natsMicroservice(nats.url, 'raw'), logger: false });
  await service.listen();
  caller = await Rpc.connect(nats.url, 'test');
});

afterAll(async () => {
  await caller?.close();
  await service?.close();
  await nats?.stop();
});

beforeEach(() => {
  received.length = 0;
});

const PATIENT = { timeout: 30_000 };
const list = [{}, { text: 'ação " 😀', number: 1.5 }, []];
const asText = new RawJson(JSON.stringify(list));

test.each([
  ['as text reaches a service that takes text as text', subjects.raw, asText, asText],
  ['as text reaches a service of the previous release as the value', subjects.values, asText, list],
  ['as the value, from a caller of the previous release, reaches every service as the value', subjects.raw, list, list],
])('a list that is sent %s', async (_, subject, sent, expected) => {
  const reply = await caller.call(subject, { name: 'ação', list: sent }, PATIENT);
  expect(received).toStrictEqual([{ name: 'ação', list: expected }]);
  expect(reply).toStrictEqual({ name: 'ação', list });
});

test('a caller that takes text gets text, in parts of the reply too, and any other caller gets values', async () => {
  const body = { name: 'n', list: asText };
  expect(await caller.call(subjects.raw, body, { ...PATIENT, raw: true })).toStrictEqual(body);
  const parts: Body[] = [];
  const onPartial = (part: Body) => parts.push(part);
  const last = await caller.call(subjects.parts, body, { ...PATIENT, raw: true, onPartial });
  expect([...parts, last].map((part) => part.list)).toStrictEqual([[new RawJson('[{},"é"]')], new RawJson('[2]')]);
  expect((await caller.call(subjects.parts, body, { ...PATIENT, onPartial: () => {} })).list).toEqual([2]);
});
