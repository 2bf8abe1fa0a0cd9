import { MATRIX_TYPES, MAX_VARIABLES, type MatrixType } from '@batuta/matrix';
import { ApiProperty } from '@nestjs/swagger';
import { IDField, JsonField } from '../http/response-fields';
import { textField, textRule, type FieldOptions } from '../http/field-builders';
import { AnyJsonField, ListField, ResourceIDField } from '../http/fields';
import { toNFC } from '../http/text';

const MAX_NAME_LENGTH = 80;
const MAX_TYPE_LENGTH = Math.max(...MATRIX_TYPES.map((each) => each.length));

/** The name of a Matrix variable; `planMatrix` checks its form together with the whole Matrix. */
function VariableName(options: FieldOptions): PropertyDecorator {
  const schema = { minLength: 1, maxLength: MAX_NAME_LENGTH };
  return textField(options, schema, (text) => toNFC(text.trim(), MAX_NAME_LENGTH));
}

function VariableType(): PropertyDecorator {
  const isType = textRule('type', `must be one of ${MATRIX_TYPES.join(', ')}`, (text) =>
    MATRIX_TYPES.some((type) => type === text),
  );
  return textField({}, { enum: [...MATRIX_TYPES] }, (text) => toNFC(text, MAX_TYPE_LENGTH), isType);
}

export class NewVariable {
  @VariableName({ examples: ['total'] })
  name!: string;

  @VariableType()
  type!: MatrixType;

  @AnyJsonField({
    optional: true,
    description: 'The value used when none is sent; null or absent = the empty value of the type. A Secreto has none.',
  })
  default?: unknown;
}

export class VariableInput extends NewVariable {
  @ResourceIDField({
    optional: true,
    description: 'Of a registered variable, so that a rename keeps it. Absent = a new one.',
  })
  id?: string;
}

export class MatrixInput {
  @ListField(() => VariableInput, MAX_VARIABLES, { description: 'The whole Matrix: what is not in it is removed.' })
  matrix!: VariableInput[];
}

export class VariableAnswer {
  @IDField({ description: 'A save of the Matrix with this id keeps the variable, also under another name.' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: MATRIX_TYPES })
  type!: MatrixType;

  @JsonField({ description: 'The converted default; an empty text for a Secreto.' })
  default!: unknown;
}

export class MatrixAnswer {
  @ApiProperty({ type: [VariableAnswer] })
  matrix!: VariableAnswer[];
}
