/** The route of imports. Source: contract 11, "import". */
import { Elysia } from 'elysia'
import type { DefinitionParts } from '../../authoring/definitions/definitions.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf } from '../../platform/http/schema.ts'
import { McpTools, type McpToolsParts } from '../mcp/service.ts'
import { ImportPath, ImportRequest, ImportResult, importBytesMax } from './schema.ts'
import { Imports } from './service.ts'

export function importRoutes({ guarded, ...parts }: DefinitionParts & McpToolsParts & { guarded: Guarded }) {
  const imports = new Imports(parts, new McpTools(parts))
  const find = ({ caller, params }: Naming<typeof ImportPath>) => imports.assertThere(caller, params)
  return new Elysia({ name: 'imports', prefix: '/api/v1/projects/:projectId/definitions', tags: ['Definitions'] })
    .use(guarded)
    .post(
      '/:definitionId/import',
      async ({ caller, params, body, request }) => ({
        data: await imports.make(caller, params, body, request.signal),
      }),
      {
        permission: 'definitions:update',
        resource: null,
        params: ImportPath,
        find,
        body: ImportRequest,
        bodyLimit: importBytesMax,
        response: { 200: dataOf(ImportResult) },
        errors: ['connection_unusable', 'mcp_server_failed'],
        detail: doc(
          'importOperations',
          'Import operations',
          'Creates a source for a Definition of kind `operations` from an OpenAPI document or from the tools of an MCP ' +
            'server (which also requires `connections:get`), and lists what is skipped and why. Nothing is stored: review ' +
            'the source, then publish it as a revision. The request may have 15 MiB and 100,000 values: of a larger document send the part that is wanted. A source has up to 100 operations, and ' +
            'schemas become less detailed when there are many.',
        ),
      },
    )
}
