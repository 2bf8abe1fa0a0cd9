import { Body, Controller, Get, Headers, Param, Put, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { BASE_PATH, Endpoint, IF_MATCH_HEADER, PROCESS_ERRORS } from '../sessions/endpoint';
import { ProcessPath } from '../http/path.dto';
import { ProcessAccessService } from '../access/process-access.service';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { MatrixService, matrixTag } from './matrix.service';
import { MatrixAnswer, MatrixInput } from './matrix.dto';

const audience = 'company';

@ApiTags('Matrix')
@Controller(`${BASE_PATH}/processes/:pid/matrix`)
export class MatrixController {
  constructor(
    private readonly matrix: MatrixService,
    private readonly access: ProcessAccessService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'The Matrix of a process',
    description: 'The `ETag` names the Matrix, for `If-Match` of `PUT`. A share is enough to read.',
    audience,
    answer: MatrixAnswer,
    tagged: true,
    errors: PROCESS_ERRORS,
  })
  async read(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MatrixAnswer> {
    await this.access.requireReadable(accountID, pid);
    const matrix = await this.matrix.read(pid);
    response.setHeader('ETag', matrixTag(matrix));
    return { matrix };
  }

  @Put()
  @Endpoint({
    summary: 'Replace the Matrix of a process',
    description: 'Acts at once, also on the published version. Needs the permission `edit`.',
    audience,
    answer: MatrixAnswer,
    tagged: true,
    errors: [...PROCESS_ERRORS, 'INVALID_MATRIX', 'PRECONDITION_FAILED'],
  })
  @ApiHeader(IF_MATCH_HEADER)
  async replace(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body() { matrix: wanted }: MatrixInput,
    @Headers('If-Match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MatrixAnswer> {
    await this.access.require(caller.accountID, pid, 'edit');
    const matrix = await this.matrix.replace(caller, pid, wanted, ifMatch);
    response.setHeader('ETag', matrixTag(matrix));
    return { matrix };
  }
}
