import { ApiProperty } from '@nestjs/swagger';
import { PermissionsAnswer } from '../access/permissions.dto';
import { EmailField, FlagField, PatternField } from '../http/fields';
import { LimitQuery } from '../http/page.dto';
import { PathID } from '../http/path.dto';
import { NOT_A_SHARE_CURSOR_MESSAGE, SHARE_CURSOR_PATTERN } from './share-page.repository';

export class SharePath {
  @PathID('INVALID_PROCESS_ID')
  pid!: string;

  @EmailField()
  email!: string;
}

/**
 * All six permissions of a share: a permission that is absent is withdrawn. A share without any permission still allows
 * reading.
 */
export class ShareInput {
  @FlagField({
    default: false,
    description: 'Start the published version: by hand, over the API, and by the replay of a capture.',
  })
  execute = false;

  @FlagField({
    default: false,
    description:
      'Read and change the flow and the webhooks with their captures, change the Matrix and the settings, publish, start debug runs, ' +
      'and read of the audit trail what the account itself did and started.',
  })
  edit = false;

  @FlagField({
    default: false,
    description: 'List and revoke the process keys, which only the owner makes. Calls of the API do not need it.',
  })
  api = false;

  @FlagField({
    default: false,
    description:
      'Create schedules, which fire only while the account has this permission, and read all schedules of the process.',
  })
  schedule = false;

  @FlagField({ default: false, description: 'Delete the process.' })
  delete = false;

  @FlagField({
    default: false,
    description: 'Read and change the shares of the process, and grant the permissions that the account has itself.',
  })
  share = false;
}

export class ShareAnswer {
  @ApiProperty()
  email!: string;

  /** The account's name; empty unless the account belongs to the caller's company. */
  @ApiProperty({ description: 'Empty unless the account belongs to the company of the caller.' })
  name!: string;

  @ApiProperty()
  permissions!: PermissionsAnswer;
}

export class SharesQuery extends LimitQuery {
  @PatternField(SHARE_CURSOR_PATTERN, NOT_A_SHARE_CURSOR_MESSAGE, { optional: true, description: 'Only older shares.' })
  before?: string;
}

export class OlderSharesCursor {
  @ApiProperty()
  before!: string;
}

export class ShareList {
  @ApiProperty({ type: [ShareAnswer] })
  shares!: ShareAnswer[];

  @ApiProperty({ type: OlderSharesCursor, required: false, description: 'Older ones exist: `?before=` reads them.' })
  older?: OlderSharesCursor;
}
