import { automaticVariablesOf, describeStepType, factsOf, stepSchemaOf, stepTypeNames } from '@batuta/flow';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { ConnectorList } from './connector.dto';

@ApiTags('Connectors')
@Controller(`${BASE_PATH}/connectors`)
export class ConnectorController {
  @Get()
  @Endpoint({
    summary: 'List the connectors, one per step type, with the schema of their steps',
    audience: 'account',
    answer: ConnectorList,
  })
  list(): ConnectorList {
    const connectors = stepTypeNames().map((type) => {
      const { category, ability } = factsOf(type);
      const variables = automaticVariablesOf(type);
      return { type, category, description: describeStepType(type), ability, variables, schema: stepSchemaOf(type) };
    });
    return { connectors };
  }
}
