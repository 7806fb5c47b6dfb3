/** The tools of an MCP server, and the pinned parts of each. Source: contract 11, "MCP servers as tools". */
import type { Client, Tool } from '@modelcontextprotocol/client'
import { canonical } from '../../platform/http/canonical.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import type { JsonSchema } from '../../platform/json-schemas/structure.ts'
import { McpFailure } from './session.ts'

const toolsMax = 1_000

/** All tools; the client reads the pages. Throws `McpFailure` for too many. */
export async function toolsOf(client: Client, signal: AbortSignal): Promise<Tool[]> {
  const { tools } = await client.listTools(undefined, { signal })
  if (tools.length <= toolsMax) return tools
  throw new McpFailure(`The server has more than ${toolsMax.toLocaleString('en')} tools.`)
}

/** The digest of the pinned parts of a tool. */
export const digestOf = ({ inputSchema, outputSchema }: { inputSchema: unknown; outputSchema?: unknown }): string =>
  digestOfText(canonical({ inputSchema, outputSchema: outputSchema ?? null }))

/** The schemas of a tool, as an operation has them. */
export const schemasOf = ({
  inputSchema,
  outputSchema,
}: Tool): { inputSchema: JsonSchema; outputSchema?: JsonSchema } => ({
  inputSchema: inputSchema as JsonSchema,
  ...(outputSchema ? { outputSchema: outputSchema as JsonSchema } : {}),
})
