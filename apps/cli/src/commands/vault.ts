import { answerTo } from '@batuta/client';
import type { Registration } from './registration';

export function registerVault({ addNoun }: Registration): void {
  addNoun('vault', 'named secrets of the account, which flows read as {vault.KEY}')
    .addVerb('list', 'show the keys; no call answers a value', async ({ console, output }) => {
      const { keys } = await answerTo(console.GET('/manage/v1/vault'));
      output.table({ keys }, keys, [
        { title: 'KEY', of: ({ key }) => key },
        { title: 'CHANGED', of: ({ updatedAt }) => updatedAt },
      ]);
    })
    .addVerb(
      'set <key>',
      'store a secret, which is asked for or read from the standard input',
      async (context, [key = '']) => {
        const { terminal, console, output } = context;
        const value = terminal.input.isTTY
          ? await terminal.input.ask(`Value of ${key}: `, { hidden: true })
          : (await terminal.input.readAll()).replace(/\r?\n$/, '');
        await answerTo(console.PUT('/manage/v1/vault/{key}', { params: { path: { key } }, body: { value } }));
        output.show({ key, stored: true }, `Stored ${key}.`);
      },
    )
    .addVerb('delete <key>', 'delete a secret', async ({ console, output }, [key = '']) => {
      await answerTo(console.DELETE('/manage/v1/vault/{key}', { params: { path: { key } } }));
      output.show({ key, deleted: true }, `Deleted ${key}.`);
    });
}
