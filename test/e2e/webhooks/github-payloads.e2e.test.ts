import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Flow } from '@batuta/flow';
import { makeEnvironment, makeProcess, type Environment } from '../support/tenants/factories';
import { untilEnded, instanceOf, messagesOf } from '../support/tenants/instances';
import { startStack } from '../support/stack/in-process-stack';
import type { Stack } from '../support/stack/stack';

// Payloads of GitHub as values of a Matrix variable, whose fields the formulas of a flow read; no webhook is called.

const FIXTURES = path.join(__dirname, '../../fixtures/github');

let stack: Stack;
let environment: Environment;

beforeAll(async () => {
  stack = await startStack();
  environment = await makeEnvironment(stack);
  await stack.startAgent(environment);
});
afterAll(() => stack?.stop());

/** For each payload a formula over its fields, and the result that the log must show. */
const CASES: [file: string, formula: string, result: string][] = [
  [
    'github-issues-opened.payload.json',
    '`#${{matrix.payload.issue.number}} ` + {matrix.payload.issue.title}.toUpperCase() + " " + {matrix.payload.issue.labels}.map(l => l.name).join()',
    '#1 SPELLING ERROR IN THE README FILE bug',
  ],
  [
    'github-pull_request-opened.payload.json',
    '{matrix.payload.pull_request.user.login} + ":" + ({matrix.payload.pull_request.additions} + {matrix.payload.pull_request.deletions})',
    'Codertocat:2',
  ],
  [
    'github-push-1.payload.json',
    '"{matrix.payload.ref}".split("/").at(-1) + " of " + {matrix.payload}.repository.full_name + ({matrix.payload.deleted} ? " deleted" : "")',
    'simple-tag of Codertocat/Hello-World deleted',
  ],
  [
    'github-push-payload.json',
    '{matrix.payload.commits}.length + "|" + {matrix.payload.head_commit} + "|" + {matrix.payload.pusher.name}',
    '0|null|Codertocat',
  ],
];

test.each(CASES)('a formula reads the fields of the GitHub payload %s', async (file, formula, result) => {
  const flow: Flow = {
    start: 'Read the event',
    steps: [
      { name: 'Read the event', type: 'variables', rows: [{ name: 'summary', mode: 'Fórmula', value: formula }] },
    ],
  };
  const matrix = [{ name: 'payload', type: 'Objeto' }];
  const process = await makeProcess(stack, { environment, flow, matrix });
  const payload: unknown = JSON.parse(readFileSync(path.join(FIXTURES, file), 'utf8'));
  const instanceID = instanceOf(await process.start({ matrix: { payload } }));
  expect(await untilEnded(process.owner, instanceID)).toMatchObject({ status: 'success', errorMessage: null });
  expect((await messagesOf(process.owner, instanceID)).join('\n')).toContain(result);
});
