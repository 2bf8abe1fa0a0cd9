import type { Flow } from '@batuta/flow';

/** A name that would be markup, and end an attribute, if a page did not escape it. */
export const HOSTILE_NAME = '<img src=x onerror="throw new Error(1)"> "]';

/** A flow with a branch, and an `onError` route that terminates the execution. */
export const ORDER_FLOW: Flow = {
  start: 'Compute the total',
  steps: [
    {
      name: 'Compute the total',
      type: 'variables',
      rows: [
        {
          name: 'total',
          mode: 'Fórmula',
          value: '{matrix.amount} * 2',
          type: 'Moeda',
        },
      ],
      routes: [{ when: '{total} > 1000', to: 'Report' }, { to: 'Remember' }],
    },
    {
      name: 'Report',
      type: 'script',
      code: 'return {total} / 100',
      as: 'fee',
      routes: [{ to: HOSTILE_NAME }],
    },
    {
      name: 'Remember',
      type: 'wait',
      seconds: 0,
      routes: [{ to: HOSTILE_NAME }],
      onError: [{ terminate: true }],
    },
    { name: HOSTILE_NAME, type: 'script', code: 'return 1' },
  ],
};
