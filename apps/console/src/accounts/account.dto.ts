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

  @NewPasswordField()
  password!: string;

  @OneOfField(['member', 'administrator'], { default: 'member' })
  role: 'member' | 'administrator' = 'member';
}

export class AccountChange {
  @FlagField()
  blocked!: boolean;
}

export class EmailChange {
  @EmailField()
  email!: string;
}

/** An account whose stored e-mail address could not be normalized, and the reason. */
export class EmailProblem {
  @IDField()
  accountID!: string;

  @IDField({ nullable: true })
  companyID!: string | null;

  /** The stored address, which is not in normalized form. */
  @ApiProperty()
  email!: string;

  @ApiProperty({ enum: ['taken', 'invalid'] })
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

  @ApiProperty()
  blocked!: boolean;

  @TimeField()
  createdAt!: string;
}

export class OneTimePassword {
  @ApiProperty({ examples: ['k7mq-2xvd-h4tz-9wpa-c3ne'] })
  password!: string;

  @TimeField()
  expiresAt!: string;
}

/** An audit event of an account: its password or its e-mail address was changed. */
export class AccountEventAnswer {
  @ApiProperty({ enum: ACCOUNT_ACTIONS })
  action!: (typeof ACCOUNT_ACTIONS)[number];

  /** The account that made the change: the changed account itself, an administrator or an operator. */
  @IDField({ nullable: true, description: 'null for an operator, unless an operator asks.' })
  actorID!: string | null;

  @TimeField()
  at!: string;
}

export class AccountEventList {
  @ApiProperty({ type: [AccountEventAnswer] })
  events!: AccountEventAnswer[];
}

export class AccountList {
  @ApiProperty({ type: [AccountAnswer] })
  accounts!: AccountAnswer[];
}
