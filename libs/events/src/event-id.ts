/** The position of a client in the events of an instance, carried by `id` and `Last-Event-ID`. */
export interface EventID {
  /** Number of the last log line received; 0 for none. */
  line: number;
  /** Whether the client has received the end of the instance. */
  end: boolean;
}

/** Reads the header `Last-Event-ID`. With a malformed id, as without an id, the stream begins at the first line. */
export function readEventID(header: string | string[] | undefined): EventID {
  const [, line, end] = /^(\d{1,9})(\.end)?$/.exec(typeof header === 'string' ? header : '') ?? [];
  return { line: Number(line ?? 0), end: end !== undefined };
}

export function writeEventID({ line, end }: EventID): string {
  return end ? `${line}.end` : String(line);
}
