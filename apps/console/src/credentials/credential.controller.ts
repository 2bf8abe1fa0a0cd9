import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { Done } from '../http/response-fields';
import { PageQuery } from '../http/page.dto';
import { CredentialPath } from '../http/path.dto';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { CredentialService } from './credential.service';
import { CredentialInput, CredentialList, MintedCredential } from './credential.dto';

const audience = 'company';

@ApiTags('Credentials')
@Controller(`${BASE_PATH}/credentials`)
export class CredentialController {
  constructor(private readonly credentials: CredentialService) {}

  @Post()
  @Endpoint({
    summary: 'Make a credential of the API',
    description: 'The value is shown this once.',
    audience,
    answer: MintedCredential,
    status: 201,
    errors: ['QUOTA_EXCEEDED'],
  })
  mint(@CompanyCallerOf() caller: CompanyCaller, @Body() input: CredentialInput): Promise<MintedCredential> {
    return this.credentials.mint(caller, input);
  }

  @Get()
  @Endpoint({ summary: 'List one’s own credentials, newest first', audience, answer: CredentialList })
  async list(@CompanyCallerOf() { accountID }: CompanyCaller, @Query() query: PageQuery): Promise<CredentialList> {
    const credentials = await this.credentials.list(accountID, query);
    return {
      credentials: credentials.map(({ id, label, createdAt, expiresAt, revokedAt }) => ({
        id,
        label,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
        revokedAt: revokedAt?.toISOString() ?? null,
      })),
    };
  }

  @Delete(':id')
  @Endpoint({ summary: 'Revoke a credential', audience, answer: Done, errors: ['NOT_FOUND'] })
  async revoke(@CompanyCallerOf() caller: CompanyCaller, @Param() { id }: CredentialPath): Promise<Done> {
    await this.credentials.revoke(caller, id);
    return { ok: true };
  }
}
