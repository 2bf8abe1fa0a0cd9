import { gzipSync } from 'node:zlib';

const BODIES = 50;
const MEGABYTE = `{"name":"${'x'.repeat(1_048_000)}"}`;
const BOMB = gzipSync(MEGABYTE);
const LOG_IN = `{"email":"nobody@example.com","password":"${'x'.repeat(1_048_000)}"}`;
const GZIP = { 'Content-Encoding': 'gzip' };

export const strangers = {
  name: 'strangers',
  what: `${BODIES} bodies of 1 MB at once, plain and as 1 KB of gzip, without a session: console, its log-in, gateway and webhooks`,

  some: ['401 MISSING_CREDENTIAL', '404 NOT_FOUND'],
  none: ['200', '201', '202'],

  async round(attacker) {
    const { gateway, console } = attacker.world;
    const { processID } = attacker.world.targets.starts;
    const count = attacker.isShort ? 10 : BODIES;
    const all = (url, options) => attacker.repeat(count, count, () => attacker.send('POST', url, options));
    await all(`${console}/manage/v1/processes`, { body: MEGABYTE });
    await all(`${console}/manage/v1/processes`, { body: BOMB, headers: GZIP });
    await all(`${console}/manage/v1/session`, { body: LOG_IN });
    await all(`${console}/manage/v1/session`, { body: BOMB, headers: GZIP });
    await all(`${gateway}/v1/processes/${processID}/start`, { body: MEGABYTE });
    await all(`${gateway}/v1/hooks/${processID}/bwh_nobody`, { body: MEGABYTE });
    await all(`${gateway}/v1/hooks/${processID}/bwh_nobody`, { body: BOMB, headers: GZIP });
  },
};
