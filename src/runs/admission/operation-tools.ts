/** An agent's operations and workflows as tools for a model. Source: contract 3, `Tool`; contract 14, "Workflows". */
import type { BundledAgent } from '../../delivery/deployments/bundle.ts'
import type { BundledWorkflow, DeployedBundle } from '../../delivery/deployments/bundles.ts'
import type { OperationTool } from '../runner/protocol/protocol.ts'

/** Tools by name, without those that the Agent is not granted or the Release does not contain. */
export function operationTools(
  bundle: DeployedBundle,
  { content, grantedOperations }: Pick<BundledAgent, 'content' | 'grantedOperations'>,
) {
  const granted = new Set(grantedOperations)
  return Object.fromEntries(
    (content.tools ?? []).flatMap((tool): [string, OperationTool][] => {
      if (tool.kind === 'workflow') {
        const workflow = bundle.workflow(tool.workflow)
        return workflow ? [[tool.name, workflowTool(workflow)]] : []
      }
      if (tool.kind !== 'operation' || !granted.has(tool.operation)) return []
      const operation = bundle.operation(tool.operation)
      if (!operation) return []
      const { description, inputSchema, effect, idempotent } = operation
      return [[tool.name, { description, inputSchema, idempotent: effect === 'read' || idempotent }]]
    }),
  )
}

/** A workflow as a tool: a repeated call finds the run of the first one. */
export const workflowTool = ({ name, source }: Pick<BundledWorkflow, 'name' | 'source'>): OperationTool => ({
  description: source.description ?? `Runs the workflow ${name}.`,
  inputSchema: { type: 'object', ...source.params },
  idempotent: true,
})
