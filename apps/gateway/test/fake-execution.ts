import {
  execution,
  type AwaitedState,
  type ControlAction,
  type DryRunReply,
  type HistoryItem,
  type InstanceBody,
  type InstanceNews,
  type LogLine,
  type StartReply,
  type StartRequest,
  type Viewer,
} from '@batuta/contracts';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

type Asked = { instanceID: string; viewer: Viewer };

/** The replies of the fake execution service; a test replaces them. */
export const answers = {
  start: async ({ instanceID }: StartRequest): Promise<StartReply> => ({ instanceID, status: 'started' }),
  dryRun: async (): Promise<DryRunReply> => ({ refusals: [], status: 'started' }),
  news: async (_asked: Asked & { after: number }): Promise<InstanceNews> => {
    throw new Error('not set');
  },
  instance: async (_asked: Asked): Promise<InstanceBody> => {
    throw new Error('not set');
  },
  control: async ({ action }: { action: ControlAction }): Promise<{ ok: true; action: ControlAction }> => ({
    ok: true,
    action,
  }),
  logs: async (_asked: Asked): Promise<{ logs: LogLine[] }> => ({ logs: [] }),
  awaited: async (_asked: { instanceIDs: string[] }): Promise<{ states: AwaitedState[] }> => ({ states: [] }),
  history: async (_asked: { processID: string }): Promise<{ executions: HistoryItem[] }> => ({ executions: [] }),
};

/** The requests to all fake services, in order. */
export const asked: { subject: string; request: unknown }[] = [];

function recorded<Request>(subject: string, request: Request): Request {
  asked.push({ subject, request });
  return request;
}

@Controller()
class FakeExecution {
  @Handles(execution.start)
  async start(request: StartRequest): Promise<StartReply> {
    return answers.start(recorded('start', request));
  }

  @Handles(execution.dryRun)
  async dryRun(
    request: Pick<StartRequest, 'processID' | 'trigger' | 'matrix' | 'environmentID'>,
  ): Promise<DryRunReply> {
    recorded('dryRun', request);
    return answers.dryRun();
  }

  @Handles(execution.news)
  async news(request: Asked & { after: number; limit: number }): Promise<InstanceNews> {
    return answers.news(recorded('news', request));
  }

  @Handles(execution.instance)
  async instance(request: Asked): Promise<InstanceBody> {
    return answers.instance(recorded('instance', request));
  }

  @Handles(execution.control)
  async control(
    request: Asked & { action: ControlAction; executor: string },
  ): Promise<{ ok: true; action: ControlAction }> {
    return answers.control(recorded('control', request));
  }

  @Handles(execution.logs)
  async logs(request: Asked & { limit: number; after?: number }): Promise<{ logs: LogLine[] }> {
    return answers.logs(recorded('logs', request));
  }

  @Handles(execution.awaited)
  async awaited(request: { instanceIDs: string[] }): Promise<{ states: AwaitedState[] }> {
    return answers.awaited(recorded('awaited', request));
  }

  @Handles(execution.history)
  async history(request: { processID: string; from: string; to: string; limit: number }) {
    return answers.history(recorded('history', request));
  }
}

@Module({ controllers: [FakeExecution] })
class FakeExecutionModule {}

/** A fake execution service at the NATS server `url`. */
export async function startFakeExecution(url: string): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice(FakeExecutionModule, {
    ...natsMicroservice(url, 'fake-execution'),
    logger: false,
  });
  await app.listen();
  return app;
}
