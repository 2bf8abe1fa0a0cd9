import { OUTCOMES, type Outcome } from '@batuta/contracts';
import { ANY_JSON, ApiRefusals, refsTo, TRUE_ONLY } from '@batuta/openapi';
import { applyDecorators } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiResponse,
  ApiSchema,
  ApiTags,
} from '@nestjs/swagger';
import { ApiAccess } from '../../openapi/access';
import { headerReferences } from '../../openapi/headers';
import { PROCESS_ID_PARAMETER } from '../../processes/process.dto';
import { IDEMPOTENCY_KEY_HEADER, START_ERRORS } from '../../start/start.dto';

class InstanceReferenceDto {
  @ApiProperty({ format: 'uuid', description: 'What the instance routes take.' })
  instanceID!: string;
}

@ApiSchema({ name: 'HookReplayed' })
class HookReplayedDto extends InstanceReferenceDto {
  @ApiProperty({
    ...TRUE_ONLY,
    description:
      'An earlier call with this Idempotency-Key started the instance; this call does not wait for its answer.',
  })
  replayed!: true;
}

@ApiSchema({ name: 'Captured' })
class CapturedDto {
  @ApiProperty(TRUE_ONLY)
  captured!: true;

  @ApiProperty({ format: 'uuid', description: 'The id of the capture, by which the management API shows the payload.' })
  captureId!: string;
}

@ApiSchema({ name: 'HookStarted' })
class HookStartedDto extends InstanceReferenceDto {
  @ApiProperty({ enum: ['started'] })
  status!: 'started';
}

@ApiSchema({ name: 'HookInProgress' })
class HookInProgressDto extends InstanceReferenceDto {
  @ApiProperty({
    enum: ['queued', 'running', 'FINALIZED'],
    description:
      '`queued`: no agent runs it yet. `running`: the wait ended before its answer. `FINALIZED`: it ended without an answer.',
  })
  status!: 'queued' | 'running' | 'FINALIZED';
}

@ApiSchema({ name: 'HookFailed' })
class HookFailedDto extends InstanceReferenceDto {
  @ApiProperty({ enum: OUTCOMES.filter((outcome) => outcome !== 'FINALIZED') })
  status!: Exclude<Outcome, 'FINALIZED'>;
}

@ApiSchema({ name: 'HookInvalidResponse' })
class HookInvalidResponseDto extends InstanceReferenceDto {
  @ApiProperty({ enum: ['INVALID_RESPONSE'], description: 'The process gave an answer that cannot be sent.' })
  status!: 'INVALID_RESPONSE';
}

const PROCESS_JSON_SCHEMA = { ...ANY_JSON, description: "The process's own JSON." };

/**
 * The statuses above 399 with which a process may answer, without 500, whose answer has a schema of its own. The list is not derived from
 * `RESPONSE_CODES` of `@batuta/flow`, which the bundle of the gateway does not need; `openapi.test.ts` compares both.
 */
const PROCESS_REFUSAL_STATUSES = [400, 401, 403, 404, 409, 422];

const ROUTE_DESCRIPTION = `The URL is copied from the console; the token in it is the only credential. It is served without \`/v1\`, too.

The URL for **development** keeps the payload as a capture and runs nothing. The one for **production** maps the payload to
variables as it was published, and starts the published version.

In the mode \`Imediata\` the answer is that of a start. In the mode \`Aguardar\` the call stays open until the process has
answered with its webhook response step, has ended, or the wait limit is over, which counts from the arrival of the call:

| What happened | Answer |
|---|---|
| The process answered | its code (200, 201, 202, 400, 401, 403, 404, 409, 422 or 500) and its JSON |
| It ended without an answer | 202 \`FINALIZED\` |
| It ended otherwise | 500 \`TERMINATED\`, \`STEP_LIMIT_REACHED\`, \`ERROR\`, \`STOPPED\` or \`CRASHED\` |
| The wait limit is over, or no connected agent can run it | 202 \`running\` or \`queued\`; the instance continues |
| Its answer is not valid | 502 \`INVALID_RESPONSE\` |

Of a process 50 calls wait at a time; further ones are answered as in the mode \`Imediata\`. What comes from a started
process carries \`X-Instance-Id\`, a refusal does not. Send a call again only with the same \`Idempotency-Key\`: after an answer
with \`X-Instance-Id\`, after \`UNAVAILABLE\` or \`INTERNAL\`, or without any answer, a call without a key may start another
execution. Where the origin requires signatures of Standard Webhooks, the \`webhook-id\` of the message is the key.`;

const EXAMPLE_INSTANCE_ID = '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c15';
const instanceHeaders = headerReferences('X-Instance-Id');
const startHeaders = headerReferences('X-Instance-Id', 'Idempotency-Mismatch');

const jsonContent = (schema: object, example?: unknown) => ({ 'application/json': { schema, example } });

/** The whole description of the route in the OpenAPI document. */
export const ApiHook = (): MethodDecorator =>
  applyDecorators(
    ApiTags('Webhooks'),
    ApiOperation({ summary: 'Call a webhook', description: ROUTE_DESCRIPTION }),
    ApiAccess('url'),
    ApiParam(PROCESS_ID_PARAMETER),
    ApiParam({
      name: 'token',
      description: 'From the copied URL.',
      schema: { type: 'string', pattern: '^bwh_[A-Za-z0-9_-]{43}$' },
    }),
    ApiHeader({
      ...IDEMPOTENCY_KEY_HEADER,
      description: `${IDEMPOTENCY_KEY_HEADER.description} Of the production URL only.`,
    }),
    ApiExtraModels(
      HookStartedDto,
      HookReplayedDto,
      CapturedDto,
      HookInProgressDto,
      HookFailedDto,
      HookInvalidResponseDto,
    ),
    ApiBody({
      schema: {
        ...ANY_JSON,
        description: 'The event, which is JSON of at most 1 MB, in UTF-8 or, declared so, ISO-8859-1.',
      },
      required: false,
      examples: { order: { summary: 'An order', value: { order: { number: 42, total: '1.234,56' } } } },
    }),
    ApiResponse({
      status: 200,
      description: 'Started, captured, or what the process answered.',
      content: jsonContent(
        { anyOf: [...refsTo('HookStarted', 'HookReplayed', 'Captured'), PROCESS_JSON_SCHEMA] },
        { instanceID: EXAMPLE_INSTANCE_ID, status: 'started' },
      ),
      headers: startHeaders,
    }),
    ApiResponse({
      status: 201,
      description: 'What the process answered.',
      content: jsonContent(PROCESS_JSON_SCHEMA, { order: 'taken' }),
      headers: instanceHeaders,
    }),
    ApiResponse({
      status: 202,
      description: 'It waits, it still runs, it ended without an answer, or what it answered.',
      content: jsonContent(
        { anyOf: [...refsTo('HookInProgress', 'HookReplayed'), PROCESS_JSON_SCHEMA] },
        { instanceID: EXAMPLE_INSTANCE_ID, status: 'queued' },
      ),
      headers: startHeaders,
    }),
    ...PROCESS_REFUSAL_STATUSES.map((status) =>
      ApiResponse({
        status,
        description: 'What the process answered.',
        content: jsonContent(PROCESS_JSON_SCHEMA),
        headers: instanceHeaders,
      }),
    ),
    ApiResponse({
      status: 500,
      description: 'The process failed or was stopped.',
      content: jsonContent({ anyOf: [...refsTo('HookFailed'), PROCESS_JSON_SCHEMA] }),
      headers: instanceHeaders,
    }),
    ApiResponse({
      status: 502,
      description: 'The process answered what is no answer.',
      content: jsonContent(refsTo('HookInvalidResponse')[0] ?? {}),
      headers: instanceHeaders,
    }),
    ApiRefusals('WEBHOOK_SIGNATURE_INVALID', ...START_ERRORS),
  );
