import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/response-fields';
import { ExpiryField, LineField } from '../http/fields';

export class CredentialInput {
  @LineField({ examples: ['ERP integration'] })
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

  @TimeField({ nullable: true })
  expiresAt!: string | null;

  @TimeField({ nullable: true })
  revokedAt!: string | null;
}

export class CredentialList {
  @ApiProperty({ type: [CredentialAnswer] })
  credentials!: CredentialAnswer[];
}
