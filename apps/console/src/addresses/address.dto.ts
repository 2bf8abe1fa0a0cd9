import { ApiProperty } from '@nestjs/swagger';

export class AddressAnswer {
  @ApiProperty({
    format: 'uri',
    description: 'Third parties call the gateway here.',
    example: 'https://api.example.com',
  })
  gatewayURL!: string;

  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    description: 'Agents connect to the router here; null where the operator has not set it.',
    example: 'https://router.example.com',
  })
  routerURL!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The container image of the agent; null where the operator has not set it.',
    example: 'registry.example.com/batuta-agent:1',
  })
  agentImage!: string | null;
}
