import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = `
import { once } from 'node:events';
import { WebSocketServer } from 'ws';
import { ProtocolAgent } from ${JSON.stringify(join(__dirname, 'protocol-agent.mjs'))};

const router = new WebSocketServer({ port: 0, host: '127.0.0.1' });
await once(router, 'listening');
let reports = 0;
router.on('connection', (connection) => {
  const answer = (frame) => connection.send(JSON.stringify(frame));
  connection.on('message', (bytes) => {
    const { type, instanceID, seq } = JSON.parse(bytes);
    if (type === 'hello') answer({ type: 'welcome', heartbeatSeconds: 60 });
    if (instanceID === 'stored') answer({ type: 'ack', instanceID, seq, accepted: true });
    if (type === 'report' && (reports += 1) === 20) connection.close(4001);
  });
});
const agent = await ProtocolAgent.connect({ router: 'http://127.0.0.1:' + router.address().port }, 'key');
const ids = ['stored', ...Array.from({ length: 19 }, (_, number) => 'lost ' + number)];
const ends = await Promise.allSettled(ids.map((instanceID) => agent.end({ instanceID, fence: 1 })));
console.log(JSON.stringify(ends.map(({ value, reason }) => value?.accepted ?? reason.message)));
router.close();
`;

test('the agent of the hostile tenant awaits many reports at once, and all of them end with its connection, without a warning', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: __dirname,
    env: { PATH: process.env['PATH'] },
  });
  expect(JSON.parse(stdout)).toEqual([true, ...Array.from({ length: 19 }, () => 'close 4001')]);
  expect(stderr).toBe('');
});
