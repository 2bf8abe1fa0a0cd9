import { z } from 'zod';
import { change, id, line, prose } from '../http/fields';
import { newMatrix, variableAnswer } from '../matrix/matrix.schema';
import { permissionsAnswer } from './permissions';

const processName = line().meta({ examples: ['Orders'] });
const avgHumanTime = z
  .string()
  .regex(/^\d{2,3}:[0-5]\d:[0-5]\d$/, { error: 'must be HH:MM:SS, such as 00:15:00' })
  .meta({ examples: ['00:15:00'], description: 'Time that a person needs for one execution.' });
const avgOperatorCost = z
  .number()
  .min(0)
  .max(999_999_999_999)
  .refine((cost) => Number(cost.toFixed(2)) === cost, { error: 'has more than two decimals' })
  .meta({ multipleOf: 0.01, examples: [42.5], description: 'Money per hour.' });
const environmentID = id()
  .nullable()
  .meta({ format: 'uuid', description: 'One’s own environment or one that the company shares.' });

export const processInput = z.strictObject({
  processName,
  description: prose().default(''),
  environmentID: environmentID.default(null),
  avgHumanTime: avgHumanTime.default('00:00:00'),
  avgOperatorCost: avgOperatorCost.default(0),
  matrix: newMatrix.default([]),
});
export type ProcessInput = z.output<typeof processInput>;

const apiPermission = z.enum(['LIBERADO', 'BLOQUEADO']);

export const processChange = change({
  processName,
  description: prose(),
  environmentID,
  avgHumanTime,
  avgOperatorCost,
  active: z.boolean(),
  paused: z.boolean().meta({ description: 'While true its schedules do not fire.' }),
  apiPermission,
});
export type ProcessChange = z.output<typeof processChange>;

export const processMade = z.object({ processID: z.uuid() });

const summary = {
  processID: z.uuid(),
  processName: z.string(),
  environmentID: z.uuid().nullable(),
  active: z.boolean(),
  paused: z.boolean(),
  currentVersion: z.int().meta({ description: '0 while nothing is published.' }),
  owned: z.boolean(),
  ownerName: z.string().optional().meta({ description: 'Only of a process of someone else.' }),
  permissions: permissionsAnswer.optional().meta({ description: 'Only of a process of someone else.' }),
};

const processSummary = z.object(summary);
export type ProcessSummary = z.infer<typeof processSummary>;

export const processList = z.object({ processes: z.array(processSummary) });

export const processAnswer = z.object({
  ...summary,
  description: z.string(),
  apiPermission,
  avgHumanTime: z.string(),
  avgOperatorCost: z.number(),
  createdAt: z.iso.datetime(),
  matrix: z.array(variableAnswer),
});
export type ProcessAnswer = z.infer<typeof processAnswer>;
