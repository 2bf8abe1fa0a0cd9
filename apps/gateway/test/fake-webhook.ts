import { webhook, type HookCall, type HookStart, type RequestOf, type StartReply } from '@batuta/contracts';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { asked } from './fake-execution';

type Wait = RequestOf<typeof webhook.wait>;
type Release = RequestOf<typeof webhook.release>;

/** What the webhook service would answer; a test sets it. */
export const webhookAnswers = {
  capture: async (_asked: HookCall): Promise<{ captured: true; captureId: string }> => ({
    captured: true,
    captureId: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c30',
  }),
  start: async ({ instanceID }: HookStart): Promise<StartReply> => ({ instanceID, status: 'started' }),
  wait: async (_asked: Wait): Promise<{ granted: boolean }> => ({ granted: true }),
  release: async ({ instanceIDs }: Release): Promise<{ released: number }> => ({ released: instanceIDs.length }),
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
  async wait(request: Wait): Promise<{ granted: boolean }> {
    return webhookAnswers.wait(heard('webhook.wait', request));
  }

  @Handles(webhook.release)
  async release(request: Release): Promise<{ released: number }> {
    return webhookAnswers.release(heard('webhook.release', request));
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
