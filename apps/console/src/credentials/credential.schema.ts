import { z } from 'zod';
import { expiry, line } from '../http/fields';

export const credentialInput = z.strictObject({
  label: line().meta({ examples: ['ERP integration'] }),
  expiresAt: expiry(),
});
export type CredentialInput = z.output<typeof credentialInput>;

/** The one answer that holds the value. */
export const mintedCredential = z.object({
  id: z.uuid(),
  value: z.string().meta({ examples: ['bat_live_0192….…'], description: 'Shown once.' }),
});

const credential = z.object({
  id: z.uuid(),
  label: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
});
export const credentialList = z.object({ credentials: z.array(credential) });
