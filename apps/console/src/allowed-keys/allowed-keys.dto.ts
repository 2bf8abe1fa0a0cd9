import { ApiProperty } from '@nestjs/swagger';
import { PatternListField } from '../http/fields';
import { VAULT_KEY_PATTERN, VAULT_KEY_RULE } from '../vault/vault.dto';

/** Maximum number of vault keys that a process may use: as many as one vault may have. */
const MAX_ALLOWED_KEYS = 500;

export class AllowedKeysInput {
  /** The complete list of vault keys that the process may use; a key that is not in it is withdrawn. */
  @PatternListField(VAULT_KEY_PATTERN, VAULT_KEY_RULE, MAX_ALLOWED_KEYS, { examples: [['DB_PASSWORD']] })
  keys!: string[];
}

export class AllowedKeysAnswer {
  @ApiProperty({
    type: [String],
    examples: [['DB_PASSWORD']],
    description: 'The allowed keys in the order of their character codes, also those that the vault does not have.',
  })
  keys!: string[];
}
