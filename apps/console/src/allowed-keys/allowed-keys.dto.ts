import { ApiProperty } from '@nestjs/swagger';
import { PatternList } from '../http/fields';
import { VAULT_KEY, VAULT_KEY_RULE } from '../vault/vault.dto';

/** Equal to the maximum number of keys in one vault. */
const MAX_KEYS = 500;

export class AllowedKeysInput {
  /** All keys at once: a key that is left out is withdrawn. */
  @PatternList(VAULT_KEY, VAULT_KEY_RULE, MAX_KEYS, { examples: [['DB_PASSWORD']] })
  keys!: string[];
}

export class AllowedKeysAnswer {
  @ApiProperty({ type: [String], examples: [['DB_PASSWORD']] })
  keys!: string[];
}
