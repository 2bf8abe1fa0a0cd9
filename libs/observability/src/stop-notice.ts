import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Tells load balancers and clients that this replica stops: once the notice is given, readiness fails, and each answer closes its connection,
 * so that clients with kept-alive connections connect to another replica.
 */
@Injectable()
export class StopNotice implements OnModuleInit {
  private readonly unanswered = new Set<ServerResponse>();
  private given = false;

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  get isGiven(): boolean {
    return this.given;
  }

  onModuleInit(): void {
    const server: Server = this.adapterHost.httpAdapter.getHttpServer();
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => this.watch(response));
  }

  /** Gives the notice and resolves after `milliseconds`. Until then the replica still serves, and load balancers see that it is not ready. */
  async give(milliseconds: number): Promise<void> {
    this.given = true;
    for (const response of this.unanswered) response.shouldKeepAlive = false;
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  private watch(response: ServerResponse): void {
    if (this.given) response.shouldKeepAlive = false;
    this.unanswered.add(response);
    response.once('close', () => this.unanswered.delete(response));
  }
}
