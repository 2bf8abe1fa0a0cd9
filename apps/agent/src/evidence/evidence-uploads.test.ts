import { randomBytes } from 'node:crypto';
import type { EvidenceFrame, WelcomeFrame } from '@batuta/agent-protocol';
import { createLogger } from '@batuta/logging';
import { EvidenceUploads } from './evidence-uploads';

const MEGABYTE = 1024 * 1024;
const LIMITS = { partBytes: 4, pictureBytes: 5 * MEGABYTE };
const HELD_INSTANCE = { instanceID: 'i-1', fence: 7 };

const welcome = (evidence: WelcomeFrame['evidence'] = LIMITS): WelcomeFrame => ({
  type: 'welcome',
  protocol: 1,
  sessionID: 's',
  environmentID: 'e',
  heartbeatSeconds: 5,
  graceSeconds: 10,
  granted: [],
  revoked: [],
  evidence,
});
const picture = (bytes: Buffer = Buffer.from('0123456789')) => ({ bytes, mediaType: 'image/png' as const });

/** Returns an EvidenceUploads, the frames that it sends, and a way to answer as the router. */
function uploadsWithRouter({ connected = true, busyMs = 1 } = {}) {
  const sent: EvidenceFrame[] = [];
  const link = { takes: true };
  const send = (frame: EvidenceFrame) => {
    if (link.takes) sent.push(frame);
    return link.takes;
  };
  const lines: { msg: string; instanceID: string; evidenceID: string }[] = [];
  const logger = createLogger('agent', 'warn', { write: (line) => void lines.push(JSON.parse(line)) });
  const uploads = new EvidenceUploads(send, logger, busyMs);
  if (connected) uploads.onWelcome(welcome());
  const reply = (over: { accepted: boolean; code?: string }, frame = sent.at(-1)) => {
    if (!frame) throw new Error('nothing was sent');
    uploads.onAck({ ...frame, type: 'evidenceAck', ...over });
  };
  return { uploads, sent, lines, link, reply, keep: uploads.keepFor(HELD_INSTANCE) };
}

const contentOf = (frames: EvidenceFrame[]) =>
  Buffer.concat(frames.map(({ data }) => Buffer.from(data, 'base64'))).toString();

test('a picture is sent part by part, each after the acknowledgement of the one before', () => {
  const { sent, reply, keep } = uploadsWithRouter();
  const link = keep(picture());
  expect(link).toBe(`/v1/instances/i-1/evidence/${sent[0]?.evidenceID}`);
  for (const parts of [1, 2, 3]) {
    expect(sent).toHaveLength(parts);
    reply({ accepted: true });
  }
  expect(sent.map(({ part }) => part)).toEqual([1, 2, 3]);
  expect(sent[0]).toMatchObject({ ...HELD_INSTANCE, type: 'evidence', mediaType: 'image/png', bytes: 10 });
  expect(contentOf(sent)).toBe('0123456789');
});

test('a second picture follows the first, and late or repeated acknowledgements change nothing', () => {
  const { sent, reply, keep } = uploadsWithRouter();
  keep(picture(Buffer.from('abcd')));
  keep(picture(Buffer.from('efgh')));
  const [first] = sent;
  reply({ accepted: true });
  reply({ accepted: true }, first);
  reply({ accepted: false, code: 'NOT_HELD' }, first);
  expect(contentOf(sent)).toBe('abcdefgh');
});

test('after a reconnect the part without an acknowledgement is sent again, and none before it', () => {
  const { uploads, sent, reply, keep } = uploadsWithRouter();
  keep(picture());
  reply({ accepted: true });
  uploads.onDisconnect();
  uploads.onWelcome(welcome());
  reply({ accepted: true });
  expect(sent.map(({ part }) => part)).toEqual([1, 2, 2, 3]);
});

test('a picture that the service refuses is dropped, and the next one is sent', () => {
  const { sent, reply, keep } = uploadsWithRouter();
  keep(picture());
  keep(picture(Buffer.from('next')));
  reply({ accepted: false, code: 'QUOTA_EXCEEDED' });
  expect(contentOf(sent)).toBe('0123next');
});

test('a part that the router has no room for is sent again after a pause', async () => {
  const { sent, reply, keep, uploads } = uploadsWithRouter();
  keep(picture(Buffer.from('abcd')));
  reply({ accepted: false, code: 'BUSY' });
  uploads.sendNext();
  expect(sent).toHaveLength(1);
  await new Promise<void>((resolve) => {
    const look = () => (sent.length > 1 ? resolve() : void setImmediate(look));
    look();
  });
  expect(sent.map(({ part }) => part)).toEqual([1, 1]);
});

test('a part that a full connection refused is sent once the connection takes frames again', () => {
  const { uploads, sent, link, keep } = uploadsWithRouter();
  link.takes = false;
  keep(picture());
  link.takes = true;
  uploads.sendNext();
  uploads.sendNext();
  expect(sent.map(({ part }) => part)).toEqual([1]);
});

test.each([
  ['above the size that the router takes', Buffer.alloc(5 * MEGABYTE + 1)],
  ['without bytes', Buffer.alloc(0)],
])('a picture %s is not kept', (_what, bytes) => {
  const { sent, keep } = uploadsWithRouter();
  expect(keep(picture(bytes))).toBeUndefined();
  expect(sent).toEqual([]);
});

test('a picture is not kept before the first welcome, or with a router that takes none', () => {
  const { uploads, keep } = uploadsWithRouter({ connected: false });
  expect(keep(picture())).toBeUndefined();
  uploads.onWelcome({ ...welcome(), evidence: undefined });
  expect(keep(picture())).toBeUndefined();
});

test('up to 32 MB of pictures wait for a connection, and all are sent in the next session', () => {
  const { uploads, sent, link, keep } = uploadsWithRouter();
  link.takes = false;
  uploads.onDisconnect();
  const links = Array.from({ length: 8 }, () => keep(picture(randomBytes(5 * MEGABYTE))));
  expect(links.filter((one) => one !== undefined)).toHaveLength(6);
  link.takes = true;
  uploads.onWelcome(welcome({ ...LIMITS, partBytes: 5 * MEGABYTE }));
  for (let index = 0; index < 6; index += 1) {
    uploads.onAck({
      ...HELD_INSTANCE,
      type: 'evidenceAck',
      evidenceID: sent[index]?.evidenceID ?? '',
      part: 1,
      accepted: true,
    });
  }
  expect(sent).toHaveLength(6);
  expect(keep(picture())).toBeDefined();
});

test('the log names each picture that is lost because the agent ends before its upload', () => {
  const { uploads, lines, keep } = uploadsWithRouter();
  const links = [keep(picture()), keep(picture())];
  uploads.close();
  expect(lines.map(({ instanceID, evidenceID }) => `/v1/instances/${instanceID}/evidence/${evidenceID}`)).toEqual(
    links,
  );
  expect(lines[0]?.msg).toBe('a picture is lost, because the agent ends before its upload');
});

test('an instance keeps at most a hundred pictures with 64 MB in total, and other instances have the same limits', () => {
  const { uploads, keep, reply } = uploadsWithRouter();
  for (let kept = 0; kept < 100; kept += 1) {
    expect(keep(picture(Buffer.from('abcd')))).toBeDefined();
    reply({ accepted: true });
  }
  expect(keep(picture(Buffer.from('abcd')))).toBeUndefined();
  const large = uploads.keepFor({ instanceID: 'i-2', fence: 1 });
  const links = Array.from({ length: 13 }, () => {
    const link = large(picture(Buffer.alloc(5 * MEGABYTE)));
    reply({ accepted: false, code: 'TOO_LARGE' });
    return link;
  });
  expect(links.filter((one) => one === undefined)).toHaveLength(1);
});

test('a drain waits until the last part is acknowledged, or until its time is over', async () => {
  const { uploads, reply, keep } = uploadsWithRouter();
  const never = new AbortController();
  await uploads.untilIdle(never.signal);
  keep(picture(Buffer.from('abcd')));
  let isIdle = false;
  const idle = uploads.untilIdle(never.signal).then(() => (isIdle = true));
  expect(isIdle).toBe(false);
  const late = new AbortController();
  const given = uploads.untilIdle(late.signal);
  late.abort();
  await given;
  expect(isIdle).toBe(false);
  reply({ accepted: true });
  await idle;
});
