import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/answers';
import { Email, Flag, Line, NewPassword, OneOf } from '../http/fields';
import { ROLES, type Role } from '../registry';

export class AccountInput {
  @Email({ examples: ['ana@example.com'] })
  email!: string;

  @Line({ examples: ['Ana Souza'] })
  name!: string;

  @NewPassword()
  password!: string;

  @OneOf(['member', 'administrator'], { default: 'member' })
  role: 'member' | 'administrator' = 'member';
}

export class AccountChange {
  @Flag()
  blocked!: boolean;
}

export class AccountAnswer {
  @IDField()
  id!: string;

  @ApiProperty()
  email!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty()
  blocked!: boolean;

  @TimeField()
  createdAt!: string;
}

export class AccountList {
  @ApiProperty({ type: [AccountAnswer] })
  accounts!: AccountAnswer[];
}
