/** Names: the resource of each operation in the SDK, and its method. */
import type { Operation } from './document.ts'

/** A resource, and the nouns that its methods omit. */
interface Place {
  resource: string
  nouns: string[]
}

/** Chapters of the API document whose resource has another name. */
const chapters: Record<string, Place> = {
  'Agent runs': { resource: 'runs', nouns: ['AgentRun', 'Agent'] },
  'API keys': { resource: 'apiKeys', nouns: ['ApiKey'] },
  Jobs: { resource: 'jobs', nouns: ['AgentJob'] },
  OAuth: { resource: 'oauth', nouns: ['OAuth'] },
  Operating: { resource: 'server', nouns: [] },
  'Runner pools': { resource: 'runnerPools', nouns: ['RunnerPool', 'Runner'] },
  'Runner protocol': { resource: 'runner', nouns: ['Attempt', 'Agent'] },
}

/** A method of a resource. */
export interface Method extends Operation {
  resource: string
  name: string
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const small = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
const words = (chapter: string) => chapter.split(' ').map((word) => capital(word.toLowerCase()))
const singular = (noun: string) => noun.replace(/ies$/, 'y').replace(/s$/, '')

function placeOf(chapter: string): Place {
  const name = words(chapter).join('')
  return chapters[chapter] ?? { resource: small(name), nouns: [singular(name)] }
}

/** `createAgentRevision` of the chapter on Agents becomes `createRevision`, `listAgents` becomes `list`. */
function methodName(id: string, nouns: string[]): string {
  const forms = nouns.flatMap((noun) => [noun.replace(/(?<![aeiou])y$/, 'ie').concat('s'), noun])
  return forms.length > 0 ? id.replace(new RegExp(`^([a-z]+)(?:${forms.join('|')})(?=[A-Z]|$)`), '$1') : id
}

const ofActor = /^\/api\/v1\/actors\/([a-z-]+)\/\{id\}/

/** The operations of actors, which are the same for every kind, as one operation with the kind as a parameter. */
function withKinds(operations: Operation[]): Operation[] {
  const kinds = [...new Set(operations.flatMap(({ path }) => ofActor.exec(path)?.[1] ?? []))]
  const kind = {
    name: 'kind',
    in: 'path',
    required: true,
    description: 'The kind of actor.',
    schema: { enum: kinds },
  } as const
  const [first = ''] = kinds
  return operations
    .filter(({ path }) => (ofActor.exec(path)?.[1] ?? first) === first)
    .map((operation) =>
      ofActor.test(operation.path)
        ? {
            ...operation,
            id: operation.id.replace(words(first.replaceAll('-', ' ')).join(''), ''),
            path: operation.path.replace(`/actors/${first}/`, '/actors/{kind}/'),
            parameters: [kind, ...operation.parameters],
          }
        : operation,
    )
}

/**
 * The operations as methods, by resource. Throws if two have the same name, or if a field of the body is also a
 * parameter.
 */
export function methodsOf(operations: Operation[]): Map<string, Method[]> {
  const resources = new Map<string, Method[]>()
  for (const operation of withKinds(operations)) {
    const { resource, nouns } = placeOf(operation.chapter)
    const method = { ...operation, resource, name: methodName(operation.id, nouns) }
    const others = resources.get(resource) ?? []
    if (others.some(({ name }) => name === method.name))
      throw new Error(`Two methods are named ${resource}.${method.name}`)
    resources.set(resource, [...others, method])
  }
  return resources
}

/** The name of the type of a method's input. */
export const inputName = ({ id }: Operation) => `${capital(id)}Input`
export const resourceName = (resource: string) => `${capital(resource)}Resource`
