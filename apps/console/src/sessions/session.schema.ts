import { z } from 'zod';
import { ROLES } from '../registry';
import { email } from '../http/fields';

// A wrong password is refused as wrong and not for its length: what is accepted is no news to anyone.
export const loginInput = z.strictObject({
  email: email(),
  password: z
    .string()
    .max(1_000, { error: 'is longer than 1000 characters' })
    .transform((text) => text.normalize('NFC'))
    .meta({ format: 'password', examples: ['a long password'] }),
});
export type LoginInput = z.output<typeof loginInput>;

export const sessionAnswer = z.object({
  token: z.string().meta({ examples: ['bls_…'] }),
  expiresAt: z.iso.datetime(),
});

export const meAnswer = z.object({
  accountID: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  company: z.object({ id: z.uuid(), name: z.string() }).nullable(),
});
