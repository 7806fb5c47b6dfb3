/**
 * The parts of a manifest that are already reported as invalid. References to them are not reported again: they say as
 * much as can be read of what they would provide.
 */
import { isObject } from '../../../platform/json.ts'
import type { Planning } from '../step.ts'

const partOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const namesOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : [])
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Whether the manifest has the Agent. One that is not valid, or one of too many, has its own issues. */
export const namesAgent = ({ given }: Pick<Planning, 'given'>, slug: string): boolean =>
  partOf(partOf(given, 'agents'), slug) !== undefined

/** The bindings that an invalid Agent declares, and the binding of an invalid Connection. */
export interface Unsound {
  agents: ReadonlySet<string>
  definitions: ReadonlySet<string>
  /** The keys that invalid Agents declare, by kind. */
  declared: Record<'connection' | 'variable', string[]>
  connections: { name: string; agentId: string | null; bindingKey: string | null }[]
  variables: string[]
}

/** The invalid parts; `given` is the manifest as it was sent. */
export function unsoundParts({ given, kind, section, sound }: Planning): Unsound {
  const agents = namesOf(partOf(given, 'agents')).filter((slug) => !sound.agents.has(slug))
  const definitions = namesOf(partOf(given, 'definitions')).filter((name) => !sound.definitions.has(name))
  const bindings = agents.flatMap((slug) =>
    listOf(partOf(partOf(partOf(partOf(given, 'agents'), slug), 'content'), 'bindings')),
  )
  const declaredAs = (wanted: string) =>
    bindings.flatMap((each) => (partOf(each, 'kind') === wanted ? (textOf(partOf(each, 'bindingKey')) ?? []) : []))
  const inSection = partOf(partOf(given, 'environments'), kind)
  const lacking = (family: 'connections' | 'variables') =>
    namesOf(partOf(inSection, family)).filter((name) => !Object.hasOwn(section[family] ?? {}, name))
  return {
    agents: new Set(agents),
    definitions: new Set(definitions),
    declared: { connection: declaredAs('connection'), variable: declaredAs('variable') },
    connections: lacking('connections').flatMap((name) => [
      { name, agentId: null, bindingKey: null },
      ...listOf(partOf(partOf(partOf(inSection, 'connections'), name), 'bind')).map((each) => ({
        name,
        agentId: textOf(partOf(each, 'agent')),
        bindingKey: textOf(partOf(each, 'bindingKey')),
      })),
    ]),
    variables: lacking('variables'),
  }
}

/** Whether an issue is about all Agents, all Definitions or a whole section, so that no reference can be resolved. */
export const isOfAll = ({ path }: { path: string }): boolean =>
  /^\/(?:agents|definitions|environments(?:\/[^/]*){0,2})?$/.test(path)
