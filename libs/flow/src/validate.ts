import type { MatrixType } from '@batuta/matrix';

export interface Problem {
  /** JSON Pointer into the definition, such as `/steps/2/rows/0/name`. */
  path: string;
  message: string;
}

export interface FlowContext {
  /** The Matrix variables registered for the process. */
  matrix: { name: string; type: MatrixType | string }[];
}

export function validateFlow(_definition: unknown, _context: FlowContext): { problems: Problem[] } {
  throw new Error('to be filled in');
}
