import { z } from 'zod';

/** What a definition must be is told as problems, not refused: a draft may be unfinished. */
export const flowInput = z.record(z.string(), z.unknown()).meta({
  description: 'The flow definition, see docs/flow.schema.json.',
  examples: [{ start: 'greet', steps: [{ name: 'greet', type: 'script', code: 'return "hello"', as: 'greeting' }] }],
});
export type FlowInput = z.output<typeof flowInput>;

const problem = z.object({
  path: z.string().meta({ description: 'JSON Pointer into the definition.', examples: ['/steps/0/routes/0/to'] }),
  message: z.string(),
});

export const problemsAnswer = z.object({ problems: z.array(problem) });
export const flowAnswer = z
  .object({ flow: z.unknown().meta({ description: 'null while none was saved.' }) })
  .extend(problemsAnswer.shape);

export const published = z.object({ version: z.int() });

const version = z.object({
  version: z.int(),
  publishedBy: z.string().meta({ description: 'Name of the account.' }),
  publishedAt: z.iso.datetime(),
});
export const versionList = z.object({ versions: z.array(version) });
