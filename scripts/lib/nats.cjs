'use strict';
const { randomBytes } = require('node:crypto');
const { mkdir, mkdtemp, readFile, readdir, rm, writeFile } = require('node:fs/promises');
const { connect } = require('node:net');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { startChild } = require('./child.cjs');
const { runSettings } = require('./find-servers.cjs');
const { ensureServers } = require('./install-servers.cjs');
const { freePort } = require('./ports.cjs');

const HOST = '127.0.0.1';
const USER = 'batuta';
const READY_TIME_LIMIT_MS = 20_000;
const STOP_GRACE_MS = 5_000;

/**
 * Starts a private NATS server with one user. Without `dir` it uses a throw-away folder. It listens on `port` if that is free, otherwise on
 * another port. With `monitor` it serves its monitoring over HTTP at `monitorUrl`, on a loopback port. `separateUsers` = number n of additional
 * users `batuta1` to `batuta<n>`, each of which receives only its own messages. Resolves when the child has written its ports (to a file named
 * after its pid) and the server on that port answers a login with the expected server name.
 */
async function startNats({
  dir,
  password = randomBytes(24).toString('base64url'),
  port,
  throwAway = dir === undefined,
  separateUsers = 0,
  monitor = false,
} = {}) {
  const { natsServer } = await ensureServers();
  const home = dir ? path.resolve(dir) : await mkdtemp(path.join(tmpdir(), 'batuta-nats-'));
  await mkdir(home, { recursive: true, mode: 0o700 });
  const choice = { natsServer, home, throwAway, password, separateUsers, monitor };
  const wished = await freePort(port);
  const started = (await tryStart({ ...choice, port: wished })) ?? (await tryStart({ ...choice, port: -1 }));
  if (!started) throw new Error(`nats-server did not start: ${await lastLines(path.join(home, 'nats.log'))}`);
  return started;
}

async function tryStart({ natsServer, home, throwAway, password, separateUsers, monitor, port }) {
  const name = `batuta-${randomBytes(9).toString('hex')}`;
  const configFile = path.join(home, 'nats.conf');
  await removePortsFiles(home);
  await writeFile(configFile, configuration({ name, port, password, separateUsers, monitor }), { mode: 0o600 });
  const child = await startChild({
    command: natsServer,
    args: ['--config', configFile, '--ports_file_dir', home],
    env: runSettings(natsServer).env,
    logFile: path.join(home, 'nats.log'),
    graceMs: STOP_GRACE_MS,
    removeIfOrphaned: throwAway ? [home] : [],
  });
  const bound = await waitUntilReady({ child, home, name, password });
  if (!bound) {
    await child.stop();
    return undefined;
  }
  const stop = async () => {
    await child.stop();
    if (throwAway) await rm(home, { recursive: true, force: true });
  };
  const url = `nats://${USER}:${encodeURIComponent(password)}@${HOST}:${bound.port}`;
  return { ...child, end: child.stop, stop, dir: home, host: HOST, ...bound, user: USER, password, url };
}

function configuration({ name, port, password, separateUsers, monitor }) {
  return [
    `server_name: "${name}"`,
    `host: "${HOST}"`,
    `port: ${port}`,
    'max_payload: 8MB',
    'max_pending: 64MB',
    ...(monitor ? [`http: "${HOST}:-1"`] : []),
    separateUsers === 0
      ? `authorization { user: "${USER}", password: "${password}" }`
      : `accounts { ${accountsConfiguration(password, separateUsers)} }`,
    '',
  ].join('\n');
}

/** The configuration of one account per user: no user receives messages of another account. */
function accountsConfiguration(password, separateUsers) {
  const users = [USER, ...Array.from({ length: separateUsers }, (_, index) => `${USER}${index + 1}`)];
  return users.map((user) => `of_${user} { users: [{ user: "${user}", password: "${password}" }] }`).join('\n');
}

async function removePortsFiles(home) {
  const old = (await readdir(home)).filter((file) => file.endsWith('.ports'));
  await Promise.all(old.map((file) => rm(path.join(home, file), { force: true })));
}

/**
 * Awaits the ports that the child writes, and an answer with its server name on that port; undefined when the child has ended, or after the time
 * limit.
 */
async function waitUntilReady({ child, home, name, password }) {
  const deadline = Date.now() + READY_TIME_LIMIT_MS;
  while (child.isAlive() && Date.now() < deadline) {
    const bound = await announcedPorts(home, child.pid);
    if (bound && (await serverNameAt({ port: bound.port, password })) === name)
      return child.isAlive() ? bound : undefined;
    await new Promise((done) => setTimeout(done, 10));
  }
  return undefined;
}

async function announcedPorts(home, pid) {
  try {
    const { nats, monitoring } = JSON.parse(await readFile(path.join(home, `nats-server_${pid}.ports`), 'utf8'));
    return { port: Number(new URL(nats[0]).port), monitorUrl: monitoring?.[0] };
  } catch {
    return undefined;
  }
}

/** Logs in with the plain protocol and returns the server's name, or undefined when it is refused. */
function serverNameAt({ port, password }) {
  return new Promise((settle) => {
    let received = '';
    const socket = connect(port, HOST);
    const finish = (name) => {
      socket.destroy();
      settle(name);
    };
    socket.setEncoding('utf8').setTimeout(2_000, () => finish(undefined));
    socket.once('error', () => finish(undefined)).once('close', () => settle(undefined));
    socket.once('connect', () => {
      const options = { user: USER, pass: password, verbose: false, lang: 'batuta-start', version: '1' };
      socket.write(`CONNECT ${JSON.stringify(options)}\r\nPING\r\n`);
    });
    socket.on('data', (text) => {
      received += text;
      if (!received.includes('PONG\r\n')) return;
      const info = received.slice('INFO '.length, received.indexOf('\r\n'));
      finish(JSON.parse(info).server_name);
    });
  });
}

async function lastLines(logFile) {
  const text = await readFile(logFile, 'utf8').catch(() => 'it wrote no log');
  return text.trim().split('\n').slice(-8).join('\n');
}

module.exports = { startNats };
