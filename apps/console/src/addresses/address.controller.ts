import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { AddressAnswer } from './address.dto';

@ApiTags('Addresses')
@Controller(`${BASE_PATH}/addresses`)
export class AddressController {
  constructor(@Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig) {}

  @Get()
  @Endpoint({
    summary: 'Read the addresses at which third parties and agents reach Batuta, and the image of the agent',
    audience: 'account',
    answer: AddressAnswer,
  })
  read(): AddressAnswer {
    const { GATEWAY_PUBLIC_URL, ROUTER_PUBLIC_URL = null, AGENT_IMAGE = null } = this.config;
    return { gatewayURL: GATEWAY_PUBLIC_URL, routerURL: ROUTER_PUBLIC_URL, agentImage: AGENT_IMAGE };
  }
}
