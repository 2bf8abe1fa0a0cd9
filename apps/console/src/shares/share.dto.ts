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
  @FlagField({ default: false })
  execute = false;

  @FlagField({ default: false })
  edit = false;

  @FlagField({ default: false })
  api = false;

  @FlagField({ default: false })
  schedule = false;

  @FlagField({ default: false })
  delete = false;

  @FlagField({ default: false })
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
