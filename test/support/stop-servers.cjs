'use strict';

module.exports = async function stopServers() {
  await Promise.all((globalThis.batutaTestServers ?? []).map((server) => server.stop()));
};
