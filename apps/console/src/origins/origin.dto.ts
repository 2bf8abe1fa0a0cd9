import { RESPONSE_MODES, type ResponseMode } from '@batuta/contracts';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import {
  FlagField,
  LineField,
  ObjectField,
  OneOfField,
  PatternField,
  RawTextField,
  WholeNumberField,
} from '../http/fields';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const SECONDS_PER_DAY = 86_400;
const MAX_WAIT_SECONDS = 120;

const NAME_EXAMPLES = { examples: ['Payments'] };
const RESPONSE_MODE_FIELD = {
  description:
    '`Imediata` answers with the instanceID; `Aguardar` holds the call until the process answers or ends, at most for `waitSeconds`.',
};
const WAIT_SECONDS_FIELD = { description: 'How long `Aguardar` waits, from the arrival of the call.' };
const ENABLED_FIELD = { description: 'While false both URLs refuse calls with WEBHOOK_DISABLED.' };
const SIGNATURE_FIELD = {
  nullable: true,
  description:
    'Calls must carry an HMAC-SHA-256 of their body in this header, as `sha256=<hex>` (GitHub), as plain hexadecimal or Base64, or, over `<t>.<body>`, ' +
    'as `t=<seconds>,v1=<hex>` (Stripe), or as `v0=<hex>` over `v0:<timestamp>:<body>` (Slack, Zoom), or that of Standard Webhooks: ' +
    'the header `webhook-signature`, with the secret `whsec_<base64>`. null = none is asked for.',
};

export class SignatureInput {
  @PatternField(HEADER_NAME, 'is no name of a header', { examples: ['X-Hub-Signature-256'] })
  header!: string;

  /** The secret as the sender has it: it is neither trimmed nor normalized. */
  @RawTextField({ min: 1, max: 200, format: 'password', description: 'Never returned.' })
  secret!: string;

  @WholeNumberField(1, SECONDS_PER_DAY, {
    nullable: true,
    default: null,
    description:
      'How far the timestamp of a signature may be from now, before or after it. null = 300 for the forms `v0=` and Standard Webhooks, and ' +
      'calls of other forms need no timestamp.',
  })
  toleranceSeconds: number | null = null;
}

export class OriginInput {
  @LineField(NAME_EXAMPLES)
  name!: string;

  @OneOfField(RESPONSE_MODES, { ...RESPONSE_MODE_FIELD, default: 'Imediata' })
  responseMode: ResponseMode = 'Imediata';

  @WholeNumberField(1, MAX_WAIT_SECONDS, { ...WAIT_SECONDS_FIELD, default: 30 })
  waitSeconds = 30;

  @FlagField({ ...ENABLED_FIELD, default: true })
  enabled = true;

  @ObjectField(() => SignatureInput, { ...SIGNATURE_FIELD, default: null })
  signature: SignatureInput | null = null;
}

export class OriginChange {
  @LineField({ ...NAME_EXAMPLES, optional: true })
  name?: string;

  @OneOfField(RESPONSE_MODES, { ...RESPONSE_MODE_FIELD, optional: true })
  responseMode?: ResponseMode;

  @WholeNumberField(1, MAX_WAIT_SECONDS, { ...WAIT_SECONDS_FIELD, optional: true })
  waitSeconds?: number;

  @FlagField({ ...ENABLED_FIELD, optional: true })
  enabled?: boolean;

  @ObjectField(() => SignatureInput, { ...SIGNATURE_FIELD, optional: true })
  signature?: SignatureInput | null;
}

export class SignatureAnswer {
  @ApiProperty()
  header!: string;

  @IntegerField({ nullable: true, description: 'As it was set; null where the default holds.' })
  toleranceSeconds!: number | null;
}

const DEV_URL_FIELD: ApiPropertyOptions = {
  type: 'string',
  format: 'uri',
  description: 'Captures payloads and runs nothing.',
};
const PROD_URL_FIELD: ApiPropertyOptions = {
  type: 'string',
  format: 'uri',
  description: 'Starts the published version.',
};

export class OriginAnswer {
  @IDField()
  id!: string;

  @IDField()
  processID!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: RESPONSE_MODES, ...RESPONSE_MODE_FIELD })
  responseMode!: ResponseMode;

  @IntegerField(WAIT_SECONDS_FIELD)
  waitSeconds!: number;

  @ApiProperty(ENABLED_FIELD)
  enabled!: boolean;

  @ApiProperty({
    type: SignatureAnswer,
    nullable: true,
    description: 'Without its secret; null when calls need no signature.',
  })
  signature!: SignatureAnswer | null;

  @ApiProperty(DEV_URL_FIELD)
  devUrl!: string;

  @ApiProperty(PROD_URL_FIELD)
  prodUrl!: string;

  @TimeField()
  createdAt!: string;
}

export class OriginList {
  @ApiProperty({ type: [OriginAnswer] })
  origins!: OriginAnswer[];
}

export class Rotation {
  @OneOfField(['dev', 'prod'])
  url!: 'dev' | 'prod';
}

export class RotatedDevUrl {
  @ApiProperty(DEV_URL_FIELD)
  devUrl!: string;
}

export class RotatedProdUrl {
  @ApiProperty(PROD_URL_FIELD)
  prodUrl!: string;
}
