import { z } from 'zod';
import { change, line, prose, whole, word } from '../http/fields';

const name = line().meta({ examples: ['Finance robots'] });
const capacity = whole(1, 1_000).meta({ description: 'How many instances run at once.' });

export const environmentInput = z.strictObject({
  name,
  description: prose().default(''),
  os: word().default('windows'),
  envType: word().default('prod'),
  offlineFlow: z.boolean().default(false).meta({ description: 'Accepts queued executions while offline.' }),
  cancelQueueOnException: z.boolean().default(false),
  capacity: capacity.default(1),
});
export type EnvironmentInput = z.output<typeof environmentInput>;

export const environmentChange = change({
  name,
  description: prose(),
  os: word(),
  envType: word(),
  offlineFlow: z.boolean(),
  cancelQueueOnException: z.boolean(),
  capacity,
  shared: z.boolean().meta({ description: 'Only administrators, for an environment of an administrator.' }),
});
export type EnvironmentChange = z.output<typeof environmentChange>;

/** The one answer that holds the key. */
export const activation = z.object({
  environmentID: z.uuid(),
  activationKey: z.string().meta({ examples: ['bak_…'], description: 'Shown once.' }),
});

export const environmentAnswer = z.object({
  environmentID: z.uuid(),
  name: z.string(),
  description: z.string(),
  online: z.boolean(),
  offlineFlow: z.boolean(),
  cancelQueueOnException: z.boolean(),
  capacity: z.int(),
  envType: z.string(),
  os: z.string(),
  shared: z.boolean(),
  owned: z.boolean(),
});
export type EnvironmentAnswer = z.infer<typeof environmentAnswer>;

export const environmentList = z.object({ environments: z.array(environmentAnswer) });
