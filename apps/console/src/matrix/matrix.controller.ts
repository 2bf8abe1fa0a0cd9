import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { ProcessPath } from '../http/path.dto';
import { ProcessAccessService } from '../access/process-access.service';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { MatrixService } from './matrix.service';
import { MatrixAnswer, MatrixInput } from './matrix.dto';

const audience = 'company';

@ApiTags('Matrix')
@Controller(`${BASE}/processes/:pid/matrix`)
export class MatrixController {
  constructor(
    private readonly matrix: MatrixService,
    private readonly access: ProcessAccessService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'The Matrix of a process',
    description: 'A share is enough to read.',
    audience,
    answer: MatrixAnswer,
    errors: PROCESS_ERRORS,
  })
  async read(@OfCompany() { accountID }: CompanyCaller, @Param() { pid }: ProcessPath): Promise<MatrixAnswer> {
    await this.access.requireReadable(accountID, pid);
    return { matrix: await this.matrix.read(pid) };
  }

  @Put()
  @Endpoint({
    summary: 'Replace the Matrix of a process',
    description: 'Acts at once, also on the published version. Needs the permission `edit`.',
    audience,
    answer: MatrixAnswer,
    errors: [...PROCESS_ERRORS, 'INVALID_MATRIX'],
  })
  async replace(
    @OfCompany() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body() { matrix }: MatrixInput,
  ): Promise<MatrixAnswer> {
    await this.access.require(accountID, pid, 'edit');
    return { matrix: await this.matrix.replace(pid, matrix) };
  }
}
