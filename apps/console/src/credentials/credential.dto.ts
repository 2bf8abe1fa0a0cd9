import { ApiProperty } from '@nestjs/swagger';
import { IDField, TimeField } from '../http/answers';
import { Expiry, Line } from '../http/fields';

export class CredentialInput {
  @Line({ examples: ['ERP integration'] })
  label!: string;

  @Expiry()
  expiresAt: Date | null = null;
}

/** The only answer that holds the value. */
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
