import { execution, type StartReply, type StartRequest } from '@batuta/contracts';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** A fake execution service that accepts every start, unless a test refuses it, and records all requests. */
@Controller()
export class FakeExecution {
  /** All requests, in order. */
  readonly requests: StartRequest[] = [];
  /** The accepted requests by instance id. */
  readonly started = new Map<string, StartRequest>();
  /** A test may replace it to refuse a request, by throwing, or to delay it. */
  beforeAccept: (request: StartRequest) => void | Promise<void> = () => undefined;

  @Handles(execution.start)
  async start(request: StartRequest): Promise<StartReply> {
    this.requests.push(request);
    await this.beforeAccept(request);
    this.started.set(request.instanceID, request);
    return { instanceID: request.instanceID, status: 'started' };
  }

  requestsOf(processID: string): StartRequest[] {
    return this.requests.filter((request) => request.processID === processID);
  }
}

@Module({ controllers: [FakeExecution] })
class FakeExecutionModule {}

export async function startFakeExecution(url: string): Promise<{ app: INestMicroservice; fake: FakeExecution }> {
  const options = { ...natsMicroservice(url, 'fake-execution'), logger: false as const };
  const app = await NestFactory.createMicroservice(FakeExecutionModule, options);
  await app.listen();
  return { app, fake: app.get(FakeExecution) };
}
