import type { InstanceWork } from '@batuta/contracts';
import type { Flow } from '@batuta/flow';
import { NO_BROWSER } from '../../find-browser';
import { Control } from '../../execution/control';
import { runFlow } from '../../flow/run-flow';
import { NO_PROXIES } from '@batuta/network';
import { commonEffects, type FlowSettings } from '../flow-effects';
import type { CodeRunner } from '../../sandbox';

const WARM_UP_FLOW: Flow = {
  start: 'rows',
  steps: [
    {
      name: 'rows',
      type: 'variables',
      rows: [{ name: 'sum', mode: 'Fórmula', value: '{matrix.number} + 1' }],
      routes: [{ when: '{sum} > 1', to: 'end' }],
    },
    { name: 'end', type: 'variables' },
  ],
};

const WARM_UP_WORK: Omit<InstanceWork, 'fence' | 'version'> = {
  instanceID: '',
  processID: '',
  processName: '',
  userName: '',
  requestID: '',
  flow: WARM_UP_FLOW,
  matrix: [{ name: 'number', type: 'Número', value: 1 }],
  vault: {},
};

const WARM_UP_SETTINGS: FlowSettings = {
  hosts: { allow: [], deny: [] },
  proxies: NO_PROXIES,
  browser: { program: NO_BROWSER, sandbox: true },
  stepLimit: 10,
};

/**
 * Runs a small flow without effects outside of this process, so that V8 has compiled the code that every flow uses
 * before the execution arrives.
 */
export async function warmUp(code: CodeRunner): Promise<void> {
  await runFlow(
    WARM_UP_WORK,
    {
      ...commonEffects(WARM_UP_SETTINGS, code),
      control: new Control(),
      log: () => Promise.resolve(),
      answer: () => undefined,
      logInternalError: () => undefined,
      evidence: { keep: () => Promise.resolve(undefined) },
    },
    WARM_UP_FLOW,
  );
}
