import type { AuthenticatedCaller, ProcessAccess } from '@batuta/auth';
import type { Response } from 'express';
import type { GatewayRequest } from '../http/request';
import type { RouteAccess } from './route-access';

/** The facts about one request that the steps of the pipeline collect; each step reads the facts of earlier steps. */
export class AuthorizationState {
  /**
   * The process in the path, read by the query that found the caller; undefined without such a process, or when its id is malformed or
   * no key was sent. No step before the process step may use it.
   */
  processOfPath?: ProcessAccess;
  /** Set by the process step: the process exists, and the caller owns it or has a share of it. */
  reachableProcess?: ProcessAccess;
  /** The parsed body, if it is small: it is read while the database looks up the caller. Rejects for a malformed body. */
  bodyInAdvance?: Promise<Record<string, unknown>>;
  /**
   * When the access of the caller was read from the database, in epoch milliseconds. Set by the credential step; after a slow body the access is read
   * again.
   */
  accessReadAt?: number;

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
export type AuthorizationStep = (authorization: AuthorizationState) => void | Promise<void>;
