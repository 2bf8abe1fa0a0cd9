import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { HookOf, type GatewayRequest, type AuthorizedHook } from '../../http/request';
import type { HookAnswer } from './hook-answer';
import { HookGuard } from './hook.guard';
import { ApiHook } from './hook.dto';
import { HookService } from './hook.service';

/** The webhook URLs of contract 4.17, under both of their paths (interpretation 22). */
@Controller(['v1/hooks', 'hooks'])
export class HooksController {
  constructor(private readonly hooks: HookService) {}

  @Post(':pid/:token')
  @UseGuards(HookGuard)
  @ApiHook()
  async call(@HookOf() hook: AuthorizedHook, @Req() request: GatewayRequest, @Res() response: Response): Promise<void> {
    const answer =
      hook.kind === 'dev'
        ? await this.hooks.capture(hook, request, response)
        : await this.hooks.start(hook, request, response);
    if (answer) sendAnswer(response, answer);
  }
}

/** The body is JSON text, which may be that of the process; it is sent without parsing. */
function sendAnswer(response: Response, { status, body, instanceID, mismatch }: HookAnswer): void {
  response.status(status).setHeader('Content-Type', 'application/json; charset=utf-8');
  // Over HTTP/1.0 Node adds no length, and the end of the connection would be the only end of the answer.
  response.setHeader('Content-Length', Buffer.byteLength(body));
  if (instanceID !== undefined) response.setHeader('X-Instance-Id', instanceID);
  if (mismatch) response.setHeader('Idempotency-Mismatch', 'true');
  response.end(body);
}
