import { JsonThread } from '@batuta/json';
import type { Request, Response } from 'express';
import { EventEmitter } from 'node:events';
import { requestWith } from '../../../../libs/http/test/requests';
import { BodyMemory } from './body-memory';

const MEGABYTE = 1_048_576;
const thread = new JsonThread();

afterEach(() => jest.restoreAllMocks());
afterAll(() => thread.close());

function receivedRequest(
  text: string,
  headers: Record<string, string> = { 'content-length': String(text.length) },
): Request {
  return Object.assign(Object.create(null), { request: requestWith([Buffer.from(text)], headers) }).request;
}

function createResponse() {
  const headers: Record<string, string> = {};
  const setHeader = (name: string, value: string) => (headers[name] = value);
  const response: Response = Object.assign(Object.create(new EventEmitter()), { setHeader });
  return { response, headers };
}

const textWithObjects = (count: number) => `{"a":[${'{},'.repeat(count - 1)}{}]}`;
const endWaitsAtOnce = () => jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());

describe('memory', () => {
  it('the memory of bodies counts the parsed size of a large body until the answer has ended', async () => {
    const memory = new BodyMemory(thread);
    const { response } = createResponse();
    expect(await memory.readJson(receivedRequest(textWithObjects(10_000)), response, 'c')).toMatchObject({
      a: { length: 10_000 },
    });
    expect(memory.read.usedBytes).toBe(0);
    expect(memory.parsed.usedBytesOf('c')).toBeGreaterThan(20 * textWithObjects(10_000).length);
    response.emit('close');
    expect(memory.parsed.usedBytes).toBe(0);
  });

  it('the memory of bodies refuses a tenant that has sent too many megabytes, or too dense bodies, in a short time, before its next body is read', async () => {
    const memory = new BodyMemory(thread);
    const read = (tenant: string) => {
      const { response, headers } = createResponse();
      const request = receivedRequest(textWithObjects(300_000));
      const reading = memory.readJson(request, response, tenant).finally(() => response.emit('close'));
      return { reading, request, headers };
    };
    await read('c').reading;
    const refused = read('c');
    await expect(refused.reading).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(refused.request.readableDidRead).toBe(false);
    expect(Number(refused.headers['Retry-After'])).toBeGreaterThan(30);
    await read('another').reading;
  });

  it('the memory of bodies charges a small body of unknown length nothing', async () => {
    const memory = new BodyMemory(thread);
    for (let n = 0; n < 100; n += 1) {
      const request = receivedRequest('{}', { 'transfer-encoding': 'chunked' });
      expect(await memory.readJson(request, createResponse().response, 'c')).toEqual({});
    }
  });

  it.each([
    ['its own', 'c', 8, 'RATE_LIMITED', /^body: too many large bodies of this company are in progress/],
    ['all of the', 'others', 48, 'UNAVAILABLE', /^body: too many large bodies are in progress/],
  ])(
    'the memory of bodies refuses a large body of a tenant while %s memory is used',
    async (_, user, megabytes, code, message) => {
      endWaitsAtOnce();
      const memory = new BodyMemory(thread);
      memory.read.hold(user).resize(megabytes * MEGABYTE);
      const { response, headers } = createResponse();
      const request = receivedRequest(textWithObjects(10_000));
      await expect(memory.readJson(request, response, 'c')).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
      expect([request.readableDidRead, headers['Retry-After']]).toEqual([false, '1']);
    },
  );

  it('the memory of bodies refuses a body whose parsed size exceeds the share of its tenant, before it is parsed', async () => {
    endWaitsAtOnce();
    const memory = new BodyMemory(thread);
    memory.parsed.hold('c').resize(32 * MEGABYTE);
    const parse = jest.spyOn(JSON, 'parse');
    const large = memory.readJson(receivedRequest(textWithObjects(10_000)), createResponse().response, 'c');
    await expect(large).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(parse).not.toHaveBeenCalled();
    expect(memory.read.usedBytes).toBe(0);
  });

  it('the memory of bodies reads a large body once there is memory, and a small body at once', async () => {
    const memory = new BodyMemory(thread);
    const others = memory.read.hold('c');
    others.resize(8 * MEGABYTE);
    const { response } = createResponse();
    const large = memory.readRaw(receivedRequest('x'.repeat(20_000)), response, 'c');
    const small = await memory.readRaw(receivedRequest('x'), response, 'c');
    small.reservation.release();
    others.release();
    expect((await large).bytes).toHaveLength(20_000);
    expect(memory.read.usedBytes).toBe(20_000);
  });

  it('the memory of bodies counts a body of unknown length as one of the maximum size until it is read', async () => {
    const memory = new BodyMemory(thread);
    const reading = memory.readRaw(
      receivedRequest('{}', { 'transfer-encoding': 'chunked' }),
      createResponse().response,
      'c',
    );
    expect(memory.read.usedBytes).toBe(MEGABYTE);
    await reading;
    expect(memory.read.usedBytes).toBe(2);
  });
});
