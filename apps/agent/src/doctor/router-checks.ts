import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { isNativeError } from 'node:util/types';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import type { AgentConfig } from '../config';
import { proxyAgent } from '../connection/proxy-agent';
import { refusalReason } from '../connection/refusal-reason';
import { guardedFetch } from '@batuta/guarded-fetch';
import { proxyFor } from '@batuta/network';
import { agentHostRules } from '../network/agent-host-rules';
import type { Finding } from './finding';

type RouterAccess = Pick<AgentConfig, 'url' | 'key' | 'proxies'>;

/** The host that the agent opens its connection to: the router, or the proxy on the way to it. */
interface NextHop {
  hopName: string;
  isProxy: boolean;
  host: string;
  port: number;
}

const CHECK_TIME_LIMIT_MS = 10_000;
const MAX_CLOCK_DIFFERENCE_SECONDS = 30;

const CERTIFICATE_ADVICE: Record<string, string> = {
  CERT_HAS_EXPIRED: 'renew the certificate of the router, or set the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use the name in the address for which the certificate was made',
};

/** Looks up the address of the router, or of the proxy on the way to it. */
export async function checkRouterName({ url, proxies }: RouterAccess): Promise<Finding> {
  const { hopName, host } = nextHop(url, proxies);
  if (isIP(host) !== 0) return { check: 'name', state: 'ok', found: `${host} is an address` };
  try {
    const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
    return { check: 'name', state: 'ok', found: `${host} has the address ${addresses.join(', ')}` };
  } catch (error) {
    const found = `${host} has no address: ${messageOf(error)}`;
    return {
      check: 'name',
      state: 'fault',
      found,
      advice: `check the spelling of ${hopName}, and the DNS of this machine`,
    };
  }
}

/** Opens a TCP connection to the router, or to the proxy on the way to it, and closes it. */
export async function checkRouterConnection({ url, proxies }: RouterAccess): Promise<Finding> {
  const { hopName, isProxy, host, port } = nextHop(url, proxies);
  try {
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ host, port, timeout: CHECK_TIME_LIMIT_MS });
      socket.once('connect', resolve).once('error', reject);
      socket.once('timeout', () => socket.destroy(new Error(`no answer within ${CHECK_TIME_LIMIT_MS / 1000} s`)));
      socket.once('connect', () => socket.destroy());
    });
    return { check: 'connection', state: 'ok', found: `${hopName} ${host} takes connections on port ${port}` };
  } catch (error) {
    const found = `${hopName} ${host}, port ${port}: ${messageOf(error)}`;
    const advice = isProxy
      ? 'check the address of the proxy (--http-proxy, --https-proxy, HTTP_PROXY, HTTPS_PROXY), and that it runs'
      : `let this machine connect to ${host}, port ${port} (firewall), or set a proxy with --https-proxy`;
    return { check: 'connection', state: 'fault', found, advice };
  }
}

/** Checks the router's certificate, unless a proxy is on the way: then `checkUpgrade` fails for an untrusted one. */
export async function checkCertificate({ url, proxies }: RouterAccess): Promise<Finding> {
  const { protocol } = new URL(url);
  if (protocol !== 'wss:') {
    const advice = 'use https:// outside of tests: anybody on the way can read the key and all values';
    return { check: 'certificate', state: 'warning', found: 'the connection is not encrypted', advice };
  }
  if (proxyFor(url, proxies) !== undefined) {
    return { check: 'certificate', state: 'ok', found: 'checked below, through the proxy' };
  }
  const { host, port } = nextHop(url, proxies);
  try {
    return await certificateOf(host, port);
  } catch (error) {
    const advice = 'check that the address is that of the router, and that port and scheme belong together';
    return { check: 'certificate', state: 'fault', found: `no TLS with ${host}: ${messageOf(error)}`, advice };
  }
}

/** Opens the WebSocket with the key and closes it before the hello, so that no session begins. */
export function checkUpgrade({ url, key, proxies }: RouterAccess): Promise<Finding> {
  return new Promise((resolve) => {
    const end = (state: Finding['state'], found: string, advice?: string) => {
      resolve({ check: 'router', state, found, ...(advice !== undefined && { advice }) });
      socket.terminate();
    };
    let isAnswered = false;
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${key}` },
      agent: proxyAgent(url, proxies, CHECK_TIME_LIMIT_MS),
      handshakeTimeout: CHECK_TIME_LIMIT_MS,
    });
    socket.once('open', () => end('ok', 'the router accepts the activation key'));
    socket.once('unexpected-response', (_request, answer) => {
      const { statusCode = 0 } = answer;
      const found = `the router answered with status ${statusCode}`;
      isAnswered = true;
      void refusalReason(answer).then((reason) =>
        end('fault', reason === undefined ? found : `${found}: ${reason}`, adviceOfStatus(statusCode)),
      );
    });
    socket.on('error', (error) => {
      // The connection may end while the reason of an answer is read.
      if (isAnswered) return;
      end('fault', `no WebSocket: ${messageOf(error)}`, 'let WebSocket connections through at every proxy on the way');
    });
  });
}

/** Compares the clocks by the `Date` of an answer of the router, whatever its status. */
export async function checkClock({ url, proxies }: RouterAccess, now: () => number): Promise<Finding> {
  const address = url.replace(/^ws/, 'http');
  try {
    const sentAt = now();
    const { headers, body } = await guardedFetch(agentHostRules({ allow: ['*', new URL(url).hostname] }), proxies)(
      address,
      {
        signal: AbortSignal.timeout(CHECK_TIME_LIMIT_MS),
        redirect: 'manual',
      },
    );
    const date = Date.parse(headers.get('date') ?? '');
    await body?.cancel();
    if (Number.isNaN(date))
      return { check: 'clock', state: 'warning', found: 'the router sent no time', advice: 'compare the clock' };
    return clockFinding((sentAt + now()) / 2 - date);
  } catch (error) {
    const found = `unknown: ${messageOf(error)}`;
    return { check: 'clock', state: 'warning', found, advice: 'repair the faults above first' };
  }
}

/** `difference`: milliseconds by which this machine is ahead of the router, whose time is cut to seconds. */
export function clockFinding(difference: number): Finding {
  const seconds = Math.round((difference - 500) / 1000);
  const found =
    seconds === 0
      ? 'as that of the router'
      : `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of the router`;
  if (Math.abs(seconds) <= MAX_CLOCK_DIFFERENCE_SECONDS) return { check: 'clock', state: 'ok', found };
  return {
    check: 'clock',
    state: 'fault',
    found,
    advice: 'let the machine set its clock by NTP: flows compute with it',
  };
}

function nextHop(url: string, proxies: AgentConfig['proxies']): NextHop {
  const proxy = proxyFor(url, proxies);
  const { protocol, hostname, port } = new URL(proxy ?? url);
  return {
    hopName: proxy === undefined ? 'the router' : 'the proxy',
    isProxy: proxy !== undefined,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (/^(https|wss):$/.test(protocol) ? 443 : 80),
  };
}

async function certificateOf(host: string, port: number): Promise<Finding> {
  const socket = await new Promise<TLSSocket>((resolve, reject) => {
    const servername = isIP(host) === 0 ? host : '';
    // An invalid certificate is accepted here, because this function describes its fault. Nothing is sent over the connection.
    const tls = connectTls({ host, port, servername, rejectUnauthorized: false, timeout: CHECK_TIME_LIMIT_MS }, () =>
      resolve(tls),
    );
    tls.once('error', reject);
    tls.once('timeout', () => tls.destroy(new Error(`no answer within ${CHECK_TIME_LIMIT_MS / 1000} s`)));
  });
  const { authorized, authorizationError } = socket;
  const until = socket.getPeerCertificate().valid_to;
  socket.destroy();
  if (authorized) return { check: 'certificate', state: 'ok', found: `trusted, valid until ${until}` };
  const code = codeOf(authorizationError);
  const advice = CERTIFICATE_ADVICE[code] ?? 'name a file with the certificate of your authority by --ca-file';
  return { check: 'certificate', state: 'fault', found: `not trusted: ${code}`, advice };
}

function adviceOfStatus(status: number): string {
  if (status === 401) return 'give the activation key of an environment that exists; the console makes a new one';
  if (status === 403) return 'ask whoever runs the router why it does not let this agent in';
  if (status === 404) return 'check the path of the address: there is no router for agents there';
  if (status === 407) return 'give the user and the password in the address of the proxy';
  if (status === 429) return 'close other agents of this company, or wait';
  if (status >= 500) return 'wait: the router or the proxy before it is not available';
  return 'check that the address is that of the router, and that proxies on the way let WebSocket connections through';
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error);
}

function messageOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  // OpenSSL puts the thread, the place in its source and a line end around the reason.
  if ('library' in error && 'reason' in error) return String(error.reason);
  // The message of fetch is only "fetch failed"; an error that joins the attempts at several addresses has only a code.
  return error.cause === undefined ? error.message || codeOf(error) : messageOf(error.cause);
}
