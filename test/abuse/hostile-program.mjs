import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createIdleGroup } from './processor-groups.mjs';

/** The OS process that attacks as the hostile tenant, apart from the one that measures. */
export class HostileProgram {
  #child;
  #group;

  /** `yields` = it runs only while no other program wants a processor; false for a short attack, which measures no time and would starve. */
  static async fork({ yields }) {
    const hostile = new HostileProgram();
    hostile.#child = fork(new URL('hostile.mjs', import.meta.url), { detached: true });
    hostile.#child.setMaxListeners(0);
    await hostile.#untilEvent('here');
    if (yields) {
      hostile.#group = createIdleGroup('hostile');
      hostile.#group?.add(hostile.pid);
    }
    return hostile;
  }

  get pid() {
    return this.#child.pid;
  }

  /** Makes what the tricks need; resolves to the `names` of the tricks that `attack` can do. */
  async prepare(order) {
    this.#child.send({ command: 'prepare', ...order });
    return this.#untilEvent('prepared');
  }

  /** Attacks for `seconds`, or in a short attack does each trick once. Resolves to what each trick did, and how it was answered. */
  async attack({ names, isShort = false, seconds }) {
    const done = this.#untilEvent('done');
    this.#child.send({ command: 'attack', names, isShort });
    if (!isShort) {
      await Promise.race([sleep(seconds * 1_000), done]);
      if (this.#child.connected) this.#child.send({ command: 'stop' });
    }
    return done;
  }

  async stop() {
    const exited = this.#child.exitCode ?? this.#child.signalCode ?? once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
    this.#group?.remove();
  }

  async #untilEvent(event) {
    for (;;) {
      const [message] = await Promise.race([
        once(this.#child, 'message'),
        once(this.#child, 'exit').then(([code, signal]) => [{ event: 'exit', code, signal }]),
      ]);
      if (message.event === event) return message;
      if (message.event === 'exit') throw new Error(`the hostile client ended: ${message.signal ?? message.code}`);
    }
  }
}
