import { RESPONSE_MODES } from '@batuta/contracts';
import { z } from 'zod';
import { bounded, change, line, whole } from '../http/fields';

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const DAY_SECONDS = 86_400;

const name = line().meta({ examples: ['Payments'] });
const responseMode = z.enum(RESPONSE_MODES).meta({
  description: '`Imediata` answers with the instanceID; `Aguardar` holds the call until the process answers.',
});
const waitSeconds = whole(1, 120).meta({ description: 'How long `Aguardar` waits, from the arrival of the call.' });
const enabled = z.boolean().meta({ description: 'While false both URLs refuse calls with WEBHOOK_DISABLED.' });
const header = z
  .string()
  .regex(HEADER, { error: 'is no name of a header' })
  .meta({ examples: ['X-Hub-Signature-256'] });
const toleranceSeconds = whole(1, DAY_SECONDS).nullable();

const signature = z
  .strictObject({
    header,
    // As the sender has it: neither trimmed nor normalised.
    secret: bounded(1, 200).meta({ format: 'password', description: 'Never told again.' }),
    toleranceSeconds: toleranceSeconds.default(null).meta({
      description: 'How old the timestamp of a signature may be; null = calls need none.',
    }),
  })
  .nullable()
  .meta({
    description:
      'Calls must carry an HMAC-SHA-256 of their body in this header, as `sha256=<hex>` (GitHub) or, over `<t>.<body>`, as `t=<seconds>,v1=<hex>` (Stripe). null = none is asked for.',
  });

export const originInput = z.strictObject({
  name,
  responseMode: responseMode.default('Imediata'),
  waitSeconds: waitSeconds.default(30),
  enabled: enabled.default(true),
  signature: signature.default(null),
});
export type OriginInput = z.output<typeof originInput>;

export const originChange = change({ name, responseMode, waitSeconds, enabled, signature });
export type OriginChange = z.output<typeof originChange>;

const devUrl = z.url().meta({ description: 'Captures payloads and runs nothing.' });
const prodUrl = z.url().meta({ description: 'Starts the published version.' });

export const originAnswer = z.object({
  id: z.uuid(),
  processID: z.uuid(),
  name: z.string(),
  responseMode: z.enum(RESPONSE_MODES),
  waitSeconds: z.int(),
  enabled: z.boolean(),
  signature: z
    .object({ header: z.string(), toleranceSeconds: z.int().nullable() })
    .nullable()
    .meta({ description: 'Without its secret.' }),
  devUrl,
  prodUrl,
  createdAt: z.iso.datetime(),
});
export type OriginAnswer = z.infer<typeof originAnswer>;

export const originList = z.object({ origins: z.array(originAnswer) });

export const rotation = z.strictObject({ url: z.enum(['dev', 'prod']) });
export type Rotation = z.output<typeof rotation>;

export const rotated = z.union([z.object({ devUrl }), z.object({ prodUrl })]);
export type Rotated = z.infer<typeof rotated>;
