'use strict';

/** The options with which the NATS client connects to `nats://user:password@host:port`; `name` = the name of the connection on the server. */
function natsOptions(url, name) {
  const { host, username, password } = new URL(url);
  return { servers: host, name, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}

module.exports = { natsOptions };
