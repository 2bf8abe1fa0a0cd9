import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/response-fields';
import { ExpiryField, LineField } from '../http/fields';

export class CredentialInput {
  @LineField({
    examples: ['ERP integration'],
    description: 'The `userName` of what a call with the credential starts.',
  })
  label!: string;

  @ExpiryField()
  expiresAt: Date | null = null;
}

/** A new credential; the only answer that contains its value. */
export class MintedCredential {
  @IDField()
  id!: string;

  @ApiProperty({ examples: ['bat_live_0192….…'], description: 'Shown once.' })
  value!: string;
}

export class CredentialAnswer {
  @IDField()
  id!: string;

  @ApiProperty()
  label!: string;

  @TimeField()
  createdAt!: string;

  @TimeField({ nullable: true, description: 'The credential is refused from then on; null = it does not expire.' })
  expiresAt!: string | null;

  @TimeField({
    nullable: true,
    description: 'Since when the credential is refused because it was revoked; null = it was not.',
  })
  revokedAt!: string | null;
}

export class CredentialList {
  @ApiProperty({
    type: [CredentialAnswer],
    description:
      'Also revoked and expired ones, of which those of a company beyond the newest 10,000 are deleted as new ones are made.',
  })
  credentials!: CredentialAnswer[];
}
