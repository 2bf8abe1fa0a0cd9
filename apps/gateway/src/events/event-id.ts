/**
 * `Last-Event-ID`: the number of the last log line that the client has, and `end` once it has seen the instance's end.
 * Text that is no such id counts as none: the stream begins anew.
 */
export interface EventID {
  line: number;
  end: boolean;
}

export function readEventID(header: string | string[] | undefined): EventID {
  const [, line, end] = /^(\d{1,9})(\.end)?$/.exec(typeof header === 'string' ? header : '') ?? [];
  return { line: Number(line ?? 0), end: end !== undefined };
}

export function writeEventID({ line, end }: EventID): string {
  return end ? `${line}.end` : String(line);
}
