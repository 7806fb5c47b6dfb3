/**
 * Finds workflows of tools with steps that the Agent cannot execute: each call of an operation needs the grant of the
 * Agent on whose behalf the workflow runs, which is known for a tool alone. Pure. Source: contract 14, "Workflows".
 */
import type { Issue } from '../../platform/http/answers/errors.ts'
import type { AgentNode, DefinitionNode } from './graph.ts'

/** Lazily: each Agent may reach every step of the Release. */
export function* ungrantedSteps(
  { slug, workflows, granted }: AgentNode,
  byName: ReadonlyMap<string, DefinitionNode>,
): Generator<Issue> {
  const seen = new Set<string>()
  for (const { path, name: tool } of workflows) {
    // it grows while it is walked: steps run further workflows, on behalf of the same Agent
    const reached = new Set([tool])
    for (const name of reached) {
      if (seen.has(name)) continue
      seen.add(name)
      const definition = byName.get(name)
      for (const { name: operation, step } of definition?.stepOperations ?? []) {
        if (granted.has(operation) || !isOffered(byName, operation)) continue
        const message =
          `The Agent ${slug} has a tool for the workflow ${tool}, and is not granted ${operation}, which ${step} of the ` +
          `workflow ${name} calls: add ${operation} to grantedOperations.`
        yield { path, message }
      }
      for (const { name: child } of definition?.workflows ?? []) reached.add(child)
    }
  }
}

/** Others are reported where they are named. */
function isOffered(byName: ReadonlyMap<string, DefinitionNode>, reference: string): boolean {
  const [name = '', operation = ''] = reference.split('.')
  return byName.get(name)?.offers.has(operation) ?? false
}
