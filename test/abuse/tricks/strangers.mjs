import { gzipSync } from 'node:zlib';

const BODY_COUNT = 50;
const MEGABYTE_BODY = `{"name":"${'x'.repeat(1_048_000)}"}`;
const GZIP_BOMB = gzipSync(MEGABYTE_BODY);
const LARGE_LOGIN_BODY = `{"email":"nobody@example.com","password":"${'x'.repeat(1_048_000)}"}`;
const GZIP_HEADERS = { 'Content-Encoding': 'gzip' };

export const strangersTrick = {
  name: 'strangers',
  what: `${BODY_COUNT} bodies of 1 MB at once, plain and as 1 KB of gzip, without a session: console, its log-in, gateway and webhooks`,

  requiredAnswers: ['401 MISSING_CREDENTIAL', '404 NOT_FOUND'],
  forbiddenAnswers: ['200', '201', '202'],

  async round(attacker) {
    const { gateway, console } = attacker.world;
    const { processID } = attacker.world.targets.starts;
    const count = attacker.isShort ? 10 : BODY_COUNT;
    const all = (url, options) => attacker.repeat(count, count, () => attacker.send('POST', url, options));
    await all(`${console}/manage/v1/processes`, { body: MEGABYTE_BODY });
    await all(`${console}/manage/v1/processes`, { body: GZIP_BOMB, headers: GZIP_HEADERS });
    await all(`${console}/manage/v1/session`, { body: LARGE_LOGIN_BODY });
    await all(`${console}/manage/v1/session`, { body: GZIP_BOMB, headers: GZIP_HEADERS });
    await all(`${gateway}/v1/processes/${processID}/start`, { body: MEGABYTE_BODY });
    await all(`${gateway}/v1/hooks/${processID}/bwh_nobody`, { body: MEGABYTE_BODY });
    await all(`${gateway}/v1/hooks/${processID}/bwh_nobody`, { body: GZIP_BOMB, headers: GZIP_HEADERS });
  },
};
