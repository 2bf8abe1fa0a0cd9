import { event, rpc, type ReplicaNotice } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { currentActor, currentRequestID, currentTenant, type Actor } from '@batuta/observability';
import {
  Controller,
  Inject,
  Module,
  type DynamicModule,
  type INestMicroservice,
  type LoggerService,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitter, once } from 'node:events';
import { Handles, HandlesStreaming, OnNotification, natsMicroservice } from '../src';

interface RepeatRequest {
  text: string;
  times: number;
  slowly?: true;
}

const replicaNotice = event<ReplicaNotice>('test.replica');

export const TEST_SUBJECTS = {
  replica: replicaNotice,
  /** The name of the replica that handles the request. */
  handler: rpc<{ refused?: true }, { replica: string }>('test.handler', { replicas: replicaNotice }),
  /** Its handler never answers; a request goes to the replica of its tenant. */
  neverByTenant: rpc<Record<string, never>, { replica: string }>('test.never-by-tenant', { replicas: replicaNotice }),
  /** The double of `n`, with what the handler knows of the request. -1 is refused with INVALID_MATRIX, and 1300 is an unexpected error. */
  double: rpc<{ n: number }, { n: number; requestID?: string; actor?: Actor; tenant?: string }>('test.double'),
  /** Is answered at the event `answer` of `slowHandlerEvents`. */
  slow: rpc<{ n: number }, { n: number }>('test.slow'),
  /** Its handler never answers. */
  never: rpc<{ n: number }, { n: number }>('test.never'),
  /** Has no handler. */
  nobody: rpc<{ n: number }, { n: number }>('test.nobody'),
  /** Partial replies from 1 on, and `to` as the last reply. With `slowly` each one after an event `answer`; with `fails` an error at the end. */
  count: rpc<{ to: number; slowly?: true; fails?: true }, { n: number }>('test.count'),
  repeat: rpc<RepeatRequest, { text: string }>('test.repeat'),
  changed: event<{ word: string }>('test.changed'),
};

export const receivedNotifications: string[] = [];
/** How many requests `double` the handlers of each replica have handled. */
export const handledBy = new Map<object, number>();
/** `received`: a slow handler has got a request. The test emits `answer` to let it answer. */
export const slowHandlerEvents = new EventEmitter();

const REPLICA = Symbol('replica');

@Controller()
class TestHandlers {
  constructor(@Inject(REPLICA) private readonly replica: string) {}

  @Handles(TEST_SUBJECTS.handler)
  async handler({ refused }: { refused?: true }): Promise<{ replica: string }> {
    if (refused) throw new ApiError('UNAVAILABLE', `by ${this.replica}`);
    return { replica: this.replica };
  }

  @Handles(TEST_SUBJECTS.neverByTenant)
  neverByTenant(_request: Record<string, never>): Promise<{ replica: string }> {
    return new Promise(() => {});
  }

  @Handles(TEST_SUBJECTS.double)
  async double({ n }: { n: number }): Promise<{ n: number; requestID?: string; actor?: Actor; tenant?: string }> {
    if (n < 0) throw new ApiError('INVALID_MATRIX', 'n: below zero');
    if (n === 1300) throw new Error('secret detail');
    handledBy.set(this, (handledBy.get(this) ?? 0) + 1);
    return { n: 2 * n, requestID: currentRequestID(), actor: currentActor(), tenant: currentTenant() };
  }

  @Handles(TEST_SUBJECTS.slow)
  async slow({ n }: { n: number }): Promise<{ n: number }> {
    slowHandlerEvents.emit('received');
    await once(slowHandlerEvents, 'answer');
    return { n };
  }

  @Handles(TEST_SUBJECTS.never)
  never(_request: { n: number }): Promise<{ n: number }> {
    return new Promise(() => {});
  }

  @Handles(TEST_SUBJECTS.repeat)
  async repeat({ text, times, slowly }: RepeatRequest): Promise<{ text: string }> {
    if (slowly) slowHandlerEvents.emit('received');
    if (slowly) await once(slowHandlerEvents, 'answer');
    return { text: text.repeat(times) };
  }

  @HandlesStreaming(TEST_SUBJECTS.count)
  async count(
    { to, slowly, fails }: { to: number; slowly?: true; fails?: true },
    sendPartial: (reply: { n: number }) => void,
  ): Promise<{ n: number }> {
    for (let n = 1; n < to; n++) {
      sendPartial({ n });
      if (slowly) await once(slowHandlerEvents, 'answer');
    }
    if (fails) throw new ApiError('CONFLICT', 'to: too far');
    return { n: to };
  }

  @OnNotification(TEST_SUBJECTS.changed)
  async changed({ word }: { word: string }): Promise<void> {
    receivedNotifications.push(word);
  }
}

@Module({ controllers: [TestHandlers] })
class TestModule {
  static of(replica: string): DynamicModule {
    return { module: TestModule, providers: [{ provide: REPLICA, useValue: replica }] };
  }
}

/** Starts a replica of a service with these handlers; nobody announces it. */
export async function startReplica(
  url: string,
  name: string,
  logger: LoggerService | false = false,
): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice(TestModule.of(name), {
    ...natsMicroservice(url, name, name),
    logger,
  });
  await app.listen();
  return app;
}
