import { once } from 'node:events';
import { answerName } from '../http-client.mjs';
import { largeLine, writeLog } from '../instance-log.mjs';
import { ProtocolAgent } from '../protocol-agent.mjs';
import { openSocket } from '../raw-socket.mjs';

const CONNECTION_COUNT = 120;
/**
 * Number of requests that each connection sends at once. Their answers together are more than the kernel keeps for a client
 * that does not read.
 */
const REQUESTS_PER_CONNECTION = 8;
const LINE_COUNT = 200;
const SCHEDULE_COUNT = 12;
const LARGE_VALUES = { text: 'v'.repeat(100_000) };
const HOLD_DURATION_MS = 6_000;
const FIRST_BYTES_TIME_LIMIT_MS = 15_000;

export const unreadTrick = {
  name: 'unread',
  what: `${CONNECTION_COUNT} connections that each ask ${REQUESTS_PER_CONNECTION} times for large lists, logs and event streams and read nothing for ${HOLD_DURATION_MS / 1_000} s`,

  requiredAnswers: ['report stored', '200'],

  async prepare(attacker) {
    const target = attacker.world.targets.unread;
    const agent = await ProtocolAgent.connect(attacker, target.activationKey);
    try {
      attacker.instanceID = await writeLog(attacker, agent, target, { count: LINE_COUNT, each: 100, line: largeLine });
    } finally {
      agent.close();
    }
    await attacker.repeat(SCHEDULE_COUNT, 4, async (number) => {
      const { processID } = target;
      const rest = { name: `Yearly ${number}`, cronExpression: '0 8 29 2 *', matrix: LARGE_VALUES };
      await attacker.api('POST', '/schedules', { target, body: { processID, ...rest } });
    });
  },

  async round(attacker) {
    const requests = requestsOf(attacker);
    const connections = [];
    await attacker.repeat(attacker.isShort ? 24 : CONNECTION_COUNT, 20, async (number) => {
      const { url, head } = requests[number % requests.length];
      const connection = await openSocket(url, attacker.from);
      connections.push(connection);
      connection.socket.write(head.repeat(REQUESTS_PER_CONNECTION));
    });
    await attacker.hold(HOLD_DURATION_MS);
    await Promise.all(connections.map((connection) => countAnswer(attacker, connection)));
  },
};

/** The address and the text of each request. */
function requestsOf({ world: { gateway, console, tenant, targets }, instanceID, credential }) {
  const [{ token }] = tenant.accounts;
  const publicly = (path) => ({ url: gateway, head: headOf(`/v1${path}`, credential) });
  const manage = (path) => ({ url: console, head: headOf(`/manage/v1${path}`, token) });
  return [
    publicly('/schedules'),
    publicly(`/instances/${instanceID}/logs?limit=1000`),
    publicly(`/instances/${instanceID}/events`),
    manage(`/processes/${targets.unread.processID}/schedules`),
    manage(`/instances/${instanceID}/logs?limit=1000`),
    manage(`/instances/${instanceID}/events`),
  ];
}

function headOf(path, bearer) {
  return `GET ${path} HTTP/1.1\r\nHost: any\r\nAuthorization: Bearer ${bearer}\r\n\r\n`;
}

/** Counts the first answer by its first bytes, and hangs up without reading the rest. */
async function countAnswer(attacker, { socket, ended }) {
  const timer = setTimeout(() => socket.destroy(), FIRST_BYTES_TIME_LIMIT_MS);
  const first = await Promise.race([once(socket, 'data').catch(() => undefined), ended]);
  clearTimeout(timer);
  socket.destroy();
  if (!attacker.signal.aborted) attacker.count(first ? nameOf(first[0].toString('latin1')) : 'cut off');
}

/** `text` begins with an answer; that of a refusal is complete, with a Content-Length. */
function nameOf(text) {
  const [head] = text.split('\r\n\r\n', 1);
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  const bodyAt = head.length + 4;
  return answerName({ status: Number(head.split(' ')[1]), text: text.slice(bodyAt, bodyAt + length) });
}
