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
import { asked } from './fake-execution';

/** The replies of the fake webhook service; a test replaces them. */
export const webhookAnswers = {
  capture: async (_asked: HookCall): Promise<{ captured: true; captureId: string }> => ({
    captured: true,
    captureId: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c30',
  }),
  start: async ({ instanceID }: HookStart): Promise<StartReply> => ({ instanceID, status: 'started' }),
  acquirePermits: async ({ want }: PermitRequest): Promise<{ granted: number }> => ({ granted: want }),
  renewPermits: async (_renewal: PermitRenewal): Promise<{ gone: string[] }> => ({ gone: [] }),
};

function record<Request>(subject: string, request: Request): Request {
  asked.push({ subject, request });
  return request;
}

@Controller()
class FakeWebhook {
  @Handles(webhook.capture)
  async capture(request: HookCall): Promise<{ captured: true; captureId: string }> {
    return webhookAnswers.capture(record('webhook.capture', request));
  }

  @Handles(webhook.start)
  async start(request: HookStart): Promise<StartReply> {
    return webhookAnswers.start(record('webhook.start', request));
  }

  @Handles(webhook.acquirePermits)
  async acquirePermits(request: PermitRequest): Promise<{ granted: number }> {
    return webhookAnswers.acquirePermits(record('webhook.wait', request));
  }

  @Handles(webhook.renewPermits)
  async renewPermits(request: PermitRenewal): Promise<{ gone: string[] }> {
    return webhookAnswers.renewPermits(record('webhook.keep', request));
  }
}

@Module({ controllers: [FakeWebhook] })
class FakeWebhookModule {}

/** A fake webhook service at the NATS server `url`; `asked` of fake-execution records its requests. */
export async function startFakeWebhook(url: string): Promise<INestMicroservice> {
  const options = { ...natsMicroservice(url, 'fake-webhook'), logger: false as const };
  const app = await NestFactory.createMicroservice(FakeWebhookModule, options);
  await app.listen();
  return app;
}
