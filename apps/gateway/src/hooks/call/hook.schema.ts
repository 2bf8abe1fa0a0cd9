import { OUTCOMES } from '@batuta/contracts';
import { z } from 'zod';
import type { EndpointSpec } from '../../openapi/endpoint';
import { PROCESS_ID } from '../../processes/process.schema';
import { IDEMPOTENCY_KEY, START_ERRORS } from '../../start/start.schema';

const instanceID = z.uuid().describe('What the instance routes take.');

const told = <Word extends string>(words: readonly Word[]) => z.object({ instanceID, status: z.enum(words) });

const replayed = z
  .object({ instanceID, replayed: z.literal(true).describe('This Idempotency-Key has started the instance before.') })
  .meta({ id: 'HookReplayed' });
const captured = z
  .object({ captured: z.literal(true), captureId: z.uuid().describe('Where the management API shows the payload.') })
  .meta({ id: 'Captured' });
const started = told(['started']).meta({ id: 'HookStarted' });
const open = told(['queued', 'running', 'FINALIZED']).meta({ id: 'HookOpen' });
const failed = told(OUTCOMES.filter((outcome) => outcome !== 'FINALIZED')).meta({ id: 'HookFailed' });
const invalid = told(['INVALID_RESPONSE']).meta({ id: 'HookInvalidResponse' });

/** JSON of the process, of any kind. */
const own = z.unknown().describe("The process's own JSON.");

const DESCRIPTION = `The URL is copied from the console; the token in it is the only credential. It is served without \`/v1\`, too.

The URL for **development** keeps the payload as a capture and runs nothing. The one for **production** maps the payload to
variables as it was published, and starts the published version.

In the mode \`Imediata\` the answer is that of a start. In the mode \`Aguardar\` the call stays open until the process has
answered with its webhook response step, has ended, or the wait limit is over, which counts from the arrival of the call:

| What happened | Answer |
|---|---|
| The process answered | its code (200, 201, 202, 400, 401, 403, 404, 409, 422 or 500) and its JSON |
| It ended without an answer | 202 \`FINALIZED\` |
| It ended otherwise | 500 \`TERMINATED\`, \`STEP_LIMIT_REACHED\`, \`ERROR\`, \`STOPPED\` or \`CRASHED\` |
| The wait limit is over, or its agent is offline | 202 \`running\` or \`queued\`; it goes on |
| Its answer is not valid | 502 \`INVALID_RESPONSE\` |

Of a process 50 calls wait at a time; further ones are answered as in the mode \`Imediata\`. What comes from a started
process carries \`X-Instance-Id\`, a refusal does not. Do not send a refused or interrupted call again without an
\`Idempotency-Key\`: it would start another execution.`;

const INSTANCE = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15';
const headers: EndpointSpec['answers'][number]['headers'] = ['X-Instance-Id'];
const ofAccepted: typeof headers = [...headers, 'Idempotency-Mismatch'];

export const HOOK: EndpointSpec = {
  tag: 'Webhooks',
  summary: 'Call a webhook',
  description: DESCRIPTION,
  access: 'url',
  params: {
    pid: PROCESS_ID,
    token: { description: 'From the copied URL.', schema: { type: 'string', pattern: '^bwh_[A-Za-z0-9_-]{43}$' } },
  },
  headers: [{ ...IDEMPOTENCY_KEY, description: `${IDEMPOTENCY_KEY.description} Of the production URL only.` }],
  body: {
    schema: z.unknown().describe('The event: any JSON of at most 1 MB, in UTF-8 or, declared so, ISO-8859-1.'),
    required: false,
    examples: { order: { summary: 'An order', value: { order: { number: 42, total: '1.234,56' } } } },
  },
  answers: [
    {
      status: 200,
      description: 'Started, captured, or what the process answered.',
      schema: z.union([started, replayed, captured, own]),
      example: { instanceID: INSTANCE, status: 'started' },
      headers: ofAccepted,
    },
    { status: 201, description: 'What the process answered.', schema: own, example: { order: 'taken' }, headers },
    {
      status: 202,
      description: 'It waits, it still runs, it ended without an answer, or what it answered.',
      schema: z.union([open, replayed, own]),
      example: { instanceID: INSTANCE, status: 'queued' },
      headers: ofAccepted,
    },
    { status: 422, description: 'What the process answered.', schema: own, headers },
    { status: 500, description: 'The process failed or was stopped.', schema: z.union([failed, own]), headers },
    { status: 502, description: 'The process answered what is no answer.', schema: invalid, headers },
  ],
  errors: ['WEBHOOK_SIGNATURE_INVALID', ...START_ERRORS],
};
