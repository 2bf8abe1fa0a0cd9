import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/response-fields';
import { ExpiryField, LineField } from '../http/fields';

export class KeyInput {
  @LineField({ examples: ['ERP'], description: 'Shown as the executor in the audit trail.' })
  identifier!: string;

  @ExpiryField()
  expiresAt: Date | null = null;
}

/** A new process key; the only answer that contains its value. */
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
