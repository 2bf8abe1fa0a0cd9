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
 * Every trick: `name`, `what` it does in words, `prepare` (once, before the attack), `round` (again and again), `isLong` for one that
 * the short form leaves out, because it waits for the clock, the answers that it must get at least once
 * (`requiredAnswers`) or never (`forbiddenAnswers`),
 * and the address `from` of one that does not share the address of the others.
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
