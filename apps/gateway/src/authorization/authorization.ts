import type { AuthenticatedCaller, ProcessAccess } from '@batuta/auth';
import type { Response } from 'express';
import type { GatewayRequest } from '../http/request';
import type { RouteAccess } from './route-access';

/** One request on its way through the pipeline: each step reads what the steps before it have found out. */
export class Authorization {
  /** The process of the path, from the query that found the caller. The process step is the first to check it. */
  processOfPath?: ProcessAccess;
  /** Set by the process step: the process exists and is linked to the caller. */
  linkedProcess?: ProcessAccess;
  /** A small body, which is read while the database looks up the caller. */
  bodyInAdvance?: Promise<Record<string, unknown>>;

  constructor(
    readonly request: GatewayRequest,
    readonly response: Response,
    readonly route: RouteAccess,
  ) {}

  /** Set by the credential step. */
  get caller(): AuthenticatedCaller {
    const { caller } = this.request;
    if (!caller) throw new Error('The credential step comes before this one');
    return caller;
  }
}

/** One check. It throws the ApiError that the request is refused with. */
export type AuthorizationStep = (authorization: Authorization) => void | Promise<void>;
