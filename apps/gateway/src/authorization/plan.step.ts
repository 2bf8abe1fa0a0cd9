import { requireApiAccess } from '@batuta/auth';
import type { AuthorizationStep } from './authorization';

/** Refuses a caller whose company has a plan without API access. */
export const planStep: AuthorizationStep = ({ caller }) => requireApiAccess(caller);
