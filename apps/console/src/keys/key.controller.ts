import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { Done } from '../http/response-fields';
import { PageQuery } from '../http/page.dto';
import { ProcessPath, ProcessKeyPath } from '../http/path.dto';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { KeyService } from './key.service';
import { KeyInput, KeyList, MintedKey } from './key.dto';

const audience = 'company';

@ApiTags('Process keys')
@Controller(BASE_PATH)
export class KeyController {
  constructor(private readonly keys: KeyService) {}

  @Post('processes/:pid/keys')
  @Endpoint({
    summary: 'Generate a process key',
    description: 'Only the owner of the process. The value is shown this once.',
    audience,
    answer: MintedKey,
    status: 201,
    errors: [...PROCESS_ERRORS, 'QUOTA_EXCEEDED'],
  })
  mint(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body() input: KeyInput,
  ): Promise<MintedKey> {
    return this.keys.mint(caller, pid, input);
  }

  @Get('processes/:pid/keys')
  @Endpoint({
    summary: 'List the keys of a process, newest first',
    description: 'Needs the permission `api`.',
    audience,
    answer: KeyList,
    errors: PROCESS_ERRORS,
  })
  async list(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Query() query: PageQuery,
  ): Promise<KeyList> {
    const keys = await this.keys.list(accountID, pid, query);
    return {
      keys: keys.map(({ id, identifier, createdAt, expiresAt, revokedAt }) => ({
        id,
        identifier,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
        revokedAt: revokedAt?.toISOString() ?? null,
      })),
    };
  }

  @Delete('keys/:id')
  @Endpoint({
    summary: 'Revoke a process key',
    description: 'Needs the permission `api`.',
    audience,
    answer: Done,
    errors: ['NOT_FOUND'],
  })
  async revoke(@CompanyCallerOf() caller: CompanyCaller, @Param() { id }: ProcessKeyPath): Promise<Done> {
    await this.keys.revoke(caller, id);
    return { ok: true };
  }
}
