import { claimsTrick } from './claims.mjs';
import { controlsTrick } from './controls.mjs';
import { firingTrick } from './firing.mjs';
import { framesTrick } from './frames.mjs';
import { garbageTrick } from './garbage.mjs';
import { listsTrick } from './lists.mjs';
import { loginsTrick } from './logins.mjs';
import { logsTrick } from './logs.mjs';
import { managementTrick } from './management.mjs';
import { passwordsTrick } from './passwords.mjs';
import { picturesTrick } from './pictures.mjs';
import { positionsTrick } from './positions.mjs';
import { queuesTrick } from './queues.mjs';
import { quotasTrick } from './quotas.mjs';
import { sendersTrick } from './senders.mjs';
import { startsTrick } from './starts.mjs';
import { strangersTrick } from './strangers.mjs';
import { streamsTrick } from './streams.mjs';
import { unreadTrick } from './unread.mjs';
import { webhooksTrick } from './webhooks.mjs';
import { writesTrick } from './writes.mjs';

/**
 * Every trick:
 * - `name`, and `what` it does in words;
 * - `prepare(attacker)`: runs once, before the attack;
 * - `round(attacker)`: runs again and again;
 * - `isLong`: the short form leaves it out, because it waits for the clock;
 * - `requiredAnswers`, `forbiddenAnswers`: what it must get at least once, and never;
 * - `from`: its own local address, if its calls must not count with those of the other tricks.
 */
export const TRICKS = [
  logsTrick,
  claimsTrick,
  strangersTrick,
  framesTrick,
  listsTrick,
  firingTrick,
  streamsTrick,
  quotasTrick,
  startsTrick,
  managementTrick,
  loginsTrick,
  sendersTrick,
  garbageTrick,
  picturesTrick,
  queuesTrick,
  unreadTrick,
  controlsTrick,
  positionsTrick,
  passwordsTrick,
  webhooksTrick,
  writesTrick,
];
