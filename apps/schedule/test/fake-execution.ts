import { execution, type StartReply, type StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** The execution service as schedules see it: starts an id once, refuses what a test says, forgets nothing. */
@Controller()
export class FakeExecution {
  /** What it was asked, in order. */
  readonly asked: StartRequest[] = [];
  /** What it accepted, by instance id: the request that it accepted. */
  readonly started = new Map<string, StartRequest>();
  /** A test's own answer to a request; undefined = accepted. */
  refusal: (request: StartRequest) => ApiError | undefined = () => undefined;
  /** Accepted, but the answer is lost. */
  losesAnswer: (request: StartRequest) => boolean = () => false;

  @Handles(execution.start)
  async start(request: StartRequest): Promise<StartReply> {
    this.asked.push(request);
    const { instanceID } = request;
    if (!this.started.has(instanceID)) {
      const refusal = this.refusal(request);
      if (refusal) throw refusal;
      this.started.set(instanceID, request);
    }
    if (this.losesAnswer(request)) throw new ApiError('UNAVAILABLE');
    return { instanceID, status: 'started' };
  }

  startsOf(processID: string): StartRequest[] {
    return [...this.started.values()].filter((request) => request.processID === processID);
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
