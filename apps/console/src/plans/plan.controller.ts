import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import type { Plan } from '../registry';
import { BASE, Endpoint } from '../http/endpoint';
import { page, type Page } from '../http/fields';
import { resourceID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { planAnswer, planChange, planInput, planList } from './plan.schema';
import type { PlanAnswer, PlanChange, PlanInput } from './plan.schema';
import { Plans } from './plans';

const tag = 'Plans';
const who = 'operator';

@Controller(`${BASE}/plans`)
export class PlanController {
  constructor(private readonly plans: Plans) {}

  @Post()
  @Endpoint({ tag, summary: 'Add a plan', who, body: planInput, answer: planAnswer, status: 201, errors: ['CONFLICT'] })
  async add(@Body(new SchemaPipe(planInput)) input: PlanInput): Promise<PlanAnswer> {
    return toAnswer(await this.plans.add(input));
  }

  @Get()
  @Endpoint({ tag, summary: 'List the plans, newest first', who, query: page, answer: planList })
  async list(@Query(new SchemaPipe(page)) query: Page): Promise<z.infer<typeof planList>> {
    return { plans: (await this.plans.list(query)).map(toAnswer) };
  }

  @Patch(':id')
  @Endpoint({
    tag,
    summary: 'Change a plan',
    description: 'Acts at once on every company that has it; credits from the next monthly reset.',
    who,
    params: ['id'],
    body: planChange,
    answer: planAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async change(
    @Param('id', resourceID) id: string,
    @Body(new SchemaPipe(planChange)) change: PlanChange,
  ): Promise<PlanAnswer> {
    return toAnswer(await this.plans.change(id, change));
  }
}

function toAnswer({ createdAt, ...plan }: Plan): PlanAnswer {
  return { ...plan, createdAt: createdAt.toISOString() };
}
