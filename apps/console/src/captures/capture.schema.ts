import { z } from 'zod';

const summary = z.object({
  id: z.uuid(),
  originID: z.uuid(),
  processID: z.uuid(),
  capturedAt: z.iso.datetime(),
  bytes: z.int().meta({ description: 'Of the body as it came.' }),
  truncated: z.boolean().meta({ description: 'Above 100 KB: only its beginning is kept, and it cannot be mapped.' }),
});
export const captureList = z.object({ captures: z.array(summary) });

export const captureAnswer = summary.extend({
  payload: z.unknown().optional().meta({
    description:
      'The body with `_query` and `_headers` beside its fields. What is mapped to a Secreto shows as `«•••»`.',
  }),
  text: z.string().optional().meta({
    description: 'Of the body where `payload` does not show it: truncated, nested too deeply, or without fields.',
  }),
});

export const capturesRemoved = z.object({ removed: z.int() });

const previewed = z.object({
  variableId: z.uuid(),
  name: z.string().optional().meta({ description: 'Absent when the variable was deleted.' }),
  pointer: z.string(),
  value: z.unknown().optional().meta({ description: 'As the flow would get it; a Secreto shows as `«•••»`.' }),
  absent: z.literal(true).optional().meta({
    description: 'The payload has no such field: the variable takes its default.',
  }),
  omitted: z.literal(true).optional().meta({
    description: 'The preview has grown too large: the value is left out.',
  }),
  refusal: z.string().optional().meta({ description: 'Why the value does not fit its variable.' }),
});
export const previewAnswer = z.object({
  draft: z.array(previewed).meta({ description: 'By the unsaved mapping, or the saved one when nothing is unsaved.' }),
  published: z.array(previewed),
});
