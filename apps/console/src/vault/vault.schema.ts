import { z } from 'zod';

/** `{vault.KEY}` in a step's field reads it. */
export const vaultKey = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,80}$/, { error: 'must be 1 to 80 letters, digits, underscores, dots or dashes' });

export const vaultInput = z.strictObject({
  // As it is, line breaks included: it may be a private key.
  value: z
    .string()
    .min(1, { error: 'is empty' })
    .max(10_000, { error: 'is longer than 10000 characters' })
    .refine((text) => !/\p{Cs}/u.test(text), { error: 'is not Unicode text' })
    .meta({ format: 'password', examples: ['s3cret'] }),
});
export type VaultInput = z.output<typeof vaultInput>;

export const vaultList = z.object({
  keys: z.array(z.object({ key: z.string(), updatedAt: z.iso.datetime() })),
});
