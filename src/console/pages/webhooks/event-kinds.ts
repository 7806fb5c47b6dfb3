/** Event types by family, as listed by the server. */
import type { RecordedKind } from '../../../events/kinds/kinds.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'

/** Prefix and label of each family; others use their prefix as label. */
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
  ['alert', 'Alerts'],
]

/** `run.completed` → `run` */
export const familyOf = (kind: string): string =>
  families.find(([name]) => kind.startsWith(`${name}.`))?.[0] ?? kind.split('.', 1)[0] ?? kind

export interface EventKindShown {
  kind: RecordedKind
  /** When it is sent. */
  description: string
}

export interface Family {
  name: string
  title: string
  kinds: EventKindShown[]
}

/** Known families first; empty families are omitted. */
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

/** Sent by "Send test event"; not subscribable. */
export const testKind = 'webhook.test'

const descriptionOf = (schema: object): string =>
  'description' in schema && typeof schema.description === 'string' ? schema.description : ''

/** All deliverable event types, including the test event. */
export function useEventKinds() {
  const api = useApi()
  const types = useResource(['event-types'], (options) => api.v1['event-types'].get(options))
  const kinds = types.value?.items.map(
    ({ type, schema }): EventKindShown => ({ kind: type, description: descriptionOf(schema) }),
  )
  return { ...types, value: kinds }
}
