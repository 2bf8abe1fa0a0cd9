import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/response-fields';
import { ExpiryField, LineField } from '../http/fields';

export class KeyInput {
  @LineField({
    examples: ['ERP'],
    description: 'The executor, in the audit trail, of what a call with the key starts or schedules.',
  })
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

  @TimeField({ nullable: true, description: 'The key is refused from then on; null = it does not expire.' })
  expiresAt!: string | null;

  @TimeField({
    nullable: true,
    description: 'Since when the key is refused because it was revoked; null = it was not.',
  })
  revokedAt!: string | null;
}

export class KeyList {
  @ApiProperty({
    type: [KeyAnswer],
    description:
      'Also revoked and expired ones, of which those of a company beyond the newest 10,000 are deleted as new ones are made.',
  })
  keys!: KeyAnswer[];
}
