import { TRUE_ONLY } from '@batuta/openapi';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The answer of a ping (contract 4.1). */
@ApiSchema({ name: 'Pong' })
export class PongDto {
  @ApiProperty(TRUE_ONLY)
  ok!: true;

  @ApiProperty({ description: 'The version of the API, as in the path `/v1`; not that of a release.' })
  version!: string;
}

@ApiSchema({ name: 'Account' })
export class AccountDto {
  @ApiProperty()
  email!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ format: 'uuid', description: 'The id of the credential that was sent.' })
  credId!: string;

  @ApiProperty({ description: 'The label that the credential got when it was made.' })
  credLabel!: string;
}

/** The caller's account and the credential of the request (contract 4.2). */
@ApiSchema({ name: 'Me' })
export class MeDto {
  @ApiProperty()
  account!: AccountDto;
}

/** The answer to every ping, and its example in the OpenAPI document. The version is that of the API, as in `/v1`. */
export const PONG: PongDto = { ok: true, version: '1' };

export const ME_EXAMPLE: MeDto = {
  account: {
    email: 'ana@example.com',
    name: 'Ana Souza',
    credId: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c11',
    credLabel: 'ERP',
  },
};
