import { ApiProperty } from '@nestjs/swagger';
import { PermissionsAnswer } from '../access/permissions.dto';
import { EmailField, FlagField } from '../http/fields';
import { PathID } from '../http/path.dto';

export class SharePath {
  @PathID('INVALID_PROCESS_ID')
  pid!: string;

  @EmailField()
  email!: string;
}

/** All six permissions of a share: an absent one is withdrawn. A share without any permission still allows reading. */
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

export class ShareList {
  @ApiProperty({ type: [ShareAnswer] })
  shares!: ShareAnswer[];
}
