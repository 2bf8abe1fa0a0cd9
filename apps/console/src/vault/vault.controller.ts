import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { done } from '../http/fields';
import { FieldPipe, SchemaPipe } from '../http/schema.pipe';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { Vault } from './vault';
import { vaultInput, vaultKey, vaultList, type VaultInput } from './vault.schema';

const tag = 'Vault';
const who = 'company';
const params = ['key'];
const keyInPath = new FieldPipe('key', vaultKey);

@Controller(`${BASE}/vault`)
export class VaultController {
  constructor(private readonly vault: Vault) {}

  @Get()
  @Endpoint({ tag, summary: 'The names of the vault’s keys', who, answer: vaultList })
  async list(@OfCompany() { accountID }: CompanyCaller): Promise<z.infer<typeof vaultList>> {
    const secrets = await this.vault.list(accountID);
    return { keys: secrets.map(({ key, updatedAt }) => ({ key, updatedAt: updatedAt.toISOString() })) };
  }

  @Put(':key')
  @Endpoint({
    tag,
    summary: 'Put a secret into the vault',
    description: 'No call ever gives it back; flows read it as `{vault.KEY}`.',
    who,
    params,
    body: vaultInput,
    answer: done,
    errors: ['CONFLICT'],
  })
  async put(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('key', keyInPath) key: string,
    @Body(new SchemaPipe(vaultInput)) { value }: VaultInput,
  ): Promise<z.infer<typeof done>> {
    await this.vault.put(accountID, key, value);
    return { ok: true };
  }

  @Delete(':key')
  @Endpoint({
    tag,
    summary: 'Take a secret out of the vault',
    who,
    params,
    answer: done,
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  async remove(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('key', keyInPath) key: string,
  ): Promise<z.infer<typeof done>> {
    await this.vault.remove(accountID, key);
    return { ok: true };
  }
}
