import { execution, type StartReply, type StartRequest } from '@batuta/contracts';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** The execution service as webhooks see it: starts an id once, refuses what a test says, forgets nothing. */
@Controller()
export class FakeExecution {
  /** What it was asked, in order. */
  readonly asked: StartRequest[] = [];
  /** What it accepted, by instance id. */
  readonly started = new Map<string, StartRequest>();
  /** A test's own reaction, before a request is accepted: throws to refuse, or takes its time. */
  reaction: (request: StartRequest) => void | Promise<void> = () => undefined;

  @Handles(execution.start)
  async start(request: StartRequest): Promise<StartReply> {
    this.asked.push(request);
    await this.reaction(request);
    this.started.set(request.instanceID, request);
    return { instanceID: request.instanceID, status: 'started' };
  }

  askedOf(processID: string): StartRequest[] {
    return this.asked.filter((request) => request.processID === processID);
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
