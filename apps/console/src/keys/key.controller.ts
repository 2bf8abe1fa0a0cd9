import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { done, page, type Page } from '../http/fields';
import { processID, resourceID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { keyInput, keyList, mintedKey, type KeyInput } from './key.schema';
import { Keys } from './keys';

const tag = 'Process keys';
const who = 'company';
const params = ['pid'];
const NO_PROCESS = ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'] as const;

@Controller(BASE)
export class KeyController {
  constructor(private readonly keys: Keys) {}

  @Post('processes/:pid/keys')
  @Endpoint({
    tag,
    summary: 'Generate a process key',
    description: 'Only the owner of the process. The value is shown this once.',
    who,
    params,
    body: keyInput,
    answer: mintedKey,
    status: 201,
    errors: [...NO_PROCESS],
  })
  mint(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Body(new SchemaPipe(keyInput)) input: KeyInput,
  ): Promise<z.infer<typeof mintedKey>> {
    return this.keys.mint(accountID, pid, input);
  }

  @Get('processes/:pid/keys')
  @Endpoint({
    tag,
    summary: 'List the keys of a process, newest first',
    description: 'Needs the permission `api`.',
    who,
    params,
    query: page,
    answer: keyList,
    errors: [...NO_PROCESS],
  })
  async list(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Query(new SchemaPipe(page)) query: Page,
  ): Promise<z.infer<typeof keyList>> {
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
    tag,
    summary: 'Revoke a process key',
    description: 'Needs the permission `api`.',
    who,
    params: ['id'],
    answer: done,
    errors: ['NOT_FOUND'],
  })
  async revoke(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) id: string,
  ): Promise<z.infer<typeof done>> {
    await this.keys.revoke(accountID, id);
    return { ok: true };
  }
}
