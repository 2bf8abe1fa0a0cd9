import {
  webhook,
  type HookCall,
  type HookStart,
  type PlacesAsked,
  type PlacesKept,
  type StartReply,
} from '@batuta/contracts';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { asked } from './fake-execution';

/** What the webhook service would answer; a test sets it. */
export const webhookAnswers = {
  capture: async (_asked: HookCall): Promise<{ captured: true; captureId: string }> => ({
    captured: true,
    captureId: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c30',
  }),
  start: async ({ instanceID }: HookStart): Promise<StartReply> => ({ instanceID, status: 'started' }),
  wait: async ({ want }: PlacesAsked): Promise<{ granted: number }> => ({ granted: want }),
  keep: async (_kept: PlacesKept): Promise<{ gone: string[] }> => ({ gone: [] }),
};

function heard<Request>(subject: string, request: Request): Request {
  asked.push({ subject, request });
  return request;
}

@Controller()
class FakeWebhook {
  @Handles(webhook.capture)
  async capture(request: HookCall): Promise<{ captured: true; captureId: string }> {
    return webhookAnswers.capture(heard('webhook.capture', request));
  }

  @Handles(webhook.start)
  async start(request: HookStart): Promise<StartReply> {
    return webhookAnswers.start(heard('webhook.start', request));
  }

  @Handles(webhook.wait)
  async wait(request: PlacesAsked): Promise<{ granted: number }> {
    return webhookAnswers.wait(heard('webhook.wait', request));
  }

  @Handles(webhook.keep)
  async keep(request: PlacesKept): Promise<{ gone: string[] }> {
    return webhookAnswers.keep(heard('webhook.keep', request));
  }
}

@Module({ controllers: [FakeWebhook] })
class FakeWebhookModule {}

/** Answers the gateway's questions about webhooks over the NATS server at `url`. */
export async function startFakeWebhook(url: string): Promise<INestMicroservice> {
  const options = { ...natsMicroservice(url, 'fake-webhook'), logger: false as const };
  const app = await NestFactory.createMicroservice(FakeWebhookModule, options);
  await app.listen();
  return app;
}
