import { readEventStream, type ServerSentEvent } from './event-stream';

async function eventsOf(...chunks: (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  async function* bytes() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
  }
  const events: ServerSentEvent[] = [];
  for await (const event of readEventStream(bytes())) events.push(event);
  return events;
}

test('events are read with their ids, whatever the pieces in which they arrive', async () => {
  const text =
    'retry: 1000\n\nevent: log\nid: 7\ndata: {"message":"São"}\n\n: waiting\n\nevent: status\nid: 7.end\ndata: {}\n\n';
  const events = [
    { event: 'log', id: '7', data: '{"message":"São"}' },
    { event: 'status', id: '7.end', data: '{}' },
  ];
  expect(await eventsOf(text)).toEqual(events);
  const bytes = new TextEncoder().encode(text);
  expect(await eventsOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(events);
});

test.each([
  ['CR LF', 'data: a\r\n\r\n'],
  ['CR', 'data: a\r\rdata: b'],
  ['no space after the colon', 'data:a\n\n'],
])('an event may have lines with %s', async (_, text) => {
  expect(await eventsOf(text)).toEqual([{ event: 'message', id: undefined, data: 'a' }]);
});

test('CR and LF in two pieces are one line end', async () => {
  expect(await eventsOf('data: a\r', '\n', '\r', '\n')).toEqual([{ event: 'message', id: undefined, data: 'a' }]);
});

test('an event that is cut off is not read, and lines of data are joined', async () => {
  expect(await eventsOf('data: a\ndata: b\n\ndata: c\n')).toEqual([{ event: 'message', id: undefined, data: 'a\nb' }]);
});
