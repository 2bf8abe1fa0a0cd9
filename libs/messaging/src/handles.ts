import type { EventSubject, RpcSubject } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { REQUEST_ID_HEADER, withRequestID, type Actor } from '@batuta/observability';
import { isTracing, runInSpan } from '@batuta/tracing';
import { Logger } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, NatsContext, Payload, RpcException } from '@nestjs/microservices';
import { Observable } from 'rxjs';
import { TENANT_HEADER } from './large-requests';
import { ACTOR_HEADER, TRACEPARENT_HEADER } from './request-headers';

interface HandlerOptions {
  /** Whether values that the caller sent as RawJson reach the handler as RawJson; by default they are parsed. */
  raw?: boolean;
}

type RequestHandler<Request, Reply> = (request: Request) => Promise<Reply>;
type MethodOf<Method> = (target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<Method>) => void;

const logger = new Logger('messaging');

/**
 * Marks the method that handles a request; one replica of the service handles each request. An ApiError that the method throws
 * reaches the caller with its code and message, any other error as INTERNAL.
 */
export function Handles<Request, Reply>(
  { subject, replicas }: RpcSubject<Request, Reply>,
  options: HandlerOptions = {},
): MethodOf<RequestHandler<Request, Reply>> {
  return (target, key, descriptor) => {
    wrapHandler(subject, descriptor, (error) => new RpcException(toApiError(subject, error).toWire()));
    passContext(target, key);
    MessagePattern(subject, { queue: 'shared', byTenant: replicas !== undefined, ...options })(target, key, descriptor);
  };
}

/** Like `Handles`, for a method that may send partial replies through its second argument before it returns the last one. */
export function HandlesStreaming<Request, Reply>({
  subject,
  replicas,
}: RpcSubject<Request, Reply>): MethodOf<(request: Request, sendPartial: (reply: Reply) => void) => Promise<Reply>> {
  return (target, key, descriptor) => {
    const method = descriptor.value;
    if (!method) throw new Error('only a method can handle a message');
    const untyped: PropertyDescriptor = descriptor;
    untyped.value = function handled(this: unknown, request: Request, ...[context]: unknown[]): Observable<Reply> {
      return new Observable((replies) => {
        const work = () => method.call(this, request, (reply) => replies.next(reply));
        const answer = async () => {
          try {
            const tenant = headerOf(context, TENANT_HEADER);
            replies.next(await withRequestID(headerOf(context, REQUEST_ID_HEADER), work, { tenant }));
            replies.complete();
          } catch (error) {
            replies.error(new RpcException(toApiError(subject, error).toWire()));
          }
        };
        void answer();
      });
    };
    passContext(target, key);
    MessagePattern(subject, { queue: 'shared', byTenant: replicas !== undefined })(target, key, untyped);
  };
}

/** Marks the method that handles a notification, on every replica. An error that it throws is only logged. */
export function OnNotification<Body>({ subject }: EventSubject<Body>): MethodOf<RequestHandler<Body, void>> {
  return (target, key, descriptor) => {
    wrapHandler(subject, descriptor, (error) => toApiError(subject, error));
    passContext(target, key);
    const untyped: PropertyDescriptor = descriptor;
    EventPattern(subject)(target, key, untyped);
  };
}

/** Makes Nest pass the message and its context to the method; by default it passes only the message. */
function passContext(target: object, key: string | symbol): void {
  Payload()(target, key, 0);
  Ctx()(target, key, 1);
}

function wrapHandler<Request, Reply>(
  subject: string,
  descriptor: TypedPropertyDescriptor<RequestHandler<Request, Reply>>,
  toThrown: (error: unknown) => Error,
): void {
  const method = descriptor.value;
  if (!method) throw new Error('only a method can handle a message');
  descriptor.value = function handled(this: unknown, request: Request, ...[context]: unknown[]): Promise<Reply> {
    const call = () => method.call(this, request);
    // Only messages that belong to a trace are traced: most notifications and all long polls belong to none.
    const traceparent = isTracing() ? headerOf(context, TRACEPARENT_HEADER) : undefined;
    const work = () => (traceparent ? runInSpan({ name: subject, kind: 'server' }, call, traceparent) : call());
    const sender = { actor: actorOf(context), tenant: headerOf(context, TENANT_HEADER) };
    return withRequestID(headerOf(context, REQUEST_ID_HEADER), work, sender).catch((error: unknown) => {
      throw toThrown(error);
    });
  };
}

function actorOf(context: unknown): Actor | undefined {
  const sent = headerOf(context, ACTOR_HEADER);
  if (sent === undefined) return undefined;
  const actor: Actor = JSON.parse(sent);
  return actor;
}

function headerOf(context: unknown, name: string): string | undefined {
  if (!(context instanceof NatsContext)) return undefined;
  const headers: unknown = context.getHeaders();
  const hasGet = typeof headers === 'object' && headers !== null && 'get' in headers;
  const id: unknown = hasGet && typeof headers.get === 'function' ? headers.get(name) : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function toApiError(subject: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  logger.error(`a request for ${subject} failed: ${error instanceof Error ? error.stack : String(error)}`);
  return new ApiError('INTERNAL');
}
