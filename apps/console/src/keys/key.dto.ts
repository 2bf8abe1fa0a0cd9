import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/answers';
import { Expiry, Line } from '../http/fields';

export class KeyInput {
  @Line({ examples: ['ERP'], description: 'Shown as the executor in the audit trail.' })
  identifier!: string;

  @Expiry()
  expiresAt: Date | null = null;
}

/** The only answer that holds the value. */
export class MintedKey {
  @IDField()
  id!: string;

  @ApiProperty({ examples: ['bpk_…'], description: 'Shown once.' })
  value!: string;
}

export class KeyAnswer {
  @IDField()
  id!: string;

  @ApiProperty()
  identifier!: string;

  @TimeField()
  createdAt!: string;

  @TimeField({ nullable: true })
  expiresAt!: string | null;

  @TimeField({ nullable: true })
  revokedAt!: string | null;
}

export class KeyList {
  @ApiProperty({ type: [KeyAnswer] })
  keys!: KeyAnswer[];
}
