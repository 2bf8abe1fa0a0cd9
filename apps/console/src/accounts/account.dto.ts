import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/response-fields';
import { EmailField, FlagField, LineField, NewPasswordField, OneOfField } from '../http/fields';
import { ROLES, type Role } from '../registry';
import { ACCOUNT_ACTIONS } from '../sessions/account-events';

export class AccountInput {
  @EmailField({ examples: ['ana@example.com'] })
  email!: string;

  @LineField({ examples: ['Ana Souza'] })
  name!: string;

  @NewPasswordField({ description: 'Stays valid until it is changed or reset; it is no one-time password.' })
  password!: string;

  @OneOfField(['member', 'administrator'], { default: 'member' })
  role: 'member' | 'administrator' = 'member';
}

export class AccountChange {
  @FlagField({
    description:
      'True: calls of the account and starts of its processes are refused at once with OWNER_INACTIVE. False: its sessions and credentials ' +
      'work again.',
  })
  blocked!: boolean;
}

/** Body with which an operator changes the e-mail address of an account. */
export class EmailChange {
  @EmailField({ description: 'The next login needs it; the sessions of the account stay.' })
  email!: string;
}

/** An account whose stored e-mail address could not be normalized, and the reason. */
export class EmailProblem {
  @IDField()
  accountID!: string;

  @IDField({ nullable: true, description: 'null for an operator.' })
  companyID!: string | null;

  /** The stored address, which is not in normalized form. */
  @ApiProperty()
  email!: string;

  @ApiProperty({
    enum: ['taken', 'invalid'],
    description: '`taken`: another account has the address in normalized form. `invalid`: it is no e-mail address.',
  })
  problem!: 'taken' | 'invalid';
}

export class EmailProblemList {
  @ApiProperty({ type: [EmailProblem] })
  problems!: EmailProblem[];
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

  @ApiProperty({
    description: 'True: calls of the account and starts of its processes are refused with OWNER_INACTIVE.',
  })
  blocked!: boolean;

  @TimeField()
  createdAt!: string;
}

export class OneTimePassword {
  @ApiProperty({
    examples: ['k7mq-2xvd-h4tz-9wpa-c3ne'],
    description:
      'Shown once. It may be used for several logins until it expires, or the password is changed or reset again.',
  })
  password!: string;

  @TimeField({
    description:
      'When the password expires, 24 hours after the reset; the sessions that it opened end then at the latest.',
  })
  expiresAt!: string;
}

/** An audit event of an account: its password or its e-mail address was changed. */
export class AccountEventAnswer {
  @ApiProperty({
    enum: ACCOUNT_ACTIONS,
    description: '`password.changed`: by the account itself. `password.reset`: a one-time password replaced it.',
  })
  action!: (typeof ACCOUNT_ACTIONS)[number];

  /** The account that made the change: the changed account itself, an administrator or an operator. */
  @IDField({ nullable: true, description: 'null for an operator, unless an operator asks.' })
  actorID!: string | null;

  @TimeField()
  at!: string;
}

export class AccountEventList {
  @ApiProperty({ type: [AccountEventAnswer], description: 'An account keeps its newest 1,000.' })
  events!: AccountEventAnswer[];
}

export class AccountList {
  @ApiProperty({ type: [AccountAnswer] })
  accounts!: AccountAnswer[];
}
