import type { Flow } from '@batuta/flow';
import { echoFlow } from '../tenants/answer-flows';
import { makeEnvironment, makeProcess, type Environment, type Process } from '../tenants/factories';
import { untilOnline } from '../tenants/instances';
import { startStack } from '../stack/in-process-stack';
import type { Stack } from '../stack/stack';

export const MATRIX_VARIABLES = [
  { name: 'customer', type: 'Texto', default: 'nobody' },
  { name: 'total', type: 'Moeda', default: '1,00' },
  { name: 'token', type: 'Secreto' },
];
export const ORDER_BODY = { customer: { name: 'Ana', token: 's3cret-of-the-sender' }, total: 'R$ 1.234,50' };
/** The beginning of the token in ORDER_BODY, which an origin maps to a Secreto; it must appear in no log and no answer. */
export const SENDER_SECRET = 's3cret-of';

export interface WebhookStack {
  stack: Stack;
  /** An environment with a connected agent. */
  environment: Environment;
  /** Makes a process; by default with MATRIX_VARIABLES and a flow that answers with customer and total. */
  newProcess(more?: {
    matrix?: typeof MATRIX_VARIABLES | { name: string; type: string }[];
    flow?: Flow;
  }): Promise<Process>;
  stop(): Promise<void>;
}

export async function startWebhookStack(): Promise<WebhookStack> {
  const stack = await startStack();
  const environment = await makeEnvironment(stack);
  await stack.startAgent(environment);
  await untilOnline(environment);
  const usual = { environment, matrix: MATRIX_VARIABLES, flow: echoFlow(['customer', 'total']) };
  return {
    stack,
    environment,
    newProcess: (more = {}) => makeProcess(stack, { ...usual, ...more }),
    stop: () => stack.stop(),
  };
}
