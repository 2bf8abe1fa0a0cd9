import { ApiProperty } from '@nestjs/swagger';
import { ResourceIDField } from '../http/fields';
import { IDField, IntegerField, JsonField, TimeField } from '../http/response-fields';

export class CaptureSummaryAnswer {
  @IDField()
  id!: string;

  @IDField()
  originID!: string;

  @IDField()
  processID!: string;

  @TimeField()
  capturedAt!: string;

  @IntegerField({ description: 'Size of the body as it came, also where it was truncated.' })
  bytes!: number;

  @ApiProperty({ description: 'Above 100 KB: only its beginning is kept, and it cannot be mapped.' })
  truncated!: boolean;
}

export class CaptureDebugInput {
  @ResourceIDField({ optional: true, description: 'Absent = the one registered on the process.' })
  environmentID?: string;
}

export class CaptureList {
  @ApiProperty({ type: [CaptureSummaryAnswer] })
  captures!: CaptureSummaryAnswer[];
}

export class CaptureAnswer extends CaptureSummaryAnswer {
  @JsonField({
    required: false,
    description:
      'The body with `_query` and `_headers` in addition to its fields, without headers that carry credentials or that the setting HIDDEN_HEADERS ' +
      'names. `«•••»` stands for what is mapped to a Secreto, for the header of the signature, and for headers and parameters that usually ' +
      'carry a secret.',
  })
  payload?: unknown;

  @ApiProperty({
    required: false,
    description: 'Of the body where `payload` does not show it: truncated, nested too deeply, or without fields.',
  })
  text?: string;
}

export class CapturesRemoved {
  @IntegerField()
  removed!: number;
}

export class PreviewedValue {
  @IDField()
  variableId!: string;

  @ApiProperty({ required: false, description: 'Absent when the variable was deleted.' })
  name?: string;

  @ApiProperty()
  pointer!: string;

  @JsonField({
    required: false,
    description:
      'As the flow would get it; a Secreto, and what the capture hides, show as `«•••»`. Absent with `absent`, `omitted` and `refusal`.',
  })
  value?: unknown;

  @ApiProperty({
    type: 'boolean',
    enum: [true],
    required: false,
    description: 'The payload has no such field, or null there: the variable takes its default.',
  })
  absent?: true;

  @ApiProperty({
    type: 'boolean',
    enum: [true],
    required: false,
    description: 'The preview has grown too large: the value is left out.',
  })
  omitted?: true;

  @ApiProperty({
    required: false,
    description: 'Why a start would refuse the value; of a deleted variable, that a start leaves the value out.',
  })
  refusal?: string;
}

export class CapturePreview {
  @ApiProperty({
    type: [PreviewedValue],
    description: 'By the unsaved mapping, or the saved one when nothing is unsaved.',
  })
  draft!: PreviewedValue[];

  @ApiProperty({
    type: [PreviewedValue],
    description: 'By the published mapping; empty when the published version has none of the origin.',
  })
  published!: PreviewedValue[];
}
