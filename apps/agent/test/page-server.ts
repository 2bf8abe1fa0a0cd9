import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listenOnFreePort } from '../../../test/support/web-server';

type PageOrHandler = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** For tests: a web server with the given pages; a page that is a text is sent as HTML. */
export class PageServer {
  /** Method and path of every request, with the query. */
  readonly requests: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async create(pages: Record<string, PageOrHandler>): Promise<PageServer> {
    const server = createServer();
    const pageServer = new PageServer(server, await listenOnFreePort(server));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { pathname } = new URL(request.url ?? '/', 'http://any');
      pageServer.requests.push(`${request.method} ${request.url}`);
      const answer = pages[pathname];
      if (typeof answer === 'function') return answer(request, response);
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(answer ?? 'no such page');
    });
    return pageServer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
