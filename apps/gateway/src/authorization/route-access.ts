import type { Permission } from '@batuta/auth';

/** What a route of /v1 demands of a request besides an account credential. */
export interface RouteAccess {
  /** Where the request names the process whose key it carries. */
  process?: 'path' | 'body';
  /** What a share of the process must grant; a route without one needs only the share (interpretation 12). */
  permission?: Permission;
  /** The path names a schedule that the caller must be able to see. */
  schedule?: true;
  /** The request may have a JSON body; a process in the body implies it. */
  body?: true;
  /** The route changes something that leaves an audit event, which names the credential and the address. */
  audited?: true;
}
