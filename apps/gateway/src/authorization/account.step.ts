import { requireActive } from '@batuta/auth';
import type { AuthorizationStep } from './authorization';

/** Refuses a caller that is blocked or belongs to a suspended company. */
export const accountStep: AuthorizationStep = ({ caller }) => requireActive(caller);
