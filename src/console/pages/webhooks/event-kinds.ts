/** Kinds of events by what they are about. The list is the server's own. */
import { type EventKind, eventKinds } from '../../../events/kinds.ts'

export interface Family {
  /** What the kinds of the family begin with. */
  name: string
  title: string
  kinds: EventKind[]
}

const titles: [name: string, title: string][] = [
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

export const families: Family[] = titles.map(([name, title]) => ({
  name,
  title,
  kinds: eventKinds.filter((kind) => kind.startsWith(`${name}.`)),
}))

/** `run.completed` → `run` */
export const familyOf = (kind: string): string => families.find(({ name }) => kind.startsWith(`${name}.`))?.name ?? ''
