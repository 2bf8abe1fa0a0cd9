import { MAX_VARIABLES } from '@batuta/matrix';
import { ApiProperty, getSchemaPath, type ApiBodyOptions } from '@nestjs/swagger';
import { IDField } from '../http/response-fields';
import { ListField, RawTextField, ResourceIDField } from '../http/fields';

export class MappingEntryInput {
  @RawTextField({
    max: 2_000,
    description:
      'JSON Pointer over the body with `_query` and `_headers` in addition to its fields; empty = the whole body.',
    examples: ['/order/total'],
  })
  pointer!: string;

  @ResourceIDField({ description: 'The `id` of a variable of the Matrix: a rename keeps the mapping.' })
  variableId!: string;
}

/**
 * A draft has at most as many entries as a process has variables, because each entry fills a different one. The request
 * body is the list itself.
 */
export class MappingDraft {
  @ListField(() => MappingEntryInput, MAX_VARIABLES)
  entries!: MappingEntryInput[];
}

export const DRAFT_BODY: ApiBodyOptions = {
  schema: {
    type: 'array',
    items: { $ref: getSchemaPath(MappingEntryInput) },
    maxItems: MAX_VARIABLES,
    description: 'The whole mapping: what is not in it is no longer mapped.',
  },
};

export class MappingEntryAnswer {
  @ApiProperty({ description: 'JSON Pointer into the payload; empty = the whole body.' })
  pointer!: string;

  @IDField({ description: 'The `id` of a variable, which may have been deleted since.' })
  variableId!: string;
}

export class MappingAnswer {
  @ApiProperty({ type: [MappingEntryAnswer], nullable: true, description: 'null when there is nothing to save.' })
  unsaved!: MappingEntryAnswer[] | null;

  @ApiProperty({ type: [MappingEntryAnswer], description: 'What the next publication takes along.' })
  saved!: MappingEntryAnswer[];

  @ApiProperty({
    type: [MappingEntryAnswer],
    description: 'What the production URL applies; empty when the published version has no mapping of the origin.',
  })
  published!: MappingEntryAnswer[];
}
