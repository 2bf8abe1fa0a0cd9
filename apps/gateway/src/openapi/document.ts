import { shareComponents } from '@batuta/openapi';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { SCHEMES } from './access';
import { ANSWER_HEADERS } from './headers';

const DESCRIPTION = `Start, follow, control and schedule automation processes from other systems.

Send the account credential as \`Authorization: Bearer …\`, and, where a call is about one process, the key of that process
as \`X-Process-Key\`. Bodies are JSON in UTF-8, at most 1 MB.

Every refusal is \`{"error": {"code", "message"}}\`: the code is for programs and stays, the message is for people. Unknown
paths and methods are 404 \`NOT_FOUND\`. Answers and their lists may gain fields.

Requests are counted per credential and minute; \`RateLimit\` says what is left, and 429 comes with \`Retry-After\`.`;

/** The description of the external API, made from the routes themselves. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const options = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Batuta external API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addServer('/')
    .addSecurity('accountCredential', SCHEMES.accountCredential)
    .addSecurity('processKey', SCHEMES.processKey)
    .build();
  const document = SwaggerModule.createDocument(app, options, {
    autoTagControllers: false,
    operationIdFactory: (controller, method) =>
      // A route with a second path, outside of /v1, is numbered.
      `${controller.replace(/Controller$/, '').toLowerCase()}.${method.replace(/\[\d+\]$/, '')}`,
  });
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/'));
  return shareComponents({
    ...document,
    paths: Object.fromEntries(paths),
    components: { ...document.components, headers: ANSWER_HEADERS },
  });
}
