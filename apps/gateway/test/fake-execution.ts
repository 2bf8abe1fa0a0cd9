import {
  execution,
  type AwaitedState,
  type ControlAction,
  type DryRunReply,
  type EvidencePage,
  type HistoryItem,
  type InstanceBody,
  type InstanceNews,
  type LogLine,
  type StartReply,
  type StartRequest,
  type Viewer,
} from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Handles, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

type InstanceRequest = { instanceID: string; viewer: Viewer };

/** The replies of the fake execution service; a test replaces them. */
export const executionReplies = {
  start: async ({ instanceID }: StartRequest): Promise<StartReply> => ({ instanceID, status: 'started' }),
  dryRun: async (): Promise<DryRunReply> => ({ refusals: [], status: 'started' }),
  news: async (_asked: InstanceRequest & { after: number }): Promise<InstanceNews> => {
    throw new Error('not set');
  },
  instance: async (_asked: InstanceRequest): Promise<InstanceBody> => {
    throw new Error('not set');
  },
  control: async ({ action }: { action: ControlAction }): Promise<{ ok: true; action: ControlAction }> => ({
    ok: true,
    action,
  }),
  logs: async (_asked: InstanceRequest): Promise<{ logs: LogLine[] }> => ({ logs: [] }),
  evidence: async (_asked: InstanceRequest & { evidenceID: string; offset: number }): Promise<EvidencePage> => {
    throw new ApiError('NOT_FOUND', 'evidence: the picture is still being uploaded');
  },
  awaited: async (_asked: { instanceIDs: string[] }): Promise<{ states: AwaitedState[] }> => ({ states: [] }),
  history: async (_asked: {
    processID: string;
  }): Promise<{ executions: HistoryItem[]; older?: { before: string } }> => ({ executions: [] }),
};

/** The requests to all fake services, in order. */
export const receivedRequests: { subject: string; request: unknown }[] = [];

function recordRequest<Request>(subject: string, request: Request): Request {
  receivedRequests.push({ subject, request });
  return request;
}

@Controller()
class FakeExecution {
  @Handles(execution.start)
  async start(request: StartRequest): Promise<StartReply> {
    return executionReplies.start(recordRequest('start', request));
  }

  @Handles(execution.dryRun)
  async dryRun(
    request: Pick<StartRequest, 'processID' | 'trigger' | 'matrix' | 'environmentID'>,
  ): Promise<DryRunReply> {
    recordRequest('dryRun', request);
    return executionReplies.dryRun();
  }

  @Handles(execution.news)
  async news(request: InstanceRequest & { after: number; limit: number }): Promise<InstanceNews> {
    return executionReplies.news(recordRequest('news', request));
  }

  @Handles(execution.instance)
  async instance(request: InstanceRequest): Promise<InstanceBody> {
    return executionReplies.instance(recordRequest('instance', request));
  }

  @Handles(execution.evidence)
  async evidence(request: InstanceRequest & { evidenceID: string; offset: number }): Promise<EvidencePage> {
    return executionReplies.evidence(recordRequest('evidence', request));
  }

  @Handles(execution.control)
  async control(
    request: InstanceRequest & { action: ControlAction; executor: string },
  ): Promise<{ ok: true; action: ControlAction }> {
    return executionReplies.control(recordRequest('control', request));
  }

  @Handles(execution.logs)
  async logs(request: InstanceRequest & { limit: number; after?: number }): Promise<{ logs: LogLine[] }> {
    return executionReplies.logs(recordRequest('logs', request));
  }

  @Handles(execution.awaited)
  async awaited(request: { instanceIDs: string[] }): Promise<{ states: AwaitedState[] }> {
    return executionReplies.awaited(recordRequest('awaited', request));
  }

  @Handles(execution.history)
  async history(request: { processID: string; from: string; to: string; limit: number; before?: string }) {
    return executionReplies.history(recordRequest('history', request));
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
