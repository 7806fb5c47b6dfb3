/** The shapes of imports. Source: contract 11, "import". */
import { Type } from '@sinclair/typebox'
import type { OperationsSource } from '../../authoring/definitions/source.ts'
import { Operation } from '../../authoring/definitions/source-schema.ts'
import { ProjectPath } from '../../platform/http/paths.ts'
import { Id, nullable } from '../../platform/http/schema.ts'

/** The bound of a request with a document. Source: contract 11, "Import takes bodies up to 15 MiB". */
export const importBytesMax = 15 * 1024 * 1024
const wantedMax = 100

export const ImportPath = Type.Object({ ...ProjectPath.properties, definitionId: Id('def') })

const wanted = (description: string, example: string) =>
  Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      minItems: 1,
      maxItems: wantedMax,
      description,
      examples: [[example]],
    }),
  )

export const ImportRequest = Type.Object(
  {
    openapi: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'A document of OpenAPI 3.0 or 3.1, whose references lead within it.',
          examples: [{ openapi: '3.1.0', paths: {} }],
        },
      ),
    ),
    operations: wanted('operationIds of the document; default: the first hundred that can be imported.', 'listPets'),
    mcp: Type.Optional(
      Type.Object(
        {
          environmentId: Id('env'),
          connectionId: Id('con'),
          tools: wanted('Names of tools; default: the first hundred that can be imported.', 'search'),
        },
        { description: 'The Connection of an MCP server whose tools are imported, instead of a document.' },
      ),
    ),
    connection: Type.String({
      pattern: '^[a-zA-Z0-9_.-]{1,64}$',
      description: 'The bindingKey of the Connection that the operations will go through.',
      examples: ['shop'],
    }),
  },
  { $id: 'NewImport', description: 'The origin of the operations: exactly one of `openapi` and `mcp`.' },
)

export const ImportResult = Type.Object(
  {
    source: Type.Unsafe<OperationsSource>(
      Type.Object(
        { operations: Type.Array(Operation) },
        {
          description: 'Review it, then publish it as a revision. It cannot be published without operations.',
        },
      ),
    ),
    skipped: Type.Array(
      Type.Object({
        name: Type.String({ description: "The document's name for it." }),
        reason: Type.String({ description: 'The reason for skipping it.' }),
      }),
      { description: 'The skipped items.' },
    ),
    suggestedConnection: Type.Optional(
      Type.Object(
        {
          baseUrl: nullable(Type.String({ description: 'The first server of the document, if it is a whole URL.' })),
          auth: Type.Optional(Type.String({ description: 'As in the settings of a Connection.' })),
          headerName: Type.Optional(Type.String({ description: 'The header for the secret, with `auth: header`.' })),
        },
        { description: "Settings for the Connection, from the document's servers and security schemes." },
      ),
    ),
  },
  { $id: 'Import', description: 'The source that an import proposes.' },
)
