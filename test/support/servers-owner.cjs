'use strict';
// Started by a test that then kills it: a process that owns servers and never stops them.
const { startMariadb, startNats } = require('../../scripts/lib/servers.cjs');

async function own() {
  const servers = await Promise.all([startMariadb(), startNats()]);
  process.stdout.write(JSON.stringify(servers.map(({ pid, identity, dir }) => ({ pid, identity, dir }))));
  setInterval(() => {}, 1_000);
}

void own();
