import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ProcessAccessService } from '../access/process-access.service';
import { BASE_PATH, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { ProcessPath } from '../http/path.dto';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { AllowedKeysAnswer, AllowedKeysInput } from './allowed-keys.dto';
import { AllowedKeysService } from './allowed-keys.service';

const audience = 'company';

@ApiTags('Vault')
@Controller(`${BASE_PATH}/processes/:pid/vault-keys`)
export class AllowedKeysController {
  constructor(
    private readonly allowedKeys: AllowedKeysService,
    private readonly access: ProcessAccessService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'The keys of its owner’s vault that a process may use',
    description: 'Needs the permission `edit`.',
    audience,
    answer: AllowedKeysAnswer,
    errors: PROCESS_ERRORS,
  })
  async read(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
  ): Promise<AllowedKeysAnswer> {
    await this.access.require(accountID, pid, 'edit');
    return { keys: await this.allowedKeys.read(pid) };
  }

  @Put()
  @Endpoint({
    summary: 'Allow a process keys of the vault',
    description:
      'Only the owner of the process; no permission of a share is enough. A flow that refers to another key cannot be ' +
      'published, and no agent gets its value. Acts at once, also on the published version and on queued instances. The vault ' +
      'may get the key later. The audit trail records the change.',
    audience,
    answer: AllowedKeysAnswer,
    errors: [...PROCESS_ERRORS, 'BAD_REQUEST'],
  })
  async replace(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body() { keys }: AllowedKeysInput,
  ): Promise<AllowedKeysAnswer> {
    return { keys: await this.allowedKeys.replace(caller, pid, keys) };
  }
}
