'use strict';
// A process that starts servers and never stops them; a test starts and kills it.
const { startMariadb, startNats } = require('../../scripts/lib/servers.cjs');

async function startUnstoppedServers() {
  // One server is stopped first, so that the watchdog has nothing to watch for a moment and must still watch the servers that follow.
  await (await startNats()).stop();
  const servers = await Promise.all([startMariadb(), startNats()]);
  process.stdout.write(JSON.stringify(servers.map(({ pid, identity, dir }) => ({ pid, identity, dir }))));
  setInterval(() => {}, 1_000);
}

void startUnstoppedServers();
