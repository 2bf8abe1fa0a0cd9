/** One server-sent event; `id` is that of the last event that had one. */
export interface ServerSentEvent {
  event: string;
  id: string | undefined;
  data: string;
}

/** Reads server-sent events from the bytes of an answer (HTML standard, "event stream interpretation"). */
export async function* readEventStream(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = '';
  let id: string | undefined;
  let data: string[] = [];
  for await (const line of linesOf(bytes)) {
    if (line === '') {
      if (data.length > 0) yield { event: event === '' ? 'message' : event, id, data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?)?([^]*)$/.exec(line) ?? [];
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) id = value;
    // Comments (an empty name) keep the connection alive; `retry` is a hint for browsers.
  }
}

/** Complete lines, which end with LF, CR LF or CR. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    // A CR at the end waits for the LF that may follow it.
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
