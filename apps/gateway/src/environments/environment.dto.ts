import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** An environment as callers see it (contract 2.2). */
@ApiSchema({ name: 'Environment' })
export class EnvironmentDto {
  @ApiProperty({ format: 'uuid', description: 'What start and schedule creation take.' })
  environmentID!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty({ description: 'An agent is connected now.' })
  online!: boolean;

  @ApiProperty({ description: 'Takes starts while no agent is connected; they wait in its queue.' })
  offlineFlow!: boolean;

  @ApiProperty()
  envType!: string;

  @ApiProperty()
  os!: string;

  @ApiProperty({ description: 'Published to everyone in the company.' })
  shared!: boolean;
}

@ApiSchema({ name: 'EnvironmentList' })
export class EnvironmentListDto {
  @ApiProperty({ type: [EnvironmentDto] })
  environments!: EnvironmentDto[];
}

export const ENVIRONMENTS_EXAMPLE: EnvironmentListDto = {
  environments: [
    {
      environmentID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c12',
      name: 'Office machine',
      description: '',
      online: true,
      offlineFlow: true,
      envType: 'prod',
      os: 'windows',
      shared: false,
    },
  ],
};
