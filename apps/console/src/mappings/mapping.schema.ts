import { z } from 'zod';
import { id } from '../http/fields';
import { MOST_VARIABLES } from '../matrix/matrix.schema';

/** A variable is filled by one field, so there is no more to map than there are variables. */
export const mappingDraft = z
  .array(
    z.strictObject({
      pointer: z
        .string()
        .max(2_000, { error: 'is longer than 2000 characters' })
        .meta({
          description:
            'JSON Pointer over the body with `_query` and `_headers` beside its fields; empty = the whole body.',
          examples: ['/order/total'],
        }),
      variableId: id().meta({ description: 'The `id` of a variable of the Matrix: a rename keeps the mapping.' }),
    }),
  )
  .max(MOST_VARIABLES)
  .meta({ description: 'The whole mapping: what is not in it is no longer mapped.' });
export type MappingDraft = z.output<typeof mappingDraft>;

const entries = z.array(z.object({ pointer: z.string(), variableId: z.uuid() }));

export const mappingAnswer = z.object({
  unsaved: entries.nullable().meta({ description: 'null when there is nothing to save.' }),
  saved: entries.meta({ description: 'What the next publication takes along.' }),
  published: entries.meta({ description: 'What the production URL applies.' }),
});
