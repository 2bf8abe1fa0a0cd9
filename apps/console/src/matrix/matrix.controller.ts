import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { processID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { ProcessAccess } from '../processes/process-access';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { Matrix } from './matrix';
import { matrixAnswer, matrixInput, type MatrixInput } from './matrix.schema';

const tag = 'Matrix';
const who = 'company';
const params = ['pid'];

@Controller(`${BASE}/processes/:pid/matrix`)
export class MatrixController {
  constructor(
    private readonly matrix: Matrix,
    private readonly access: ProcessAccess,
  ) {}

  @Get()
  @Endpoint({
    tag,
    summary: 'The Matrix of a process',
    description: 'A share is enough to read.',
    who,
    params,
    answer: matrixAnswer,
    errors: ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'],
  })
  async read(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
  ): Promise<z.infer<typeof matrixAnswer>> {
    await this.access.reach(accountID, pid);
    return { matrix: await this.matrix.read(pid) };
  }

  @Put()
  @Endpoint({
    tag,
    summary: 'Replace the Matrix of a process',
    description: 'Acts at once, also on the published version. Needs the permission `edit`.',
    who,
    params,
    body: matrixInput,
    answer: matrixAnswer,
    errors: ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND', 'INVALID_MATRIX'],
  })
  async replace(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Body(new SchemaPipe(matrixInput)) { matrix }: MatrixInput,
  ): Promise<z.infer<typeof matrixAnswer>> {
    await this.access.require(accountID, pid, 'edit');
    return { matrix: await this.matrix.replace(pid, matrix) };
  }
}
