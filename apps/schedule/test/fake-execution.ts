import { execution, type StartReply, type StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** A fake execution service that starts each id once, and refuses the requests for which `refusal` returns an error. */
@Controller()
export class FakeExecution {
  /** Every request, in order. */
  readonly requests: StartRequest[] = [];
  /** The accepted requests, by instance id. */
  readonly started = new Map<string, StartRequest>();
  /** The error that refuses a request; undefined = the request is accepted. */
  refusal: (request: StartRequest) => ApiError | undefined = () => undefined;
  /** True = a request is accepted, but its reply is lost. */
  losesReply: (request: StartRequest) => boolean = () => false;

  @Handles(execution.start)
  async start(request: StartRequest): Promise<StartReply> {
    this.requests.push(request);
    const { instanceID } = request;
    if (!this.started.has(instanceID)) {
      const refusal = this.refusal(request);
      if (refusal) throw refusal;
      this.started.set(instanceID, request);
    }
    if (this.losesReply(request)) throw new ApiError('UNAVAILABLE');
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
