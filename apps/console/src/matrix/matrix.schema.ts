import { MATRIX_TYPES } from '@batuta/matrix';
import { z } from 'zod';
import { composed, id } from '../http/fields';

export const MOST_VARIABLES = 200;
const LONGEST_NAME = 80;
const LONGEST_TYPE = Math.max(...MATRIX_TYPES.map((each) => each.length));

const name = z
  .string()
  .transform((text) => composed(text.trim(), LONGEST_NAME))
  .meta({ minLength: 1, maxLength: LONGEST_NAME, examples: ['total'] });
const type = z
  .string()
  .transform((text) => composed(text, LONGEST_TYPE))
  .pipe(z.enum(MATRIX_TYPES))
  .meta({ enum: [...MATRIX_TYPES] });
const registered = z.unknown().optional().meta({ description: 'The value used when none is sent. Empty for Secreto.' });

const newVariable = z.strictObject({ name, type, default: registered });
export type NewVariable = z.output<typeof newVariable>;

export const newMatrix = z.array(newVariable).max(MOST_VARIABLES);

const variable = newVariable.extend({
  id: id().optional().meta({ description: 'Of a registered variable, so that a rename keeps it. Absent = a new one.' }),
});
export type VariableInput = z.output<typeof variable>;

export const matrixInput = z
  .strictObject({ matrix: z.array(variable).max(MOST_VARIABLES) })
  .meta({ description: 'The whole Matrix: what is not in it is removed.' });
export type MatrixInput = z.output<typeof matrixInput>;

export const variableAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  type: z.enum(MATRIX_TYPES),
  default: z.unknown(),
});

export const matrixAnswer = z.object({ matrix: z.array(variableAnswer) });
