import { INSTANCE_STATUSES, type HistoryItem } from '@batuta/contracts';
import { MATRIX_TYPES, type MatrixDefinition } from '@batuta/matrix';
import { PERMISSIONS } from '@batuta/auth';
import { z } from 'zod';
import type { ProcessDetail, ProcessSummary } from './processes.repository';

const permissions = z.record(z.enum(PERMISSIONS), z.boolean()).meta({ id: 'Permissions' });

/** Contract 2.3. */
const processSummary = z
  .object({
    processID: z.uuid(),
    processName: z.string(),
    agentName: z.string().describe('The environment that the process is registered on; empty without one.'),
    active: z.boolean(),
    paused: z.boolean().optional().describe('Of own processes only.'),
    owned: z.boolean(),
    ownerName: z.string().optional().describe('Of shared processes only.'),
    permissions: permissions.optional().describe('What the sharing grants; of shared processes only.'),
  })
  .meta({ id: 'ProcessSummary' }) satisfies z.ZodType<ProcessSummary>;

export const processList = z.object({ processes: z.array(processSummary) });

/** Contract 2.5. */
const variable = z
  .object({
    name: z.string().describe('The key in `matrix` objects.'),
    type: z.enum(MATRIX_TYPES),
    default: z.unknown().describe('What a start takes when no value is sent. Always empty for Secreto.'),
  })
  .meta({ id: 'MatrixVariable' }) satisfies z.ZodType<MatrixDefinition>;

export const matrixList = z.object({ matrix: z.array(variable) });

/** Contract 2.4. */
export const processDetail = z
  .object({
    processID: z.uuid(),
    processName: z.string(),
    description: z.string(),
    agentName: z.string(),
    active: z.boolean(),
    apiEnabled: z.boolean(),
    currentVersion: z.int().min(0).describe('0 when nothing is published.'),
    avgHumanTime: z.string().describe('What a person needs for one execution, HH:MM:SS.'),
    avgOperatorCost: z.number().describe('Money per hour.'),
    matrix: z.array(variable),
  })
  .meta({ id: 'Process' }) satisfies z.ZodType<ProcessDetail & { matrix: MatrixDefinition[] }>;

/** Contract 2.7. */
const historyItem = z
  .object({
    instanceID: z.uuid(),
    processID: z.uuid(),
    processName: z.string(),
    status: z.enum(INSTANCE_STATUSES),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime(),
    durationSeconds: z.int().min(0),
    savingsValue: z.number(),
    fteHours: z.number(),
  })
  .meta({ id: 'Execution' }) satisfies z.ZodType<HistoryItem>;

export const history = z.object({ from: z.iso.date(), to: z.iso.date(), executions: z.array(historyItem) });

/** The query of contract 4.7; `readHistoryRange` reads it. */
export const historyQuery = z.object({
  from: z.iso.date().optional().describe('First day, in America/Sao_Paulo; 30 days ago unless sent.'),
  to: z.iso.date().optional().describe('Last day, in America/Sao_Paulo; today unless sent.'),
  limit: z.int().min(1).max(500).default(50),
});

export const PROCESS_ID = { description: 'The process.', schema: { type: 'string', format: 'uuid' } };
