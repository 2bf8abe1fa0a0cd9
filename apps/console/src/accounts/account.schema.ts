import { z } from 'zod';
import { email, line, password } from '../http/fields';

const role = z.enum(['member', 'administrator']);

export const accountInput = z.strictObject({
  email: email(),
  name: line().meta({ examples: ['Ana Souza'] }),
  password: password(),
  role: role.default('member'),
});
export type AccountInput = z.output<typeof accountInput>;

export const accountChange = z.strictObject({ blocked: z.boolean() });
export type AccountChange = z.output<typeof accountChange>;

export const accountAnswer = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: z.enum(['member', 'administrator', 'operator']),
  blocked: z.boolean(),
  createdAt: z.iso.datetime(),
});
export type AccountAnswer = z.infer<typeof accountAnswer>;

export const accountList = z.object({ accounts: z.array(accountAnswer) });
