/** Lists the tools of the MCP server behind a Connection of an Environment. */

import { findEnvironmentState } from '../../../storage/tenancy/tree.ts'
import type { DefinitionParts } from '../../authoring/definitions/definitions.ts'
import { notFound } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { HttpCallParts } from '../operations/http-calls.ts'
import { currentConnection, reachableConnection } from './current-connection.ts'
import { type ListedTools, listTools } from './listing.ts'

export interface McpToolsParts extends Pick<DefinitionParts, 'store'> {
  outbound: HttpCallParts['outbound']
  secrets: Pick<HttpCallParts, 'credentials'>
  oauth: { tokens: HttpCallParts['grants'] }
}

interface McpPlace {
  projectId: string
  environmentId: string
  connectionId: string
}

export class McpTools {
  constructor(private readonly parts: McpToolsParts) {}

  /** Throws `notFound`, `connection_unusable` and `mcp_server_failed` (422). `at`: what names the Connection. */
  async list(caller: Caller, place: McpPlace, at: string, signal: AbortSignal): Promise<ListedTools> {
    const { outbound } = this.parts
    await this.assertThere(caller, place)
    const connection = await currentConnection(this.#bound(), caller, place, at)
    return listTools(outbound, connection, at, signal)
  }

  /** Throws `notFound`. */
  async assertThere(caller: Caller, place: McpPlace): Promise<void> {
    if (!(await this.hasEnvironment(place))) throw notFound()
    await reachableConnection(this.parts.store, caller, place)
  }

  async hasEnvironment({ projectId, environmentId }: Pick<McpPlace, 'projectId' | 'environmentId'>): Promise<boolean> {
    const { store } = this.parts
    return (await store.first(findEnvironmentState(store, { projectId, id: environmentId }))) !== undefined
  }

  #bound() {
    const { store, secrets, oauth } = this.parts
    return { store, credentials: secrets.credentials, grants: oauth.tokens }
  }
}
