/** The shapes of MCP tools. Source: contract 11, "MCP servers as tools". */
import { type Static, Type } from '@sinclair/typebox'
import { nullable } from '../../platform/http/schema.ts'
import type { ListedTools } from './listing.ts'

const schema = (description: string) => Type.Object({}, { additionalProperties: true, description })

export const McpToolList = Type.Object(
  {
    serverInfo: Type.Object(
      { name: Type.String({ examples: ['search'] }), version: Type.String({ examples: ['1.0.0'] }) },
      { description: "The server's name for itself." },
    ),
    items: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Its name at the server.', examples: ['find'] }),
        description: Type.String({ description: 'What the server says about it.' }),
        inputSchema: schema('Its input.'),
        outputSchema: nullable(schema('Its output.')),
        annotations: schema("The server's annotations of its effect; only hints."),
      }),
    ),
  },
  { $id: 'McpToolList', description: 'The tools of an MCP server, as they are now.' },
)

/** In the order of the server. */
export const presentTools = ({ serverInfo, items }: ListedTools): Static<typeof McpToolList> => ({
  serverInfo,
  items: items.map(({ name, description = '', inputSchema, outputSchema = null, annotations = {} }) => ({
    name,
    description,
    inputSchema,
    outputSchema,
    annotations,
  })),
})
