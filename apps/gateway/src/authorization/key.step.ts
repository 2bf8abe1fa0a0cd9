import { readProcessKey, requireValidKey } from '@batuta/auth';
import type { AuthorizationStep } from './authorization';

/** Refuses a request without a process key, before any check of the process itself. */
export const sentKeyStep: AuthorizationStep = ({ request }) => {
  readProcessKey(request.headers['x-process-key']);
};

/** Refuses a key of another process, and one that was revoked or has expired. */
export const keyStep: AuthorizationStep = ({ request, reachableProcess }) => {
  if (!reachableProcess) throw new Error('The process step comes before the key step');
  request.process = requireValidKey(reachableProcess, readProcessKey(request.headers['x-process-key']));
};
