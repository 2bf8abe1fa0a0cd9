import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/answers';
import { Email, NewPassword, RawText } from '../http/fields';
import { ROLES, type Role } from '../registry';

export class LoginInput {
  @Email({ examples: ['ana@example.com'] })
  email!: string;

  /** Checked against no rule of new passwords, so that a wrong one is refused as wrong and for no other reason. */
  @RawText({ max: 1_000, format: 'password', examples: ['a long password'] })
  password!: string;
}

export class PasswordChange {
  @RawText({ max: 1_000, format: 'password' })
  currentPassword!: string;

  @NewPassword()
  newPassword!: string;
}

export class SessionAnswer {
  @ApiProperty({ examples: ['bls_…'] })
  token!: string;

  @TimeField()
  expiresAt!: string;

  /** The login was with a one-time password: until it is changed, the session can do nothing else. */
  @ApiProperty()
  mustChangePassword!: boolean;
}

export class OwnCompany {
  @IDField()
  id!: string;

  @ApiProperty()
  name!: string;
}

export class OwnAccount {
  @IDField()
  accountID!: string;

  @ApiProperty()
  email!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({ type: OwnCompany, nullable: true })
  company!: OwnCompany | null;
}
