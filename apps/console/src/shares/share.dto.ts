import { ApiProperty } from '@nestjs/swagger';
import { PermissionsAnswer } from '../access/permissions.dto';
import { Email, Flag } from '../http/fields';
import { PathID } from '../http/path.dto';

export class SharePath {
  @PathID('INVALID_PROCESS_ID')
  pid!: string;

  @Email()
  email!: string;
}

/** All six at once: an absent permission is not granted. A share without any still allows reading. */
export class ShareInput {
  @Flag({ default: false })
  execute = false;

  @Flag({ default: false })
  edit = false;

  @Flag({ default: false })
  api = false;

  @Flag({ default: false })
  schedule = false;

  @Flag({ default: false })
  delete = false;

  @Flag({ default: false })
  share = false;
}

export class ShareAnswer {
  @ApiProperty()
  email!: string;

  /** Empty unless the account belongs to the company of the caller. */
  @ApiProperty({ description: 'Empty unless the account belongs to the company of the caller.' })
  name!: string;

  @ApiProperty()
  permissions!: PermissionsAnswer;
}

export class ShareList {
  @ApiProperty({ type: [ShareAnswer] })
  shares!: ShareAnswer[];
}
