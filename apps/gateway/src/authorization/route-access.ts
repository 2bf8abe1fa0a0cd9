import type { Permission } from '@batuta/auth';

/** What a route of /v1 demands of a request besides an account credential. */
export interface RouteAccess {
  /** The part of the request that has the id of the process; the request then also needs a key of this process. */
  process?: 'path' | 'body';
  /** The permission that a share of the process must grant; without one, any share will do (interpretation 12). */
  permission?: Permission;
  /** The path names a schedule that the caller must have created, or whose process it must own. */
  schedule?: true;
  /** The request may have a JSON body; a process in the body implies it. */
  body?: true;
  /** The services that the route calls write an audit event of management, with the account, credential and address of the request. */
  audited?: true;
}
