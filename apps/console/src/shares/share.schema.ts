import { z } from 'zod';
import { permissionsAnswer } from '../processes/permissions';

const allowed = z.boolean().default(false);

/** All six at once: what is absent is not allowed. None at all still lets read. */
export const shareInput = z.strictObject({
  execute: allowed,
  edit: allowed,
  api: allowed,
  schedule: allowed,
  delete: allowed,
  share: allowed,
});
export type ShareInput = z.output<typeof shareInput>;

export const shareAnswer = z.object({ email: z.string(), name: z.string(), permissions: permissionsAnswer });
export type ShareAnswer = z.infer<typeof shareAnswer>;

export const shareList = z.object({ shares: z.array(shareAnswer) });
