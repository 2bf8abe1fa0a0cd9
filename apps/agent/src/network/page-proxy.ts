import { openTunnel, parseProxyUrl, refusalIn, shownProxy } from '@batuta/network';
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HostAccess } from './host-access';

const LISTEN_HOST = '127.0.0.1';
const MAX_HEADER_BYTES = 64 * 1024;
/** Maximum number of unreachable hosts that are remembered, the latest; a page may name any number. */
const MAX_PROBLEMS = 50;
/** Headers that are about one connection, not about the request. */
const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-connection|proxy-authorization|proxy-authenticate|te|trailer|transfer-encoding|upgrade)$/i;

interface PageTarget {
  host: string;
  port: number;
}

/**
 * An HTTP proxy on this machine through which a browser makes all of its connections. It connects only to hosts that
 * the rules permit, directly or through the agent's own proxy, whatever name, redirect, frame or script of a page asks for a
 * connection.
 */
export class PageProxy {
  /** Why hosts were not reached since the last `forgetProblems`, by host and port. */
  readonly problems = new Map<string, Error>();
  private readonly sockets = new Set<Duplex>();
  private readonly server = createServer({ maxHeaderSize: MAX_HEADER_BYTES });

  private constructor(private readonly hostAccess: HostAccess) {
    this.server.on('connection', (socket) => this.track(socket));
    this.server.on('request', (request, response) => this.forward(request, response));
    this.server.on('connect', (request, client, head) => void this.tunnel(request, client, head));
    // Upgrade requests are refused: browsers ask for a tunnel for ws:// as well.
    this.server.on('upgrade', (_request, socket) => socket.destroy());
  }

  static async open(hostAccess: HostAccess): Promise<PageProxy> {
    const proxy = new PageProxy(hostAccess);
    proxy.server.listen(0, LISTEN_HOST);
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    const address = this.server.address();
    return `http://${LISTEN_HOST}:${typeof address === 'object' && address ? address.port : 0}`;
  }

  forgetProblems(): void {
    this.problems.clear();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  /** Answers `CONNECT host:port`, with which every https and WebSocket connection begins. */
  private async tunnel({ url = '' }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => undefined);
    const target = readAuthority(url);
    if (!target) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    try {
      const socket = this.track(await this.connect(target));
      if (client.destroyed) return void socket.destroy();
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.write(head);
      socket.pipe(client).pipe(socket);
      socket.on('error', () => client.destroy()).once('close', () => client.destroy());
      client.once('close', () => socket.destroy());
    } catch (error) {
      this.note(target, error, tunnelURL(target));
      client.end(`HTTP/1.1 ${refusalIn(error) ? '403 Forbidden' : '502 Bad Gateway'}\r\n\r\n`);
    }
  }

  private async connect({ host, port }: PageTarget): Promise<Duplex> {
    const proxy = this.hostAccess.proxyFor(tunnelURL({ host, port }));
    if (proxy !== undefined) return openTunnel(proxy, authorityOf({ host, port }));
    const socket = this.hostAccess.openSocket(host, port);
    await untilConnected(socket);
    return socket.setNoDelay(true);
  }

  /** Answers `GET http://host/path`, the form of a plain http request to a proxy. */
  private forward(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : undefined;
    if (url?.protocol !== 'http:') return void response.writeHead(400).end();
    const target = { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port) || 80 };
    const failed = (error: unknown) => {
      this.note(target, error, url);
      // An answer of the proxy would be shown as the page, so the connection is destroyed instead.
      request.socket.destroy();
    };
    try {
      const outgoing = this.requestTo(url, target, request);
      outgoing.on('socket', (socket) => this.track(socket));
      outgoing.on('error', failed);
      // Without this listener Node closes the connection and tells nobody, so that the page would wait for ever.
      outgoing.on('upgrade', () => {
        outgoing.destroy();
        failed(new Error('the server switched to another protocol, for which the page did not ask'));
      });
      outgoing.on('response', (answer) => {
        answer.on('error', () => request.socket.destroy());
        try {
          response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.rawHeaders));
          // Node would keep the headers until the first byte of the body, which a stream of events may send much later.
          response.flushHeaders();
          answer.pipe(response);
        } catch (error) {
          // Node throws when it has read a status or header that it refuses to write.
          outgoing.destroy();
          failed(error);
        }
      });
      response.on('close', () => outgoing.destroy());
      request.pipe(outgoing);
    } catch (error) {
      failed(error);
    }
  }

  private requestTo(url: URL, { host, port }: PageTarget, { method, rawHeaders }: IncomingMessage): ClientRequest {
    const common = { method, maxHeaderSize: MAX_HEADER_BYTES };
    const headers = endToEndHeaders(rawHeaders);
    const proxy = this.hostAccess.proxyFor(url);
    if (proxy === undefined) {
      // Node calls this function only for a request without an HTTP agent.
      const createConnection = () => this.hostAccess.openSocket(host, port);
      return httpRequest({ ...common, path: url.pathname + url.search, headers, createConnection });
    }
    const { isTls, at, authorization } = parseProxyUrl(proxy);
    const sent = [...headers, ...(authorization === undefined ? [] : ['Proxy-Authorization', authorization])];
    return (isTls ? httpsRequest : httpRequest)({ ...common, ...at, agent: false, path: url.href, headers: sent });
  }

  private note(target: PageTarget, error: unknown, url: string | URL): void {
    const reason = refusalIn(error) ?? new Error(`cannot connect to ${this.nameOf(target, url)}: ${messageOf(error)}`);
    const host = authorityOf(target);
    // A Map keeps the place of a key that it has; deleted first, the host becomes the latest.
    this.problems.delete(host);
    const [oldest] = this.problems.keys();
    if (oldest !== undefined && this.problems.size >= MAX_PROBLEMS) this.problems.delete(oldest);
    this.problems.set(host, reason);
  }

  private nameOf(target: PageTarget, url: string | URL): string {
    const proxy = this.hostAccess.proxyFor(url);
    return authorityOf(target) + (proxy === undefined ? '' : ` through the proxy ${shownProxy(proxy)}`);
  }

  private track<Stream extends Duplex>(socket: Stream): Stream {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket.on('error', () => undefined);
  }
}

async function untilConnected(socket: Socket): Promise<void> {
  await once(socket, 'connect');
}

/** Header names and values alternate in the list, as Node gives and takes them. */
function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_text, index) => !HOP_BY_HOP.test(rawHeaders[index - (index % 2)] ?? ''));
}

/** The host and port of `host:port`; undefined for any other text, and for a host or port that no URL can have. */
function readAuthority(text: string): PageTarget | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]/\\?#@]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) return undefined;
  const target = { host, port: Number(port) };
  // A browser may ask for a host that Node's URL refuses, such as 1.2.3.256.
  return URL.canParse(tunnelURL(target)) ? target : undefined;
}

/** The address that decides which proxy a tunnel takes; what a browser sends through the tunnel is not known yet. */
function tunnelURL(target: PageTarget): string {
  return `${target.port === 80 ? 'http' : 'https'}://${authorityOf(target)}`;
}

function authorityOf({ host, port }: PageTarget): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function messageOf(error: unknown): string {
  // An error that joins the attempts at several addresses has a code and no message.
  const { message, code }: { message?: string; code?: string } = Object(error);
  return message || code || 'unknown error';
}
