import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { Done } from '../http/response-fields';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { VaultService } from './vault.service';
import { VaultInput, VaultList, VaultPath } from './vault.dto';

const audience = 'company';

@ApiTags('Vault')
@Controller(`${BASE_PATH}/vault`)
export class VaultController {
  constructor(private readonly vault: VaultService) {}

  @Get()
  @Endpoint({ summary: 'The names of the vault’s keys', audience, answer: VaultList })
  async list(@CompanyCallerOf() { accountID }: CompanyCaller): Promise<VaultList> {
    const secrets = await this.vault.list(accountID);
    return { keys: secrets.map(({ key, updatedAt }) => ({ key, updatedAt: updatedAt.toISOString() })) };
  }

  @Put(':key')
  @Endpoint({
    summary: 'Put a secret into the vault',
    description: 'No call ever gives it back; flows read it as `{vault.KEY}`.',
    audience,
    answer: Done,
    errors: ['CONFLICT', 'QUOTA_EXCEEDED'],
  })
  async put(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { key }: VaultPath,
    @Body() { value }: VaultInput,
  ): Promise<Done> {
    await this.vault.put(caller, key, value);
    return { ok: true };
  }

  @Delete(':key')
  @Endpoint({
    summary: 'Take a secret out of the vault',
    audience,
    answer: Done,
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  async remove(@CompanyCallerOf() caller: CompanyCaller, @Param() { key }: VaultPath): Promise<Done> {
    await this.vault.remove(caller, key);
    return { ok: true };
  }
}
