/** Finds references within a Release that it does not resolve. Pure. Source: contract 3, "unresolved_reference". */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { cyclesOf, drawn } from '../definitions/cycles.ts'
import type { AgentNode, DefinitionNode, Reference } from './graph.ts'

const kindNames = { operations: 'operations', workflow: 'a workflow', entity: 'an entity' } as const

/** Every reference to an operation, a workflow, an Agent or an entity that the Release does not hold. */
export function unresolved(agents: readonly AgentNode[], definitions: readonly DefinitionNode[]): Issue[] {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  const slugs = new Set(agents.map(({ slug }) => slug))

  const operationFault = (reference: string): string | undefined => {
    const [name = '', operation = ''] = reference.split('.')
    const definition = byName.get(name)
    if (!definition) return `${reference}: the Release pins no Definition named ${name}; add it to the definitions.`
    if (definition.kind !== 'operations')
      return `${reference}: the Definition ${name} is ${kindNames[definition.kind]}.`
    return definition.offers.has(operation)
      ? undefined
      : `${reference}: the pinned revision of ${name} has no operation ${operation}.`
  }
  const agentFault = (slug: string): string | undefined =>
    slugs.has(slug) ? undefined : `The Release pins no Agent with the slug ${slug}.`
  const kindFault =
    (kind: 'workflow' | 'entity') =>
    (name: string): string | undefined => {
      const definition = byName.get(name)
      if (!definition) return `The Release pins no Definition named ${name}; add it to the definitions.`
      return definition.kind === kind
        ? undefined
        : `The Definition ${name} is ${kindNames[definition.kind]}, no ${kind}.`
    }
  const workflowFault = kindFault('workflow')
  const entityFault = kindFault('entity')

  return [
    ...agents.flatMap(({ operations, workflows }) => [
      ...faults(operations, operationFault),
      ...faults(workflows, workflowFault),
    ]),
    ...agents.flatMap(({ slug, ungranted }) =>
      faults(ungranted, (name) =>
        operationFault(name) === undefined
          ? `The Agent ${slug} has a tool for ${name}, and is not granted it: add ${name} to grantedOperations.`
          : undefined,
      ),
    ),
    ...definitions.flatMap((definition) => [
      ...faults(definition.operations, operationFault),
      ...faults(definition.workflows, workflowFault),
      ...faults(definition.agents, agentFault),
      ...faults(definition.entities, entityFault),
    ]),
    ...workflowCircles(definitions),
  ]
}

/** Workflows that run themselves, directly or by others. */
function workflowCircles(definitions: readonly DefinitionNode[]): Issue[] {
  const leadsTo = new Map(definitions.map(({ name, workflows }) => [name, workflows.map((each) => each.name)]))
  return cyclesOf(leadsTo).map((cycle) => {
    const [first, second = first] = cycle
    const { workflows } = definitions.find(({ name }) => name === first)!
    const { path } = workflows.find(({ name }) => name === second)!
    return { path, message: `The workflow runs itself: ${drawn(cycle)}.` }
  })
}

const faults = (references: readonly Reference[], faultOf: (name: string) => string | undefined): Issue[] =>
  references.flatMap(({ path, name }) => {
    const message = faultOf(name)
    return message === undefined ? [] : [{ path, message }]
  })
