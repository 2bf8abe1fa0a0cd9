import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/response-fields';
import { EmailField, NewPasswordField, RawTextField } from '../http/fields';
import { ROLES, type Role } from '../registry';

export class LoginInput {
  @EmailField({ examples: ['ana@example.com'] })
  email!: string;

  /** Not checked by the rules of new passwords, so that a wrong password is refused only for being wrong. */
  @RawTextField({ max: 1_000, format: 'password', examples: ['a long password'] })
  password!: string;
}

export class PasswordChange {
  @RawTextField({ max: 1_000, format: 'password' })
  currentPassword!: string;

  @NewPasswordField()
  newPassword!: string;
}

export class SessionAnswer {
  @ApiProperty({ examples: ['bls_…'] })
  token!: string;

  @TimeField({
    description: 'Calls do not extend it. A session of a one-time password ends at most 24 hours after the reset.',
  })
  expiresAt!: string;

  /** Whether the login used a one-time password: until the session has changed the password, it may only do that or log out. */
  @ApiProperty()
  mustChangePassword!: boolean;
}

export class DemoAccount {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'null unless the console has a demo account, as that of `npm start` has, and the call names a loopback host.',
  })
  email!: string | null;
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

  @ApiProperty({ type: OwnCompany, nullable: true, description: 'null for an operator.' })
  company!: OwnCompany | null;
}
