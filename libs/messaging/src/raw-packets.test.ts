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

const TEST_SUBJECTS = {
  /** A service whose handler takes RawJson. */
  raw: rpc<Body, Body>('test.raw'),
  /** A service of a release that does not know RawJson. */
  values: rpc<Body, Body>('test.values'),
  parts: rpc<Body, Body>('test.parts'),
};

const receivedBodies: unknown[] = [];

@Controller()
class RawHandlers {
  @Handles(TEST_SUBJECTS.raw, { raw: true })
  async raw(body: Body): Promise<Body> {
    receivedBodies.push(body);
    return body;
  }

  @Handles(TEST_SUBJECTS.values)
  async values(body: Body): Promise<Body> {
    receivedBodies.push(body);
    return body;
  }

  @HandlesStreaming(TEST_SUBJECTS.parts)
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
  receivedBodies.length = 0;
});

const LONG_TIME_LIMIT_OPTIONS = { timeout: 30_000 };
const PARSED_LIST = [{}, { text: 'ação " 😀', number: 1.5 }, []];
const LIST_AS_TEXT = new RawJson(JSON.stringify(PARSED_LIST));

test.each([
  ['as text reaches a service that takes text as text', TEST_SUBJECTS.raw, LIST_AS_TEXT, LIST_AS_TEXT],
  ['as text reaches a service of the previous release as the value', TEST_SUBJECTS.values, LIST_AS_TEXT, PARSED_LIST],
  [
    'as the value, from a caller of the previous release, reaches every service as the value',
    TEST_SUBJECTS.raw,
    PARSED_LIST,
    PARSED_LIST,
  ],
])('a list that is sent %s', async (_, subject, sent, expected) => {
  const reply = await caller.call(subject, { name: 'ação', list: sent }, LONG_TIME_LIMIT_OPTIONS);
  expect(receivedBodies).toStrictEqual([{ name: 'ação', list: expected }]);
  expect(reply).toStrictEqual({ name: 'ação', list: PARSED_LIST });
});

test('a caller that asks for RawJson gets it, also in partial replies, and any other caller gets parsed values', async () => {
  const body = { name: 'n', list: LIST_AS_TEXT };
  expect(await caller.call(TEST_SUBJECTS.raw, body, { ...LONG_TIME_LIMIT_OPTIONS, raw: true })).toStrictEqual(body);
  const parts: Body[] = [];
  const onPartial = (part: Body) => parts.push(part);
  const last = await caller.call(TEST_SUBJECTS.parts, body, { ...LONG_TIME_LIMIT_OPTIONS, raw: true, onPartial });
  expect([...parts, last].map((part) => part.list)).toStrictEqual([[new RawJson('[{},"é"]')], new RawJson('[2]')]);
  expect(
    (await caller.call(TEST_SUBJECTS.parts, body, { ...LONG_TIME_LIMIT_OPTIONS, onPartial: () => {} })).list,
  ).toEqual([2]);
});
