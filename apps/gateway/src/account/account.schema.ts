import { z } from 'zod';

/** Contract 4.1. */
export const pong = z.object({ ok: z.literal(true), version: z.string() });
export const PONG = { ok: true, version: '1' } satisfies z.infer<typeof pong>;

/** Contract 4.2. */
export const whoAmI = z.object({
  account: z
    .object({
      email: z.string(),
      name: z.string(),
      credId: z.uuid().describe('The id of the credential that was sent.'),
      credLabel: z.string(),
    })
    .meta({ id: 'Account' }),
});
export type WhoAmI = z.infer<typeof whoAmI>;
export const WHO_AM_I: WhoAmI = {
  account: {
    email: 'ana@example.com',
    name: 'Ana Souza',
    credId: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c11',
    credLabel: 'ERP',
  },
};
