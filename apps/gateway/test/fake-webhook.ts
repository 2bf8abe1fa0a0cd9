import {
  webhook,
  type HookCall,
  type HookStart,
  type PermitRenewal,
  type PermitRequest,
  type StartReply,
} from '@batuta/contracts';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { receivedRequests } from './fake-execution';

/** The replies of the fake webhook service; a test replaces them. */
export const webhookReplies = {
  capture: async (_asked: HookCall): Promise<{ captured: true; captureId: string }> => ({
    captured: true,
    captureId: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c30',
  }),
  start: async ({ instanceID }: HookStart): Promise<StartReply> => ({ instanceID, status: 'started' }),
  acquirePermits: async ({ want }: PermitRequest): Promise<{ granted: number }> => ({ granted: want }),
  renewPermits: async (_renewal: PermitRenewal): Promise<{ gone: string[] }> => ({ gone: [] }),
};

function recordRequest<Request>(subject: string, request: Request): Request {
  receivedRequests.push({ subject, request });
  return request;
}

@Controller()
class FakeWebhook {
  @Handles(webhook.capture)
  async capture(request: HookCall): Promise<{ captured: true; captureId: string }> {
    return webhookReplies.capture(recordRequest('webhook.capture', request));
  }

  @Handles(webhook.start)
  async start(request: HookStart): Promise<StartReply> {
    return webhookReplies.start(recordRequest('webhook.start', request));
  }

  @Handles(webhook.acquirePermits)
  async acquirePermits(request: PermitRequest): Promise<{ granted: number }> {
    return webhookReplies.acquirePermits(recordRequest('webhook.wait', request));
  }

  @Handles(webhook.renewPermits)
  async renewPermits(request: PermitRenewal): Promise<{ gone: string[] }> {
    return webhookReplies.renewPermits(recordRequest('webhook.keep', request));
  }
}

@Module({ controllers: [FakeWebhook] })
class FakeWebhookModule {}

/** A fake webhook service at the NATS server `url`; `receivedRequests` of fake-execution records its requests. */
export async function startFakeWebhook(url: string): Promise<INestMicroservice> {
  const options = { ...natsMicroservice(url, 'fake-webhook'), logger: false as const };
  const app = await NestFactory.createMicroservice(FakeWebhookModule, options);
  await app.listen();
  return app;
}
