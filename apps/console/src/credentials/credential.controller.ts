import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { done, page, type Page } from '../http/fields';
import { resourceID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { credentialInput, credentialList, mintedCredential, type CredentialInput } from './credential.schema';
import { Credentials } from './credentials';

const tag = 'Credentials';
const who = 'company';

@Controller(`${BASE}/credentials`)
export class CredentialController {
  constructor(private readonly credentials: Credentials) {}

  @Post()
  @Endpoint({
    tag,
    summary: 'Make a credential of the API',
    description: 'The value is shown this once.',
    who,
    body: credentialInput,
    answer: mintedCredential,
    status: 201,
  })
  mint(
    @OfCompany() { accountID }: CompanyCaller,
    @Body(new SchemaPipe(credentialInput)) input: CredentialInput,
  ): Promise<z.infer<typeof mintedCredential>> {
    return this.credentials.mint(accountID, input);
  }

  @Get()
  @Endpoint({ tag, summary: 'List one’s own credentials, newest first', who, query: page, answer: credentialList })
  async list(
    @OfCompany() { accountID }: CompanyCaller,
    @Query(new SchemaPipe(page)) query: Page,
  ): Promise<z.infer<typeof credentialList>> {
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
  @Endpoint({ tag, summary: 'Revoke a credential', who, params: ['id'], answer: done, errors: ['NOT_FOUND'] })
  async revoke(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) id: string,
  ): Promise<z.infer<typeof done>> {
    await this.credentials.revoke(accountID, id);
    return { ok: true };
  }
}
