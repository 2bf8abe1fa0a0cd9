/** The words of the example in the language of the page. */
export interface ExampleTexts {
  processName: string;
  variable: string;
  defaultValue: string;
  greeting: string;
  steps: { greet: string; wait: string; answer: string };
}

/** The texts of the first visit name this number. */
const WAIT_SECONDS = 3;

/** The Matrix and the flow of the example process of the first visit: steps that every agent can run, slow enough to be watched. */
export function exampleFlow({ variable, defaultValue, greeting, steps }: ExampleTexts) {
  return {
    matrix: [{ name: variable, type: 'Texto' as const, default: defaultValue }],
    flow: {
      start: steps.greet,
      steps: [
        {
          name: steps.greet,
          type: 'variables',
          rows: [{ name: 'message', mode: 'Variável ou texto', value: `${greeting}, {matrix.${variable}}!` }],
          routes: [{ to: steps.wait }],
        },
        { name: steps.wait, type: 'wait', seconds: WAIT_SECONDS, routes: [{ to: steps.answer }] },
        { name: steps.answer, type: 'webhookResponse', body: '{ "message": "{{message}}" }' },
      ],
    },
  };
}
