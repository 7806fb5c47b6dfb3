/** Imports operations for a Definition. Stores nothing: the caller publishes the returned source. */
import type { Static } from '@sinclair/typebox'
import { type DefinitionParts, type DefinitionPlace, Definitions } from '../../authoring/definitions/definitions.ts'
import { invalid, permissionDenied } from '../../platform/http/answers/errors.ts'
import { noSuch, referredTo } from '../../platform/http/answers/references.ts'
import { inScope, may } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { operationsOf } from '../mcp/listing.ts'
import type { McpTools } from '../mcp/service.ts'
import type { ImportRequest, ImportResult } from './schema.ts'

type Request = Static<typeof ImportRequest>

export class Imports {
  readonly #definitions: Definitions

  constructor(
    parts: DefinitionParts,
    private readonly mcpTools: McpTools,
  ) {
    this.#definitions = new Definitions(parts)
  }

  /** Throws `notFound`. */
  async assertThere(caller: Caller, place: DefinitionPlace): Promise<void> {
    await this.#definitions.get(caller, place)
  }

  /**
   * Throws `noSuch`, `validation_failed` (422) for an unsuitable document or Definition, and the errors of
   * `McpTools.list`.
   */
  async make(
    caller: Caller,
    place: DefinitionPlace,
    body: Request,
    signal: AbortSignal,
  ): Promise<Static<typeof ImportResult>> {
    const { kind } = await this.#definitions.get(caller, place)
    if (kind !== 'operations') {
      const message = `The Definition is of kind ${kind}: operations are imported into one of kind operations.`
      throw invalid([{ path: '/params/definitionId', message }])
    }
    const { openapi, mcp, operations, connection } = body
    const { organizationId } = caller
    if (openapi && !mcp) {
      // it includes the engine of patterns, which most servers never use
      const { importOpenApi } = await import('./openapi/import.ts')
      return importOpenApi({ openapi, operations, connection, organizationId })
    }
    if (!mcp || openapi) throw invalid([{ path: '/body', message: 'Must have exactly one of openapi and mcp.' }])
    if (operations) throw invalid([{ path: '/body/operations', message: 'Is for documents: name tools in mcp.tools.' }])
    const { projectId } = place
    const { environmentId, connectionId, tools } = mcp
    const noEnvironment = () => noSuch('Environment in this Project', '/body/mcp/environmentId')
    if (!inScope(caller, { projectId, environmentId, agentId: caller.scope.agentId })) throw noEnvironment()
    if (!may(caller, 'connections:get', projectId)) throw permissionDenied('connections:get')
    const from = { projectId, environmentId, connectionId }
    if (!(await this.mcpTools.hasEnvironment(from))) throw noEnvironment()
    const at = '/body/mcp/connectionId'
    const listed = await referredTo(this.mcpTools.list(caller, from, at, signal), 'Connection in this Environment', at)
    return operationsOf(listed, { tools, connection, organizationId })
  }
}
