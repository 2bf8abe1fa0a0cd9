import { answerTo, BatutaError } from '@batuta/client';
import { processIDOf } from '../connections/named-resources';
import type { Registration } from './registration';
import { safeJson } from '../terminal/safe-text';

export function registerCaptures({ addNoun }: Registration): void {
  addNoun('origins', 'sources of webhook calls of a process').addVerb(
    'list <process>',
    'show the origins; --json has their URLs, which are secrets',
    async ({ console, output }, [given = '']) => {
      const pid = await processIDOf(console, given);
      const { origins } = await answerTo(
        console.GET('/manage/v1/processes/{pid}/origins', { params: { path: { pid } } }),
      );
      output.table({ origins }, origins, [
        { title: 'ORIGIN', of: ({ id }) => id },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'MODE', of: ({ responseMode }) => responseMode },
        { title: 'ENABLED', of: ({ enabled }) => enabled },
        { title: 'SIGNED BY', of: ({ signature }) => signature?.header },
      ]);
    },
  );
  addNoun('captures', 'payloads that development URLs stored')
    .addVerb('list <process>', 'show the newest captures of each origin', async ({ console, output }, [given = '']) => {
      const pid = await processIDOf(console, given);
      const { origins } = await answerTo(
        console.GET('/manage/v1/processes/{pid}/origins', { params: { path: { pid } } }),
      );
      const lists = await Promise.all(
        origins.map(async ({ id, name }) => {
          const path = { params: { path: { id } } };
          const list = await answerTo(console.GET('/manage/v1/origins/{id}/captures', path)).catch((error: unknown) => {
            // The origin was deleted with its captures after the list of origins was read.
            if (error instanceof BatutaError && error.code === 'NOT_FOUND') return { captures: [] };
            throw error;
          });
          return list.captures.map((capture) => ({ ...capture, origin: name }));
        }),
      );
      const captures = lists.flat();
      output.table({ captures }, captures, [
        { title: 'CAPTURE', of: ({ id }) => id },
        { title: 'ORIGIN', of: ({ origin }) => origin },
        { title: 'CAPTURED', of: ({ capturedAt }) => capturedAt },
        { title: 'BYTES', of: ({ bytes }) => bytes },
        { title: 'CUT', of: ({ truncated }) => truncated },
      ]);
    })
    .addVerb('show <capture>', 'show the payload', async ({ console, output }, [id = '']) => {
      const capture = await answerTo(console.GET('/manage/v1/captures/{id}', { params: { path: { id } } }));
      output.show(capture, capture.payload === undefined ? safeJson(capture.text) : safeJson(capture.payload, 2));
    })
    .addVerb(
      'preview <capture>',
      'show the values that the mappings find in it',
      async ({ console, output }, [id = '']) => {
        const preview = await answerTo(console.GET('/manage/v1/captures/{id}/preview', { params: { path: { id } } }));
        output.table(preview, preview.draft, [
          { title: 'VARIABLE', of: ({ name, variableId }) => name ?? variableId },
          { title: 'FIELD', of: ({ pointer }) => pointer },
          { title: 'VALUE', of: ({ value }) => value },
          { title: 'PROBLEM', of: ({ refusal, absent }) => refusal ?? (absent ? 'no such field' : undefined) },
        ]);
      },
    )
    .addVerb(
      'debug <capture>',
      'run the development flow with it, without cost',
      async ({ console, output }, [id = '']) => {
        const run = await answerTo(console.POST('/manage/v1/captures/{id}/debug', { params: { path: { id } } }));
        output.show(run, run.instanceID);
      },
    )
    .addVerb(
      'replay <capture>',
      'start the published version with it, for a credit',
      async ({ console, output }, [id = '']) => {
        const run = await answerTo(console.POST('/manage/v1/captures/{id}/replay', { params: { path: { id } } }));
        output.show(run, run.instanceID);
      },
    );
}
