/** Kinds of events by what they are about. Which there are is asked of the server. */
import type { RecordedKind } from '../../../events/kinds/kinds.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'

/** What the kinds of a family begin with, and what it is called; one that is not here is called by its beginning. */
export const families: [name: string, title: string][] = [
  ['run', 'Runs'],
  ['deployment', 'Deployments'],
  ['activation', 'Activations'],
  ['operation', 'Operations'],
  ['domain.entity', 'Entities'],
  ['system_agent', 'System Agents'],
  ['workflow', 'Workflows'],
  ['job', 'Jobs'],
  ['webhook', 'Webhooks'],
  ['budget', 'Budget'],
]

/** `run.completed` → `run` */
export const familyOf = (kind: string): string =>
  families.find(([name]) => kind.startsWith(`${name}.`))?.[0] ?? kind.split('.', 1)[0] ?? kind

export interface EventKindShown {
  kind: RecordedKind
  /** When it is told. */
  description: string
}

export interface Family {
  name: string
  title: string
  kinds: EventKindShown[]
}

/** The known families first; none is empty. */
export function familiesOf(kinds: readonly EventKindShown[]): Family[] {
  const known = families.map(([name]) => name)
  const others = kinds.map(({ kind }) => familyOf(kind)).filter((name) => !known.includes(name))
  return [...known, ...new Set(others)]
    .map((name) => ({
      name,
      title: families.find(([each]) => each === name)?.[1] ?? name,
      kinds: kinds.filter(({ kind }) => familyOf(kind) === name),
    }))
    .filter(({ kinds }) => kinds.length > 0)
}

/** Sent to one webhook by its test; webhooks do not subscribe to it. */
export const testKind = 'webhook.test'

const descriptionOf = (schema: object): string =>
  'description' in schema && typeof schema.description === 'string' ? schema.description : ''

/** All kinds that the server may deliver, that of a test among them. */
export function useEventKinds() {
  const api = useApi()
  const types = useResource(['event-types'], (options) => api.v1['event-types'].get(options))
  const kinds = types.value?.items.map(
    ({ type, schema }): EventKindShown => ({ kind: type, description: descriptionOf(schema) }),
  )
  return { ...types, value: kinds }
}
