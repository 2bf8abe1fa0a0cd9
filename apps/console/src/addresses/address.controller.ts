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
    summary: 'Read the addresses at which third parties and agents reach Batuta',
    audience: 'account',
    answer: AddressAnswer,
  })
  read(): AddressAnswer {
    return { gatewayURL: this.config.GATEWAY_PUBLIC_URL, routerURL: this.config.ROUTER_PUBLIC_URL ?? null };
  }
}
