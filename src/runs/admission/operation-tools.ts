/** An agent's operations as tools for a model. Source: contract 3, `Tool` of kind `operation`. */
import type { BundledAgent } from '../../delivery/deployments/bundle.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { OperationTool } from '../runner/protocol/protocol.ts'

/** Tools by name, without those that the Agent is not granted or the Release does not contain. */
export function operationTools(
  bundle: DeployedBundle,
  { content, grantedOperations }: Pick<BundledAgent, 'content' | 'grantedOperations'>,
) {
  const granted = new Set(grantedOperations)
  return Object.fromEntries(
    (content.tools ?? []).flatMap((tool): [string, OperationTool][] => {
      if (tool.kind !== 'operation' || !granted.has(tool.operation)) return []
      const operation = bundle.operation(tool.operation)
      if (!operation) return []
      const { description, inputSchema, effect, idempotent } = operation
      return [[tool.name, { description, inputSchema, idempotent: effect === 'read' || idempotent }]]
    }),
  )
}
