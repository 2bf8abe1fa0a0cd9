import { z } from 'zod';
import { expiry, line } from '../http/fields';

export const keyInput = z.strictObject({
  identifier: line().meta({ examples: ['ERP'], description: 'Shown as the executor in the audit trail.' }),
  expiresAt: expiry(),
});
export type KeyInput = z.output<typeof keyInput>;

/** The one answer that holds the value. */
export const mintedKey = z.object({
  id: z.uuid(),
  value: z.string().meta({ examples: ['bpk_…'], description: 'Shown once.' }),
});

const key = z.object({
  id: z.uuid(),
  identifier: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
});
export const keyList = z.object({ keys: z.array(key) });
