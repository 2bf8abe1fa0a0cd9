'use strict';

/** Ends the servers that `startServers` started; jest's global teardown. */
module.exports = async function stopServers() {
  await Promise.all((globalThis.batutaTestServers ?? []).map((server) => server.stop()));
};
